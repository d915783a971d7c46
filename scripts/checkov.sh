#!/usr/bin/env bash
# checkov.sh ARGUMENTS...: runs checkov. If it is missing, it is installed from PyPI into n8n-capacity's cache (1 min, 300 MB).
# Needs Python 3.9 or newer with venv.
set -euo pipefail
VERSION=3.3.30
FOLDER=${N8N_TUNED_CACHE:-$HOME/.cache/n8n-tuned}/tools/checkov-$VERSION

if [ ! -e "$FOLDER/.installed" ]; then
  echo "… installing checkov $VERSION (PyPI, 1 min)" >&2
  rm -rf "$FOLDER"
  python3 -m venv "$FOLDER" || { echo 'checkov needs python3 with venv; install it: apt-get install python3-venv (Debian).' >&2; exit 1; }
  "$FOLDER/bin/pip" install --quiet --disable-pip-version-check "checkov==$VERSION"
  touch "$FOLDER/.installed"
fi
exec "$FOLDER/bin/checkov" "$@"
