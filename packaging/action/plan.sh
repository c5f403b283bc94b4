#!/usr/bin/env bash
# First step of the action: refuses inputs that make no sense, before minutes are spent on them, and decides where the
# binary comes from. plan.ps1 is the same for Windows.
#
# Reads INPUT_* and what GitHub sets. Writes to GITHUB_OUTPUT: `source` (given, download or build), `binary` (where it
# is, or will be), `archive` and `checksum` of a download, `cache-key` of a build; `exit-code` and `verdict` when refused.
# forks.sh says whether the runtime stage may run at all.
set -euo pipefail

# told LEVEL SENTENCE…: one annotation. A text of others must not begin a line of its own: GitHub would obey it.
told() {
  local level=$1
  shift
  local text="$*"
  text=${text//\%/%25}
  text=${text//$'\r'/%0D}
  text=${text//$'\n'/%0A}
  echo "::$level title=gpulint::$text"
}

# refuse SENTENCE…: ends the action.
verdict=unusable
refuse() {
  told error "$@"
  { echo "exit-code=2"; echo "verdict=$verdict"; } >> "$GITHUB_OUTPUT"
  exit 2
}

# one_of INPUT VALUE WORD…: the value is one of the words.
one_of() {
  local input=$1 value=$2 word words
  shift 2
  for word in "$@"; do
    if [ "$value" = "$word" ]; then return; fi
  done
  words="$*"
  refuse "the input $input is \`$value\`; it must be one of: ${words// /, }"
}

# only_for STAGE INPUT VALUE DEFAULT: what the other stage would pass over in silence is not set.
only_for() {
  if [ "$INPUT_STAGE" != "$1" ] && [ "$3" != "$4" ]; then
    refuse "the input $2 is one of \`stage: $1\`, and this is \`stage: $INPUT_STAGE\`"
  fi
}

rank() {
  case $1 in note) echo 1 ;; error) echo 3 ;; *) echo 2 ;; esac
}

one_of stage "$INPUT_STAGE" check runtime
only_for check paths "$INPUT_PATHS" .
only_for check select "$INPUT_SELECT" ""
only_for check ignore "$INPUT_IGNORE" ""
only_for check min-severity "$INPUT_MIN_SEVERITY" ""
only_for check fail-on "$INPUT_FAIL_ON" ""
only_for check mode "$INPUT_MODE" ""
only_for check baseline "$INPUT_BASELINE" ""
only_for check args "$INPUT_ARGS" ""
only_for check since "$INPUT_SINCE" auto
only_for check annotations "$INPUT_ANNOTATIONS" true
only_for check sarif "$INPUT_SARIF" auto
only_for check sarif-category "$INPUT_SARIF_CATEGORY" gpulint
only_for runtime profile "$INPUT_PROFILE" ""
only_for runtime jobs "$INPUT_JOBS" ""
only_for runtime allow-forks "$INPUT_ALLOW_FORKS" false
only_for runtime artifact "$INPUT_ARTIFACT" gpulint-validation
if [ -n "$INPUT_MIN_SEVERITY" ]; then one_of min-severity "$INPUT_MIN_SEVERITY" note warning error; fi
if [ -n "$INPUT_FAIL_ON" ]; then one_of fail-on "$INPUT_FAIL_ON" note warning error; fi
if [ -n "$INPUT_MODE" ]; then one_of mode "$INPUT_MODE" gpu cpu; fi
one_of sarif "$INPUT_SARIF" auto always never
one_of annotations "$INPUT_ANNOTATIONS" true false
one_of summary "$INPUT_SUMMARY" true false
one_of allow-forks "$INPUT_ALLOW_FORKS" true false
if [ "$(rank "$INPUT_MIN_SEVERITY")" -gt "$(rank "$INPUT_FAIL_ON")" ]; then
  refuse "min-severity hides findings that the step would fail for: with min-severity $INPUT_MIN_SEVERITY," \
    "fail-on must be $INPUT_MIN_SEVERITY as well"
