#!/usr/bin/env bash
# Installs the packages of the tests that n8n-capacity does not install: Chromium for the browser tests, openssl for a test API
# server, Python with venv for checkov. Needs root on Debian; otherwise prints the command to run.
set -euo pipefail
missing=()
for command in chromium openssl; do command -v "$command" >/dev/null || missing+=("$command"); done
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
[ ${#missing[@]} = 0 ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "… installing ${missing[*]} (Debian packages, 1 min)"
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "${missing[*]} missing; install with apt-get install ${missing[*]} (Debian) or brew install ${missing[*]} (macOS)." >&2
  exit 1
fi
