# Last step of the action on Windows: see verdict.sh, of which this is the translation.
$ErrorActionPreference = 'Stop'
$code = [int]$env:EXIT_CODE
if ($env:UPLOAD -eq 'failure') {
    if ($env:INPUT_SARIF -eq 'always') {
        Write-Output '::error title=gpulint::The SARIF report was not uploaded; the step before says why.'
        if ($code -eq 0) { exit 1 }
    } else {
        Write-Output '::notice title=gpulint::The SARIF report was not uploaded; the step before says why. `sarif: never` ends this notice.'
    }
}
if ($env:ARTIFACT -eq 'failure') {
    Write-Output '::warning title=gpulint::The reports were not uploaded; the step before says why. Two jobs of a run need two names: the input artifact.'
}
exit $code
