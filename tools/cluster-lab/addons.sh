#!/usr/bin/env bash
# addons.sh NAME: prints the manifests of an addon of Kubernetes, with its official images: k6-operator, keda or traefik (as an
# Ingress controller). The lab cannot pull images, so for it the script first builds the addon from the Go module proxy: once, in
# 2, 5 and 8 min on 2 cores.
#   kubectl apply --server-side -f <(tools/cluster-lab/addons.sh keda)
. "$(dirname "$0")/common.sh"
. "$LAB_SOURCE/addons/modules"
help_for "$0" "${@:---help}"
one_at_a_time "$0" "$@"
command -v go >/dev/null || fail 'go is not on PATH: the manifests come from Go modules.'
mkdir -p "$BIN" "$LOGS"
name=$1
module=${MODULES[$name]:-}
[ -n "$module" ] || fail "addons.sh $name: unknown addon. Known: ${!MODULES[*]}."
version=${module#*@v}

# A writable copy of the module: replacements of dependencies only apply to the module that is built.
copy=$CLUSTER_HOME/addons/${module##*/}
if [ ! -e "$copy/go.mod" ]; then
  # Outside of any module. If go fails, its output has the error.
  source=$(cd / && go mod download -json "$module" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') || true
  [ -n "$source" ] || fail "cannot download $module. To see why: (cd / && go mod download -json $module)"
  rm -rf "$copy.part"
  mkdir -p "$copy.part"
  cp -r "$source/." "$copy.part/"
  chmod -R u+w "$copy.part"
  mv "$copy.part" "$copy"
fi

build() { # name, minutes, package of the module, linker flags
  [ "$(cat "$BIN/$1.version" 2>/dev/null)" != "$version" ] || return 0
  step "build-$1" "building $1 $version ($2)" env CGO_ENABLED=0 GOFLAGS=-buildvcs=false nice -n 10 \
    go -C "$copy" build -trimpath -p 2 -ldflags "-s -w ${4:-}" -o "$BIN/$1.part" "$3"
  mv "$BIN/$1.part" "$BIN/$1"
  echo "$version" >"$BIN/$1.version"
}

make_k6_operator() {
  build k6-operator '2 min' ./cmd
  "$LAB_SOURCE/images.sh" k6-operator k6-operator-starter
}
make_keda() {
  build keda '5 min' ./cmd/operator
  build keda-adapter '1 min' ./cmd/adapter
  "$LAB_SOURCE/images.sh" keda keda-adapter
}
make_traefik() {
  # The module lacks the dashboard, but does not compile without its folder.
  mkdir -p "$copy/webui/static"
  touch "$copy/webui/static/index.html"
  build traefik '8 min' ./cmd/traefik "-X github.com/traefik/traefik/v3/pkg/version.Version=$version"
  "$LAB_SOURCE/images.sh" traefik
}

manifests_k6_operator() { cat "$copy/bundle.yaml"; }
manifests_keda() {
  mkdir -p "$copy/config/n8n-tuned"
  sed "s/VERSION/$version/" "$LAB_SOURCE/addons/keda/kustomization.yaml" >"$copy/config/n8n-tuned/kustomization.yaml"
  PATH=$PATH:$BIN kubectl kustomize "$copy/config/n8n-tuned"
}
manifests_traefik() { sed "s/VERSION/$version/" "$LAB_SOURCE/addons/traefik.yaml"; }

if node_is_up && [ "${KUBECONFIG:-}" = "$KUBECONFIG_FILE" ]; then
  "make_${name//-/_}" >&2
fi
"manifests_${name//-/_}"
