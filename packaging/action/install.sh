#!/usr/bin/env bash
# Second step of the action: puts the binary where the plan says. install.ps1 is the same for Windows.
#
# Reads SOURCE, BINARY, ARCHIVE and CHECKSUM. GPULINT_DOWNLOADS may name a mirror of the releases: the checksum says
# whether what lies there is the release.
set -euo pipefail

fail() {
  echo "::error title=gpulint::$*"
  exit 2
}

build() {
  if [ -x "$BINARY" ]; then
    echo "gpulint was built by an earlier run."
    return
  fi
  # In gpulint's own folder and without the job's settings: a rust-toolchain.toml, a .cargo/config.toml, a target or
  # compiler flags of the checked project are not meant for gpulint.
  cd "$GITHUB_ACTION_PATH"
  unset CARGO_BUILD_TARGET CARGO_ENCODED_RUSTFLAGS RUSTFLAGS
  local target_dir=$RUNNER_TEMP/gpulint-target
  cargo build --release --locked --bin gpulint --manifest-path "$GITHUB_ACTION_PATH/Cargo.toml" --target-dir "$target_dir"
  # Alone in its folder: that folder is what the cache keeps.
  mkdir -p "$(dirname "$BINARY")"
  cp "$target_dir/release/gpulint" "$BINARY"
}

download() {
  local base=${GPULINT_DOWNLOADS:-https://github.com/OWNER/gpulint/releases/download}
  local version=${ARCHIVE#gpulint-}
  # Of gpulint-1.0.0-rc.1-x86_64-unknown-linux-musl.tar.gz the version ends before the processor.
  version=${version%-x86_64*}
  version=${version%-aarch64*}
  local folder
  folder=$(dirname "$BINARY")
  mkdir -p "$folder"
  curl --fail --silent --show-error --location --retry 3 --output "$folder/$ARCHIVE" "$base/v$version/$ARCHIVE" ||
    fail "$base/v$version/$ARCHIVE cannot be downloaded; the input binary takes a gpulint that is there already"
  local got
  if command -v sha256sum > /dev/null; then got=$(sha256sum "$folder/$ARCHIVE"); else got=$(shasum -a 256 "$folder/$ARCHIVE"); fi
  if [ "${got%% *}" != "$CHECKSUM" ]; then
    rm -f "$folder/$ARCHIVE"
    fail "$ARCHIVE has the SHA-256 ${got%% *}, and not $CHECKSUM of packaging/checksums.txt; it was deleted"
  fi
  tar -xzf "$folder/$ARCHIVE" -C "$folder" --strip-components 1
}

case $SOURCE in
  given) ;;
  download) download ;;
  build) build ;;
  *) fail "the step before says neither where gpulint is nor how to get it" ;;
esac
"$BINARY" --version || fail "$BINARY does not run on this machine"
