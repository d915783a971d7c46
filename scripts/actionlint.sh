#!/usr/bin/env bash
# Checks the workflows in .github with actionlint: the one on PATH, else one that is built once with Go.
set -euo pipefail
cd "$(dirname "$0")/.."
version=v1.7.12
folder=${N8N_TUNED_CACHE:-$HOME/.cache/n8n-tuned}/tools/actionlint-$version
linter=$(command -v actionlint || echo "$folder/actionlint")
if [ ! -x "$linter" ]; then
  command -v go >/dev/null || { echo "lint-actions: actionlint is missing; install it, or Go, which builds it" >&2; exit 1; }
  echo '… building actionlint (30 s)'
  GOBIN=$folder GOFLAGS=-buildvcs=false go install "github.com/rhysd/actionlint/cmd/actionlint@$version"
fi
"$linter" -color=false
