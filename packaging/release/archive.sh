#!/usr/bin/env bash
# Packs one binary as users and the action download it: gpulint-VERSION-TARGET.tar.gz with one folder of that name, or
# a .zip without one for Windows. Prints the name of the archive.
#
#     packaging/release/archive.sh BINARY TARGET FOLDER
set -euo pipefail
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
target=$2
mkdir -p "$3"
folder=$(cd "$3" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
name=gpulint-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$name"
cp "$binary" README.md LICENSE-MIT LICENSE-APACHE CHANGELOG.md "$work/$name/"
case $target in
  *windows*)
    archive=$name.zip
    # The standard library of Python packs, since not every runner has zip.
    (cd "$work/$name" && "$(command -v python3 || command -v python)" -m zipfile -c "../$archive" ./*)
    ;;
  *)
    archive=$name.tar.gz
    tar -czf "$work/$archive" -C "$work" "$name"
    ;;
esac
mv "$work/$archive" "$folder/$archive"
echo "$archive"
