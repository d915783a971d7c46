#!/usr/bin/env bash
# crds.sh: prints a folder with custom resource definitions, so that an API server can check the chart's objects. They are those of
# Gateway API, prometheus-operator, KEDA and k6-operator, from their Go modules (10 s the first time).
#   kubectl apply --server-side -f "$(tools/cluster-lab/crds.sh)"
. "$(dirname "$0")/common.sh"
. "$LAB_SOURCE/addons/modules"
help_for "$0" "$@"
one_at_a_time "$0" "$@"

# Each line: module, folder in it, files.
WANTED=(
  'sigs.k8s.io/gateway-api@v1.6.3 config/crd/standard gateway.networking.k8s.io_{gatewayclasses,gateways,httproutes,grpcroutes,referencegrants}.yaml'
  'github.com/prometheus-operator/prometheus-operator@v0.85.0 example/prometheus-operator-crd monitoring.coreos.com_{servicemonitors,podmonitors,prometheusrules}.yaml'
  "${MODULES[keda]} config/crd/bases keda.sh_{scaledobjects,scaledjobs,triggerauthentications,clustertriggerauthentications}.yaml"
  "${MODULES[k6-operator]} config/crd/bases k6.io_testruns.yaml"
)
folder=$CLUSTER_HOME/crds
stamp=$(printf '%s\n' "${WANTED[@]}" | sha256sum | cut -d ' ' -f 1)
if [ "$(cat "$folder.stamp" 2>/dev/null)" != "$stamp" ]; then
  command -v go >/dev/null || fail 'go is not on PATH: the definitions come from Go modules.'
  say 'collecting custom resource definitions (10 s)'
  rm -rf "$folder"
  mkdir -p "$folder"
  for line in "${WANTED[@]}"; do
    read -r module below files <<<"$line"
    # Outside of any module. If go fails, its output has the error.
    source=$(cd / && go mod download -json "$module" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') || true
    [ -n "$source" ] || fail "cannot download $module. To see why: (cd / && go mod download -json $module)"
    eval "cp \"\$source/$below\"/$files \"\$folder/\""
  done
  chmod -R u+w "$folder"
  echo "$stamp" >"$folder.stamp"
fi
echo "$folder"
