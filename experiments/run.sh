#!/usr/bin/env bash
# run.sh NAME [GRID] [FLAGS...]: runs all parts of one experiment, first those on this machine, then those on Kubernetes in a
# cluster of test/cluster/cluster.sh. If the experiment needs both modes of kube-proxy, the lab is started once in each mode. For
# any other cluster, PROXY_MODE must name its mode.
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:-}
grid=${2:-quick}
shift $(($# < 2 ? $# : 2))
file=experiments/$name.yaml
if [ -z "$name" ] || [ ! -e "$file" ]; then
  known=$(basename --suffix=.yaml experiments/*.yaml | paste --serial --delimiters=' ')
  echo "NAME=\"$name\": unknown experiment; use make experiment NAME=<name> [GRID=full] with one of: $known" >&2
  exit 3
fi
experiment=(node experiments/bin/n8n-experiment.js "$file" --grid "$grid" "$@")
grep -q 'on: kubernetes' "$file" || exec "${experiment[@]}"

# The claims are printed only at the end. Before that, some of them are not measured yet.
measure() {
  local code=0
  "$@" >/dev/null || code=$?
  [ $code -le 2 ] || exit $code
}
cluster=test/cluster/cluster.sh
kind=$($cluster kind)
modes=$(grep -o 'proxy: \[.*\]' "$file" | tr -d '[],' | cut -d' ' -f2- || true)
if [ -n "$modes" ] && [ "$kind" != lab ]; then
  if [ -z "${PROXY_MODE:-}" ]; then
    echo "PROXY_MODE is not set; set it to the mode of kube-proxy in this cluster ($kind), one of: $modes" >&2
    exit 3
  fi
  modes=$PROXY_MODE
fi
measure env -u KUBECONFIG "${experiment[@]}"
for mode in ${modes:-any}; do
  proxy=()
  if [ "$mode" != any ]; then
    export PROXY_MODE=$mode
    proxy=(--proxy-mode "$mode")
  fi
  # cluster.sh exits with 1 when there is no cluster; that exit code would mean that a claim fails.
  $cluster up >/dev/null || exit 3
  measure $cluster run "${experiment[@]}" --part kubernetes "${proxy[@]}"
  [ "$kind" = given ] || $cluster down
done
"${experiment[@]}" --no-run
