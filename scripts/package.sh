#!/usr/bin/env bash
# Makes the packages to publish from a clean checkout: the chart with the node of the load targets, and two npm packages with
# their SBOMs, those of the node and of n8n-capacity.
# Usage: scripts/package.sh [FOLDER] (default: dist/packages). Needs a build, and helm: on PATH, or from `make setup`.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-dist/packages}
node_file=charts/n8n-tuned/files/n8n-nodes-tuned.json
[ -f "$node_file" ] || { echo "package: $node_file is missing; run make build" >&2; exit 1; }
cached=${N8N_TUNED_CACHE:-$HOME/.cache/n8n-tuned}/tools/helm/helm
helm=$(command -v helm || echo "$cached")
[ -x "$helm" ] || { echo "package: helm is missing; install it, or run make setup" >&2; exit 1; }
mkdir -p "$out"
staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
# Helm also prints a line for each symbolic link, so its messages are shown only if it fails.
"$helm" package charts/n8n-tuned --destination "$out" 2>"$staged/helm.txt" || { cat "$staged/helm.txt" >&2; exit 1; }
for package in node capacity; do
  node scripts/stage.mjs "$package" "$staged/$package"
  packed=$(npm pack "$staged/$package" --silent --pack-destination "$out")
  node scripts/sbom.mjs "$staged/$package" >"$out/${packed%.tgz}.spdx.json"
  echo "$packed"
done
