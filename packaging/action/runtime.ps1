# Third step of the runtime stage on Windows: see runtime.sh, of which this is the translation. Windows itself tells all
# programs of a console that they are to end.
# What programs write to standard error must not end the script, so errors do not stop it by themselves.
$ErrorActionPreference = 'Continue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false

function Add-Output($name, $value) {
    [IO.File]::AppendAllText($env:GITHUB_OUTPUT, "$name=$value`n")
}

function Write-Annotation($level, $text) {
    Write-Host "::$level title=gpulint::$text"
}

$reports = Join-Path $env:RUNNER_TEMP ('gpulint-reports-' + [Guid]::NewGuid().ToString('N').Substring(0, 6))
New-Item -ItemType Directory -Path $reports | Out-Null
Add-Output 'report' $reports
$json = Join-Path $reports 'gpulint.json'
$page = Join-Path $reports 'gpulint.md'
$arguments = @('validate', "--output=json=$json", "--output=markdown=$page")
$arguments += "--output=html=$(Join-Path $reports 'gpulint.html')"
$arguments += "--output=junit=$(Join-Path $reports 'gpulint.xml')"
if ($env:INPUT_CONFIG) { $arguments += "--config=$env:INPUT_CONFIG" }
if ($env:INPUT_JOBS) { $arguments += "--jobs=$env:INPUT_JOBS" }
$arguments += @("$env:INPUT_PROFILE" -split '[, ]+' | Where-Object { $_ } | ForEach-Object { "--profile=$_" })
# Programs under test run below gpulint. What they wrote into these files would be the outcome of this step, or run in later
# ones; and the tokens are not theirs either.
$withheld = @('GITHUB_ENV', 'GITHUB_OUTPUT', 'GITHUB_PATH', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY')
$withheld += @(Get-ChildItem Env: | Where-Object { $_.Name -like 'ACTIONS_*' } | ForEach-Object { $_.Name })
$values = @{}
foreach ($name in $withheld) {
    $values[$name] = [Environment]::GetEnvironmentVariable($name)
    [Environment]::SetEnvironmentVariable($name, $null)
}
& $env:BINARY @arguments
$code = $LASTEXITCODE
foreach ($name in $withheld) { [Environment]::SetEnvironmentVariable($name, $values[$name]) }
# Whoever found the files all the same has written for nothing.
foreach ($file in $env:GITHUB_OUTPUT, $env:GITHUB_ENV, $env:GITHUB_PATH, $env:GITHUB_STATE) {
    if ($file) { [IO.File]::WriteAllText($file, '') }
}
Add-Output 'report' $reports

Add-Output 'exit-code' $code
$verdicts = @{
    0 = 'approved'; 1 = 'approved_with_minor_corrections'; 2 = 'unusable'; 4 = 'rejected'; 5 = 'environment_invalid'
    6 = 'infrastructure'
}
$verdict = if ($verdicts.ContainsKey($code)) { $verdicts[$code] } else { 'crashed' }
Add-Output 'verdict' $verdict
if ((Test-Path -LiteralPath $json) -and (Get-Item -LiteralPath $json).Length) { Add-Output 'json' $json }
# GitHub shows nothing of a summary above 1024 KiB.
if ($env:INPUT_SUMMARY -eq 'true' -and (Test-Path -LiteralPath $page)) {
    $bytes = [IO.File]::ReadAllBytes($page)
    $text = [Text.Encoding]::UTF8.GetString($bytes)
    if ($bytes.Length -gt 1048576) {
        $text = [Text.Encoding]::UTF8.GetString($bytes, 0, 1000000)
        # Without the line that is cut in two.
        $text = $text.Substring(0, $text.LastIndexOf("`n") + 1) +
            "`n`nThe page goes on; GitHub shows no more of it. All of it is in the reports.`n"
    }
    [IO.File]::AppendAllText($env:GITHUB_STEP_SUMMARY, $text)
}
switch ($verdict) {
    'approved' { }
    'approved_with_minor_corrections' {
        Write-Annotation 'warning' 'approved with minor corrections; the log of this step says why'
    }
    'rejected' { Write-Annotation 'error' 'rejected; the log of this step says why' }
    'environment_invalid' {
        Write-Annotation 'error' 'no verdict, because the GPU is wrong, forbidden or not there; the log of this step says more'
    }
    'infrastructure' {
        Write-Annotation 'error' 'no verdict, because a required check could not run; the log of this step says which'
    }
    default { Write-Annotation 'error' "no verdict: gpulint ended with exit code $code; the log of this step says why" }
}
# Not the output `exit-code`: a file can be forged, and this cannot.
exit $code
