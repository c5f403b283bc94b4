#!/usr/bin/env bash
# Third step of the action: one run of gpulint with all its reports. check.ps1 is the same for Windows.
#
# Reads BINARY, INPUT_*, EVENT_BASE (the base of a pull request or of a merge group, from the event) and TOKEN. Never
# fails for findings: the last step does, after the reports were uploaded.
set -euo pipefail

# told LEVEL SENTENCE…: one annotation.
told() {
  local level=$1
  shift
  local text="$*"
  text=${text//\%/%25}
  text=${text//$'\r'/%0D}
  text=${text//$'\n'/%0A}
  echo "::$level title=gpulint::$text"
}

write() {
  echo "$1=$2" >> "$GITHUB_OUTPUT"
}

unusable() {
  told error "$@"
  write exit-code 2
  write verdict unusable
  exit
}

export GIT_TERMINAL_PROMPT=0
case $TOKEN in
  *[!A-Za-z0-9_.=-]*) unusable "The input token has a character that no token of GitHub has." ;;
esac
# Two questions to GitHub need it, and nothing else gets it.
authorization="Authorization: Bearer $TOKEN"
credentials=$(printf 'x-access-token:%s' "$TOKEN" | base64 | tr -d '\n')
unset TOKEN

# fetch WORD…: git fetch, with the token where actions/checkout kept no credentials of its own. GitHub refuses two.
fetch() {
  local header="http.${GITHUB_SERVER_URL:-https://github.com}/.extraheader"
  if git config --get-all "$header" > /dev/null 2>&1; then
    git fetch --quiet --no-tags "$@"
  else
    # In the environment, where other users of the machine cannot read it.
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=$header GIT_CONFIG_VALUE_0="AUTHORIZATION: basic $credentials" git fetch --quiet --no-tags "$@"
  fi
}

has_commit() {
  git cat-file -e "$1^{commit}" 2> /dev/null
}

# The commit where two histories parted is known.
parted() {
  git merge-base "$1" HEAD > /dev/null 2>&1
}

# fetched COMMIT: the commit is here, together with the one where HEAD left it; more and more of a shallow clone is
# filled for that.
fetched() {
  parted "$1" && return
  local depth head
  head=$(git rev-parse HEAD) || return
  if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    for depth in 50 1000; do
      fetch --depth="$depth" origin "$1" "$head" || return
      parted "$1" && return
    done
    fetch --unshallow origin "$1" "$head" || return
  else
    fetch origin "$1" || return
  fi
  parted "$1"
}

# base_of_event: prints the commit that the event is compared with.
base_of_event() {
  git rev-parse --git-dir > /dev/null 2>&1 || return
  local head parents
  head=$(git rev-parse HEAD) || return
  # What is checked out by default is a merge of the pull request into its base. The commit names its parents also
  # where a shallow clone lacks them; the first is the base as it was at that moment, which may be newer than the event.
  parents=$(git cat-file commit "$head" | sed -n '1,/^$/s/^parent //p')
  if [ "$GITHUB_EVENT_NAME" = pull_request ] && [ "$head" = "${GITHUB_SHA:-}" ] && [ "$(wc -l <<< "$parents")" -eq 2 ]; then
    local base=${parents%%$'\n'*}
    has_commit "$base" || fetch --depth=2 origin "$head" || return
    parted "$base" || return
    echo "$base"
    return
  fi
  [ -n "$EVENT_BASE" ] || return
  fetched "$EVENT_BASE" || return
  echo "$EVENT_BASE"
}

# named_base REF: prints the commit of a branch or tag, which a clone of a single branch does not have yet.
named_base() {
  local commit
  if ! commit=$(git rev-parse --verify --quiet "$1^{commit}"); then
    fetch --depth=1 origin "${1#origin/}" || return
    commit=$(git rev-parse FETCH_HEAD) || return
  fi
  fetched "$commit" || return
  echo "$commit"
}

since=
case $INPUT_SINCE in
  none) ;;
  auto)
    case ${GITHUB_EVENT_NAME:-} in
      pull_request | merge_group)
        if ! since=$(base_of_event); then
          since=
          told notice "What is new cannot be told: the base is not in this clone and cannot be fetched." \
            "So the whole project is reported on. \`fetch-depth: 0\` of actions/checkout, or \`since: none\` here, ends this notice."
        fi
        ;;
    esac
    ;;
  *)
    since=$(named_base "$INPUT_SINCE") ||
      unusable "The input since names \`$INPUT_SINCE\`, which is neither in this clone nor can be fetched from origin."
    ;;
esac

