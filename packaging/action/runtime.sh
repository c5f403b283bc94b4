#!/usr/bin/env bash
# Third step of the runtime stage: one validation with all its reports. runtime.ps1 is the same for Windows.
#
# Reads BINARY and INPUT_*. Ends with the code of gpulint; what follows in the action runs all the same.
set -euo pipefail

# told LEVEL SENTENCE…: one annotation.
told() {
  local level=$1
  shift
  echo "::$level title=gpulint::$*"
}

write() {
  echo "$1=$2" >> "$GITHUB_OUTPUT"
}

reports=$(mktemp -d "$RUNNER_TEMP/gpulint-reports-XXXXXX")
# Before anything runs: also what a validation leaves that is cancelled is evidence.
write report "$reports"
# Programs under test run below gpulint. What they wrote into these files would be the outcome of this step, or run in later
# ones; and the tokens are not theirs either.
withheld=()
for name in GITHUB_ENV GITHUB_OUTPUT GITHUB_PATH GITHUB_STATE GITHUB_STEP_SUMMARY "${!ACTIONS_@}"; do
  withheld+=(-u "$name")
done
command=(env "${withheld[@]}" "$BINARY" validate "--output=json=$reports/gpulint.json" "--output=markdown=$reports/gpulint.md")
command+=("--output=html=$reports/gpulint.html" "--output=junit=$reports/gpulint.xml")
if [ -n "$INPUT_CONFIG" ]; then command+=("--config=$INPUT_CONFIG"); fi
if [ -n "$INPUT_JOBS" ]; then command+=("--jobs=$INPUT_JOBS"); fi
IFS=', ' read -ra profiles <<< "$INPUT_PROFILE"
for profile in ${profiles[@]+"${profiles[@]}"}; do
  command+=("--profile=$profile")
done

# GitHub tells the program of a step that its job is cancelled, and none that it started. gpulint then ends what is on the
# card; what it leaves running is killed ten seconds later.
running=
interrupted=
pass_on() {
  interrupted=yes
  if [ -n "$running" ]; then kill -TERM "$running" 2> /dev/null || true; fi
}
trap pass_on INT TERM HUP
# With job control, because programs in the background are otherwise deaf to Ctrl-C, and so is all that they start.
set -m
"${command[@]}" &
running=$!
set +m
if [ -n "$interrupted" ]; then pass_on; fi
while :; do
  interrupted=
  code=0
  wait "$running" || code=$?
  # A signal ends the wait, and not what is waited for.
  if [ -z "$interrupted" ]; then break; fi
done

# Whoever found the files all the same has written for nothing.
for file in "$GITHUB_OUTPUT" "${GITHUB_ENV:-}" "${GITHUB_PATH:-}" "${GITHUB_STATE:-}"; do
  if [ -n "$file" ]; then : > "$file"; fi
done
write report "$reports"
write exit-code "$code"
case $code in
  0) verdict=approved ;;
  1) verdict=approved_with_minor_corrections ;;
  2) verdict=unusable ;;
  4) verdict=rejected ;;
  5) verdict=environment_invalid ;;
  6) verdict=infrastructure ;;
  *) verdict=crashed ;;
esac
write verdict "$verdict"
if [ -s "$reports/gpulint.json" ]; then write json "$reports/gpulint.json"; fi
# GitHub shows nothing of a summary above 1024 KiB.
page=$reports/gpulint.md
if [ "$INPUT_SUMMARY" = true ] && [ -s "$page" ]; then
  if [ "$(wc -c < "$page")" -le 1048576 ]; then
    cat "$page" >> "$GITHUB_STEP_SUMMARY"
  else
    # Without the line that is cut in two.
    head -c 1000000 "$page" | sed '$d' >> "$GITHUB_STEP_SUMMARY"
    printf '\n\nThe page goes on; GitHub shows no more of it. All of it is in the reports.\n' >> "$GITHUB_STEP_SUMMARY"
  fi
fi
case $verdict in
  approved) ;;
  approved_with_minor_corrections) told warning "approved with minor corrections; the log of this step says why" ;;
  rejected) told error "rejected; the log of this step says why" ;;
  environment_invalid) told error "no verdict, because the GPU is wrong, forbidden or not there; the log of this step says more" ;;
  infrastructure) told error "no verdict, because a required check could not run; the log of this step says which" ;;
  *) told error "no verdict: gpulint ended with exit code $code; the log of this step says why" ;;
esac
# Not the output `exit-code`: a file can be forged, and this cannot.
exit "$code"
