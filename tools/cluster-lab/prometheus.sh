#!/usr/bin/env bash
# prometheus.sh: builds prometheus and promtool from the Go module proxy if they are missing (6-10 min on 2 cores, once), and
# prints their folder. They lack the web interface, whose files are in no registry. Of the service discoveries they have only
# file, http, static and Kubernetes.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
one_at_a_time "$0" "$@"
command -v go >/dev/null || fail 'go is not on PATH: Prometheus is built with it (1.26 or newer).'
mkdir -p "$BIN" "$LOGS"

module=github.com/prometheus/prometheus
# Module v0.315.0 is Prometheus 3.15.0.
version=$(sed -nE "s|.*$module v0\.3([0-9]+)\.([0-9]+).*|3.\1.\2|p" "$LAB_SOURCE/src/prometheus/go.mod")
export GOFLAGS=-buildvcs=false CGO_ENABLED=0
for name in prometheus promtool; do
  if [ -x "$BIN/$name" ] && "$BIN/$name" --version 2>&1 | grep -q "version $version "; then continue; fi
  step "build-$name" "building $name $version (6-10 min for the first of two)" nice -n 10 go -C "$LAB_SOURCE/src/prometheus" build -trimpath -p 2 \
    -tags remove_all_sd,enable_kubernetes_sd -ldflags "-s -w -X github.com/prometheus/common/version.Version=$version" -o "$BIN/$name.part" "$module/cmd/$name"
  mv "$BIN/$name.part" "$BIN/$name"
done
echo "$BIN"
