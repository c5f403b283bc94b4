#!/usr/bin/env bash
# Prints the version of Cargo.toml, once nothing contradicts it: the changelog has a section for it, and a tag that is
# named (v1.2.3) names it.
#
#     packaging/release/version.sh [TAG]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
if [ "$#" -gt 0 ] && [ "$1" != "v$version" ]; then
  echo "the tag is $1, and Cargo.toml says $version: the tag must be v$version" >&2
  exit 1
fi
if ! grep -qF "## [$version]" CHANGELOG.md; then
  echo "CHANGELOG.md has no section \"## [$version]\": write down there what changes for users" >&2
  exit 1
fi
echo "$version"
