#!/usr/bin/env bash
# Whose code a job runs. Prints nothing when the event says that it is the repository's own; else one clause, which says
# what it is or why nobody knows. plan.sh asks before the runtime stage. forks.ps1 is the same for Windows.
#
# Reads GITHUB_EVENT_NAME, GITHUB_REPOSITORY, and the file GITHUB_EVENT_PATH, in which GitHub says what happened.
set -euo pipefail

# A runner of one's own need not have a program that reads JSON, and every one has awk.
# text_at PATH: prints the text at a dotted path of the event; fails when there is not exactly one, or no whole document.
text_at() {
  [ -r "${GITHUB_EVENT_PATH:-}" ] && LC_ALL=C awk -v path="$1" '
    BEGIN { length_of_path = split(path, wanted, ".") }
    {
      size = length($0)
      for (i = 1; i <= size; i++) {
        c = substr($0, i, 1)
        if (in_text) {
          if (c == "\\") i++
          else if (c == "\"") { in_text = 0; ended(substr($0, start, i - start)) }
        }
        else if (c == "\"") { in_text = 1; start = i + 1 }
        else if (c == "{" || c == "[") { depth++; kind[depth] = c; key[depth] = ""; is_key = (c == "{") }
        else if (c == "}" || c == "]") { depth--; is_key = 0; if (depth == 0) documents++ }
        else if (c == ",") is_key = (kind[depth] == "{")
      }
      # No text of JSON goes on in the next line.
      if (in_text) exit 1
    }
    function ended(text,    level) {
      if (is_key) { key[depth] = text; is_key = 0; return }
      if (depth != length_of_path) return
      for (level = 1; level <= depth; level++) if (kind[level] != "{" || key[level] != wanted[level]) return
      found++
      value = text
    }
    END {
      if (in_text || depth != 0 || documents != 1 || found != 1) exit 1
      print value
    }' < "$GITHUB_EVENT_PATH"
}

event=${GITHUB_EVENT_NAME:-}
case $event in
  "")
    echo "GITHUB_EVENT_NAME does not say which event this is"
    exit
    ;;
  pull_request*) path=pull_request.head.repo.full_name what="a pull request" ;;
  workflow_run) path=workflow_run.head_repository.full_name what="a job about a commit" ;;
  issue_comment)
    # The event of a comment on a pull request does not say where that comes from.
    if ! text_at issue.url > /dev/null; then
      echo "whether the comment is about a pull request is not known: GITHUB_EVENT_PATH names no event that can be read"
    elif text_at issue.pull_request.url > /dev/null; then
      echo "this is a comment on a pull request, whose event does not say whether it comes from a fork"
    fi
    exit
    ;;
  *) exit ;;
esac
if ! from=$(text_at "$path"); then
  echo "this is $what from nobody knows where: GITHUB_EVENT_PATH names no event that says its repository"
elif [ -z "${GITHUB_REPOSITORY:-}" ] || [ "$from" != "$GITHUB_REPOSITORY" ]; then
  echo "this is $what from the fork $from"
fi
