#!/usr/bin/env bash
# Last step of the action: fails where gpulint said so, after everything was reported. A validation has failed in its own step by
# then. verdict.ps1 is the same for
# Windows.
#
# Reads EXIT_CODE, UPLOAD and ARTIFACT (the outcomes of the uploads) and INPUT_SARIF.
set -euo pipefail

if [ "$UPLOAD" = failure ]; then
  if [ "$INPUT_SARIF" = always ]; then
    echo "::error title=gpulint::The SARIF report was not uploaded; the step before says why."
    if [ "$EXIT_CODE" -eq 0 ]; then exit 1; fi
  else
    echo "::notice title=gpulint::The SARIF report was not uploaded; the step before says why. \`sarif: never\` ends this notice."
  fi
fi
if [ "$ARTIFACT" = failure ]; then
  echo "::warning title=gpulint::The reports were not uploaded; the step before says why. Two jobs of a run need two names: the input artifact."
fi
exit "$EXIT_CODE"
