#!/bin/sh
# As in the official image: options without a command go to redis-server, and root becomes redis.
set -e
case ${1:-} in -* | *.conf) set -- redis-server "$@" ;; esac
if [ "${1:-}" = redis-server ] && [ "$(id -u)" = 0 ]; then
  find . \! -user redis -exec chown redis '{}' +
  exec setpriv --reuid=redis --regid=redis --clear-groups -- "$@"
fi
exec "$@"
