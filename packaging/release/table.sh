#!/usr/bin/env bash
# Writes packaging/checksums.txt, the table that the action trusts, from the archives of a release in a folder.
#
#     packaging/release/table.sh FOLDER
set -euo pipefail
folder=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sums=$(cd "$folder" && sha256sum gpulint-*.tar.gz gpulint-*.zip)
{
  echo "# SHA-256 of the archives of the release that this checkout of the action downloads, as \`sha256sum\` prints them."
  echo "# Written by packaging/release/table.sh. Without a line for the runner's platform the action builds gpulint from"
  echo "# its own checkout."
  echo "$sums"
} > checksums.txt
