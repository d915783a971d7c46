#!/usr/bin/env bash
# The part of the official image's contract that charts rely on. On the first start: POSTGRES_PASSWORD, _USER, _DB (or a
# file with it, *_FILE), POSTGRES_INITDB_ARGS, POSTGRES_HOST_AUTH_METHOD, *.sql and *.sh in /docker-entrypoint-initdb.d.
# Writes only to PGDATA and /var/run/postgresql.
set -euo pipefail

from_file() { # variable: its value, or the content of the file that VARIABLE_FILE names
  local file=$1_FILE
  if [ -n "${!file:-}" ]; then printf -v "$1" %s "$(<"${!file}")"; export "${1?}"; fi
}
initialise() {
  local name file
  for name in POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB POSTGRES_INITDB_ARGS; do from_file "$name"; done
  : "${POSTGRES_USER:=postgres}" "${POSTGRES_HOST_AUTH_METHOD:=scram-sha-256}"
  : "${POSTGRES_DB:=$POSTGRES_USER}"
  if [ -z "${POSTGRES_PASSWORD:-}" ] && [ "$POSTGRES_HOST_AUTH_METHOD" != trust ]; then
    echo 'Error: Database is uninitialized and superuser password is not specified. Set POSTGRES_PASSWORD.' >&2
    exit 1
  fi
  # shellcheck disable=SC2086
  initdb --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "${POSTGRES_PASSWORD:-}") --encoding=UTF8 --locale=C.UTF-8 ${POSTGRES_INITDB_ARGS:-}
  printf '\nhost all all all %s\n' "$POSTGRES_HOST_AUTH_METHOD" >>"$PGDATA/pg_hba.conf"

  pg_ctl --pgdata="$PGDATA" --options="-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql" --wait start
  export PGHOST=/var/run/postgresql PGUSER=$POSTGRES_USER PGPASSWORD=${POSTGRES_PASSWORD:-}
  if [ "$POSTGRES_DB" != postgres ]; then
    psql --no-psqlrc --set=ON_ERROR_STOP=1 --dbname=postgres --set=db="$POSTGRES_DB" <<<'CREATE DATABASE :"db";'
  fi
  for file in /docker-entrypoint-initdb.d/*; do
    case $file in
      *.sh) "$file" ;;
      *.sql) psql --no-psqlrc --set=ON_ERROR_STOP=1 --dbname="$POSTGRES_DB" --file="$file" ;;
    esac
  done
  pg_ctl --pgdata="$PGDATA" --mode=fast --wait stop
}

case ${1:-postgres} in -*) set -- postgres "$@" ;; esac
if [ "${1:-postgres}" != postgres ]; then exec "$@"; fi
shift || true
mkdir -p "$PGDATA"
chmod 700 "$PGDATA" 2>/dev/null || true
if [ "$(id -u)" = 0 ]; then
  chown -R postgres:postgres "$PGDATA" /var/run/postgresql
  exec setpriv --reuid=postgres --regid=postgres --clear-groups -- "$0" postgres "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then initialise; fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql "$@"