fi
# Programs repeat such a word in their complaints, and a line of its own would be obeyed by GitHub.
for name in CONFIG SELECT IGNORE BASELINE SINCE VERSION BINARY BINARY_SHA256 WORKING_DIRECTORY PROFILE JOBS ARTIFACT; do
  value=INPUT_$name
  case ${!value} in
    *$'\n'* | *$'\r'*) refuse "the input $(tr '[:upper:]_' '[:lower:]-' <<< "$name") has more than one line" ;;
  esac
done
case $INPUT_SINCE in
  "") refuse "the input since is empty; it must be auto, none, or a commit, branch or tag" ;;
  -*) refuse "the input since is \`$INPUT_SINCE\`, and no commit, branch or tag begins with a dash" ;;
esac
while IFS= read -r word; do
  word=${word%$'\r'}
  case $word in
    "") ;;
    -- | --format*) refuse "the input args has the line \`$word\`, which the step itself says: the inputs paths and annotations are for that" ;;
    -?*) ;;
    *) refuse "the input args has the line \`$word\`, which is no option; the input paths names what is checked" ;;
  esac
done <<< "$INPUT_ARGS"
if [ -z "${INPUT_PATHS//[[:space:]]/}" ]; then refuse "the input paths is empty; \`.\` stands for everything"; fi
IFS=', ' read -ra profiles <<< "$INPUT_PROFILE"
for profile in ${profiles[@]+"${profiles[@]}"}; do
  one_of profile "$profile" leak burn
done
case $INPUT_JOBS in
  *[!0-9]* | 0*) refuse "the input jobs is \`$INPUT_JOBS\`, which is no number of workers" ;;
esac
case $INPUT_BINARY_SHA256 in
  *[!0-9a-f]*) refuse "the input binary-sha256 is \`$INPUT_BINARY_SHA256\`, which is no SHA-256 in small letters" ;;
esac
if [ -n "$INPUT_VERSION" ] && [ -n "$INPUT_BINARY" ]; then
  refuse "the inputs version and binary contradict each other: a binary that is there is taken as it is"
fi
if [ -n "$INPUT_BINARY_SHA256" ] && [ -z "$INPUT_BINARY" ]; then
  refuse "the input binary-sha256 is about the input binary, which is empty"
