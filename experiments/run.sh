#!/usr/bin/env bash
# run.sh NAME [GRID] [FLAGS...]: one experiment, whole: on this machine's processes, then its parts on Kubernetes, in a
# cluster of test/cluster/cluster.sh, behind each mode of kube-proxy that the experiment asks for.
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:-}
grid=${2:-quick}
shift $(($# < 2 ? $# : 2))
file=experiments/$name.yaml
if [ -z "$name" ] || [ ! -e "$file" ]; then
  known=$(basename --suffix=.yaml experiments/*.yaml | paste --serial --delimiters=' ')
  echo "make experiment NAME=<name> [GRID=full]: NAME is \"$name\"; it must be one of: $known" >&2
  exit 3
fi
experiment() { node capacity/bin/n8n-capacity.js experiment "$file" --grid "$grid" "$@"; }

if ! grep -q 'on: kubernetes' "$file"; then
  experiment "$@"
  exit
fi
# The claims are printed once, at the end: until then some of them are not measured.
until_judged() { "$@" >/dev/null || { code=$?; [ $code -le 2 ] || exit $code; }; }
until_judged env -u KUBECONFIG bash -c "$(declare -f experiment); file=$file grid=$grid; experiment \"\$@\"" experiment "$@"
modes=$(grep -o 'proxy: \[.*\]' "$file" | tr -d '[],' | cut -d' ' -f2- || true)
for mode in ${modes:-nftables}; do
  export PROXY_MODE=$mode
  until_judged test/cluster/cluster.sh run node capacity/bin/n8n-capacity.js experiment "$file" --grid "$grid" --part kubernetes --proxy-mode "$mode" "$@"
done
experiment --no-run "$@"
