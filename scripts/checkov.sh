#!/usr/bin/env bash
# checkov.sh ARGUMENTS...: runs checkov, installed from PyPI into n8n-capacity's cache when missing (1 min, 300 MB). Wants
# Python 3.9 or newer with venv.
set -euo pipefail
VERSION=3.3.30
HOME_OF_IT=${N8N_TUNED_CACHE:-$HOME/.cache/n8n-tuned}/tools/checkov-$VERSION

if [ ! -e "$HOME_OF_IT/.installed" ]; then
  echo "… installing checkov $VERSION (PyPI, 1 min)" >&2
  rm -rf "$HOME_OF_IT"
  python3 -m venv "$HOME_OF_IT" || { echo 'python3 with venv is needed: apt-get install python3-venv (Debian).' >&2; exit 1; }
  "$HOME_OF_IT/bin/pip" install --quiet --disable-pip-version-check "checkov==$VERSION"
  touch "$HOME_OF_IT/.installed"
fi
exec "$HOME_OF_IT/bin/checkov" "$@"
