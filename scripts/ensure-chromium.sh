#!/usr/bin/env bash
# The browser tests drive a real Chromium: the one of Debian, installed here as root when it is missing.
set -euo pipefail
command -v chromium >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo '… installing chromium (Debian package, 1 min)'
  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null
else
  echo 'chromium is not on PATH; install it: "apt-get install chromium" (Debian), "brew install chromium" (macOS).' >&2
  exit 1
fi