fi
case $INPUT_ARTIFACT in
  *[\"\\:\<\>\|\*\?/]*) refuse "the input artifact is \`$INPUT_ARTIFACT\`, and no artifact may have one of \" : < > | * ? / \\ in its name" ;;
esac
if [ ! -d "$INPUT_WORKING_DIRECTORY" ]; then
  refuse "the input working-directory is \`$INPUT_WORKING_DIRECTORY\`, which is no folder; does the job check out first?"
fi

# Of what the event does not say, and of a failure to ask, the answer is no.
if [ "$INPUT_STAGE" = runtime ]; then
  verdict=refused
  whose=$("$GITHUB_ACTION_PATH/packaging/action/forks.sh") || whose="whose code this is cannot be told"
  if [ -n "$whose" ] && [ "$INPUT_ALLOW_FORKS" = true ]; then
    told warning "$whose, and allow-forks lets it run on this machine"
  elif [ -n "$whose" ]; then
    refuse "$whose. Code of others would run on this machine, with its GPU, its network and all that is kept on it; GitHub" \
      "recommends runners of one's own for private repositories only. \`allow-forks: true\` lets it run."
  fi
  verdict=unusable
fi

write() {
  echo "$1=$2" >> "$GITHUB_OUTPUT"
}

sum() {
  if command -v sha256sum > /dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

is_pull_request() {
  case ${GITHUB_EVENT_NAME:-} in pull_request*) return 0 ;; *) return 1 ;; esac
}

# is_in_workspace FILE: as it is named, or as what it is a link to.
is_in_workspace() {
  local workspace file
  if [ -z "${GITHUB_WORKSPACE:-}" ]; then return 1; fi
  workspace=$(cd "$GITHUB_WORKSPACE" && pwd -P)
  for file in "$1" "$(cd "$(dirname "$1")" && pwd -P)/" "$(realpath "$1" 2> /dev/null || echo "$1")"; do
    case $file in "$workspace"/* | "$GITHUB_WORKSPACE"/*) return 0 ;; esac
  done
  return 1
}

if [ -n "$INPUT_BINARY" ]; then
  if [ ! -f "$INPUT_BINARY" ]; then refuse "the input binary is \`$INPUT_BINARY\`, which is no file"; fi
  if [ ! -x "$INPUT_BINARY" ]; then refuse "the input binary is \`$INPUT_BINARY\`, which may not be executed"; fi
  binary=$(cd "$(dirname "$INPUT_BINARY")" && pwd)/$(basename "$INPUT_BINARY")
  if [ -n "$INPUT_BINARY_SHA256" ]; then
    # A copy, so that nothing that runs later can put another file in its place.
    mkdir -p "$RUNNER_TEMP/gpulint-given"
    cp "$binary" "$RUNNER_TEMP/gpulint-given/gpulint"
    binary=$RUNNER_TEMP/gpulint-given/gpulint
    got=$(sum "$binary")
    if [ "${got%% *}" != "$INPUT_BINARY_SHA256" ]; then
      refuse "the input binary is \`$INPUT_BINARY\`, which has the SHA-256 ${got%% *}, and not $INPUT_BINARY_SHA256 of binary-sha256"
    fi
  elif is_pull_request && is_in_workspace "$binary"; then
    refuse "the input binary is \`$INPUT_BINARY\`, which lies in the workspace: a pull request brings its own gpulint there, and" \
      "with it its own verdict. Name one outside of it, or say with binary-sha256 which one it must be."
  fi
  write source given
  write binary "$binary"
  exit
fi

own=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1)
version=${INPUT_VERSION#v}
version=${version:-$own}
case ${RUNNER_OS:-}-${RUNNER_ARCH:-} in
  Linux-X64) target=x86_64-unknown-linux-musl ;;
  Linux-ARM64) target=aarch64-unknown-linux-musl ;;
  macOS-X64) target=x86_64-apple-darwin ;;
  macOS-ARM64) target=aarch64-apple-darwin ;;
  *) target=none ;;
esac
archive=gpulint-$version-$target.tar.gz
checksum=$(awk -v archive="$archive" '$2 == archive { print $1 }' "$GITHUB_ACTION_PATH/packaging/checksums.txt")
if [ -n "$checksum" ]; then
  write source download
  write archive "$archive"
  write checksum "$checksum"
  write binary "$RUNNER_TEMP/gpulint-$version/gpulint"
  exit
fi

if [ "$version" != "$own" ]; then
  refuse "the input version is \`$INPUT_VERSION\`, and packaging/checksums.txt of this action knows no such release for this runner." \
    "The action's own is $own; another version of the action knows others."
fi
if ! command -v cargo > /dev/null; then
  refuse "cargo was not found. No binary of gpulint $version is released for this runner, so it is built from source:" \
    "set up Rust before this step, or name a binary with the input binary."
fi
# All that a build depends on. GitHub's own hashFiles sees only the workspace, and the action does not lie there.
sources=$(cd "$GITHUB_ACTION_PATH" && find Cargo.toml Cargo.lock crates rules src -type f | LC_ALL=C sort | while IFS= read -r file; do sum "$file"; done | sum)
compiler=$(cd "$GITHUB_ACTION_PATH" && rustc --version | sum)
write source build
write binary "$RUNNER_TEMP/gpulint-build/gpulint"
write cache-key "gpulint-${RUNNER_OS:-}-${RUNNER_ARCH:-}-${compiler:0:12}-${sources:0:40}"
