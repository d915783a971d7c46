#!/usr/bin/env bash
# build.sh: builds the node's programs from the Go module proxy alone: kubebox (every Kubernetes component and kubectl in one
# binary), etcd, CoreDNS, metrics-server. Takes 15-20 min on 2 cores the first time; keeps programs that are already built.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
one_at_a_time "$0" "$@"
mkdir -p "$BIN" "$LOGS"

KUBERNETES=$(sed -n 's/.*k8s.io\/kubernetes v//p' "$LAB_SOURCE/src/kubebox/go.mod" | head -n 1)
METRICS_SERVER=0.9.0
export GOFLAGS=-buildvcs=false CGO_ENABLED=0
minor=${KUBERNETES#*.}
base=k8s.io/component-base/version
version_flags="-X $base.gitVersion=v$KUBERNETES -X $base.gitMajor=${KUBERNETES%%.*} -X $base.gitMinor=${minor%%.*} -X $base.gitTreeState=clean -X $base.gitCommit=module-proxy -X k8s.io/client-go/pkg/version.gitVersion=v$KUBERNETES"

# Builds under another name first, so that an aborted build is never mistaken for a finished one.
build() { # name, minutes, linker flags
  [ -x "$BIN/$1" ] && return
  step "build-$1" "building $1 ($2)" nice -n 10 go -C "$LAB_SOURCE/src/$1" build -trimpath -p 2 -ldflags "-s -w ${3:-}" -o "$BIN/$1.part" .
  mv "$BIN/$1.part" "$BIN/$1"
}
build kubebox '8-12 min' "$version_flags"
for name in kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl; do ln -sf kubebox "$BIN/$name"; done
build etcd '1-2 min'
build coredns '2-3 min'
if [ ! -x "$BIN/metrics-server" ]; then
  step build-metrics-server 'building metrics-server (1-3 min)' env GOBIN="$BIN" nice -n 10 go install -trimpath -p 2 -ldflags '-s -w' "sigs.k8s.io/metrics-server/cmd/metrics-server@v$METRICS_SERVER"
fi
if [ ! -x "$BIN/pause" ]; then
  step build-pause 'building pause (1 s)' gcc -O2 -static -s -o "$BIN/pause.part" "$LAB_SOURCE/src/pause/pause.c"
  mv "$BIN/pause.part" "$BIN/pause"
fi