reports=$(mktemp -d "$RUNNER_TEMP/gpulint-reports-XXXXXX")
# On a runner of one's own, code of an earlier job could have written what a cache says.
command=("$BINARY" check --no-cache)
if [ "$INPUT_ANNOTATIONS" = true ]; then command+=(--format=github); else command+=(--format=concise); fi
command+=("--output=json=$reports/gpulint.json" "--output=sarif=$reports/gpulint.sarif" "--output=markdown=$reports/gpulint.md")
if [ -n "$INPUT_CONFIG" ]; then command+=("--config=$INPUT_CONFIG"); fi
if [ -n "$INPUT_SELECT" ]; then command+=("--select=$INPUT_SELECT"); fi
if [ -n "$INPUT_IGNORE" ]; then command+=("--ignore=$INPUT_IGNORE"); fi
if [ -n "$INPUT_MIN_SEVERITY" ]; then command+=("--min-severity=$INPUT_MIN_SEVERITY"); fi
if [ -n "$INPUT_FAIL_ON" ]; then command+=("--fail-on=$INPUT_FAIL_ON"); fi
if [ -n "$INPUT_MODE" ]; then command+=("--mode=$INPUT_MODE"); fi
if [ -n "$INPUT_BASELINE" ]; then command+=("--baseline=$INPUT_BASELINE"); fi
if [ -n "$since" ]; then command+=("--since=$since"); fi
while IFS= read -r word; do
  word=${word%$'\r'}
  if [ -n "$word" ]; then command+=("$word"); fi
done <<< "$INPUT_ARGS"
paths=()
while IFS= read -r path; do
  path="${path%$'\r'}"
  if [ -n "$path" ]; then paths+=("$path"); fi
done <<< "$INPUT_PATHS"
# Older versions of bash take an empty array for one that is not set.
command+=(-- ${paths[@]+"${paths[@]}"})
code=0
"${command[@]}" || code=$?

write exit-code "$code"
case $code in
  0) write verdict passed ;;
  1) write verdict failed ;;
  2) write verdict unusable ;;
  *) write verdict crashed ;;
esac
if [ "$code" -gt 1 ] || [ ! -s "$reports/gpulint.json" ]; then exit; fi

write json "$reports/gpulint.json"
write sarif "$reports/gpulint.sarif"
# Inside of texts the quotes would be escaped, so this can only be the object itself.
counts=$(tr -d '\n' < "$reports/gpulint.json" | grep -o '"summary": *{[^}]*}' | tail -n 1)
count() {
  sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" <<< "$counts"
}
write findings "$(($(count error) + $(count warning) + $(count note)))"
write errors "$(count error)"
write warnings "$(count warning)"
write notes "$(count note)"
write suppressed "$(count suppressed)"
write baselined "$(count baselined)"
if [ "$INPUT_SUMMARY" = true ]; then
  cat "$reports/gpulint.md" >> "$GITHUB_STEP_SUMMARY"
  if [ -n "$since" ]; then
    # What a change means for the cards of programs that it does not touch is no finding.
    map=("$BINARY" map --format=markdown "--since=$since")
    if [ -n "$INPUT_CONFIG" ]; then map+=("--config=$INPUT_CONFIG"); fi
    if [ -n "$INPUT_MODE" ]; then map+=("--mode=$INPUT_MODE"); fi
    # Of the further arguments, those that say which policy holds.
    taken=
    while IFS= read -r word; do
      word=${word%$'\r'}
      case $taken$word in
        --isolated | --config=* | --mode=* | =:*) map+=("$word") taken= ;;
        --config | --mode) map+=("$word") taken==: ;;
      esac
    done <<< "$INPUT_ARGS"
    if "${map[@]}" -- ${paths[@]+"${paths[@]}"} > "$reports/map.md"; then
      { echo; cat "$reports/map.md"; } >> "$GITHUB_STEP_SUMMARY"
    else
      told notice "Which programs take another card cannot be told: gpulint map ended with an error, which the log shows."
    fi
  fi
fi

case $INPUT_SARIF in
  always) write upload true ;;
  auto)
    # Where code scanning is off or the token may not use it, GitHub refuses this question as it would the upload.
    status=$(curl --silent --output /dev/null --write-out '%{http_code}' --max-time 20 --header @- \
      "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/code-scanning/alerts?per_page=1" <<< "$authorization") || true
    if [ "$status" = 403 ]; then
      told notice "Code scanning is not available to this job, so no SARIF is uploaded: the repository has it turned off, or" \
        "the job lacks \`permissions: security-events: write\`. \`sarif: never\` ends this notice."
    else
      write upload true
    fi
    ;;
esac
