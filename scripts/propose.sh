#!/usr/bin/env bash
# propose.sh FOLDER BRANCH TITLE: opens a pull request with the change FOLDER/change.patch and the text FOLDER/body.txt, or replaces that
# of the branch. Both files come from a job that ran other people's code, so they are only data. The patch may change only the files
# listed here, and is never run. Needs git in a checkout, and gh with GH_TOKEN.
set -euo pipefail
folder=$1 branch=$2 title=$3
patch=$folder/change.patch
ALLOWED='^(charts/n8n-tuned/(Chart\.yaml|values\.yaml|values\.schema\.json|README\.md|files/advisories\.yaml)|runtimes/n8n-2/package(-lock)?\.json|docs/badges/[a-z0-9-]+\.svg)$'
MOST_BYTES=20000000
MOST_TEXT=60000

fail() { echo "propose: $1" >&2; exit 1; }
[[ $branch =~ ^(n8n-2\.[0-9]+\.[0-9]+|advisories)$ ]] || fail "\"$branch\" is not a branch that this script makes"
[ -s "$patch" ] || { echo 'propose: nothing changes'; exit 0; }
[ "$(stat --format=%s "$patch")" -le $MOST_BYTES ] || fail "$patch has more than $MOST_BYTES bytes"
files=$(git apply --numstat "$patch" | cut --fields=3)
[ -n "$files" ] || fail "$patch changes no file"
foreign=$(grep --extended-regexp --invert-match "$ALLOWED" <<<"$files" || true)
[ -z "$foreign" ] || fail "the patch may not change: $foreign"
# git lists new files, other modes, links and renames here.
[ -z "$(git apply --summary "$patch")" ] || fail 'the patch may only change the content of files'

git switch --quiet --create "$branch"
git apply --index "$patch"
git -c user.name='github-actions[bot]' -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
  -c core.hooksPath=/dev/null commit --quiet --message "$title"
gh auth setup-git
# Replaces a branch of an earlier run that could not open its pull request.
git -c core.hooksPath=/dev/null push --quiet --force origin "$branch"
body=$(mktemp)
{
  echo 'Made by `.github/workflows/n8n.yml`. The text below comes from the proposed n8n and from public records; nobody has read it.'
  printf '\n```text\n'
  # A code fence in the text would end this one.
  head --bytes=$MOST_TEXT "$folder/body.txt" | tr --delete '`\000-\010\013-\037'
  printf '\n```\n'
} >"$body"
if [ "$(gh pr list --head "$branch" --state open --json number --jq length)" = 0 ]; then
  gh pr create --head "$branch" --title "$title" --body-file "$body"
else
  gh pr edit "$branch" --title "$title" --body-file "$body"
fi
