#!/usr/bin/env bash
# What the tests use beside what n8n-capacity installs: Debian's Chromium for the browser tests, openssl for a test API
# server, Python with venv for checkov. Installed here as root on Debian when missing.
set -euo pipefail
missing=()
for command in chromium openssl; do command -v "$command" >/dev/null || missing+=("$command"); done
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
[ ${#missing[@]} = 0 ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "… installing ${missing[*]} (Debian packages, 1 min)"
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "${missing[*]} not on PATH; install: apt-get install ${missing[*]} (Debian), brew install ${missing[*]} (macOS)." >&2
  exit 1
fi
