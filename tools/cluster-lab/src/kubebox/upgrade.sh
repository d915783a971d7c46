#!/usr/bin/env bash
# upgrade.sh VERSION: writes go.mod and go.sum here for another version of Kubernetes, such as 1.35.4. Commit both files. The
# replacements are those of Kubernetes, with versions from the module proxy instead of its staging folders.
set -euo pipefail
case ${1:-} in '' | -h | --help) sed -n '2,3s/^# //p' "$0"; exit 0 ;; esac
cd "$(dirname "$0")"
source=$(go mod download -json "k8s.io/kubernetes@v$1" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
{
  printf 'module kubebox\n\ngo %s\n\ngodebug default=go%s\n\n' "$(sed -n 's/^go //p' "$source/go.mod")" "$(sed -n 's/^godebug default=go//p' "$source/go.mod")"
  printf 'require k8s.io/kubernetes v%s\n\nreplace (\n' "$1"
  sed -n 's|^\s*\(k8s.io/[a-z-]*\) => \./staging.*|\t\1 => \1 v0.'"${1#*.}"'|p' "$source/go.mod"
  echo ')'
} >go.mod
go mod tidy
