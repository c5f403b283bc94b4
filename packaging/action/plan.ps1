# First step of the action on Windows, also where there is no bash: see plan.sh, of which this is the translation.
# Written for Windows PowerShell 5.1, which every Windows has, and for PowerShell 7.
$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false

function Add-Output($name, $value) {
    [IO.File]::AppendAllText($env:GITHUB_OUTPUT, "$name=$value`n")
}

function Write-Annotation($level, $text) {
    $text = $text.Replace('%', '%25').Replace("`r", '%0D').Replace("`n", '%0A')
    Write-Host "::$level title=gpulint::$text"
}

function Deny($text, $verdict = 'unusable') {
    Write-Annotation 'error' $text
    Add-Output 'exit-code' 2
    Add-Output 'verdict' $verdict
    exit 2
}

function Assert-OneOf($name, $value, $words) {
    if ($words -cnotcontains $value) {
        Deny "the input $name is ``$value``; it must be one of: $($words -join ', ')"
    }
}

# What the other stage would pass over in silence is not set.
function Assert-OnlyFor($stage, $name, $value, $default) {
    if ($env:INPUT_STAGE -cne $stage -and $value -cne $default) {
        Deny "the input $name is one of ``stage: $stage``, and this is ``stage: $env:INPUT_STAGE``"
    }
}

function Get-Rank($severity) {
    $ranks = @{ note = 1; warning = 2; error = 3 }
    if ($severity) { $ranks[$severity] } else { $ranks['warning'] }
}

# A variable that is set to nothing does not exist for PowerShell.
Assert-OneOf 'stage' "$env:INPUT_STAGE" @('check', 'runtime')
Assert-OnlyFor 'check' 'paths' "$env:INPUT_PATHS" '.'
Assert-OnlyFor 'check' 'select' "$env:INPUT_SELECT" ''
Assert-OnlyFor 'check' 'ignore' "$env:INPUT_IGNORE" ''
Assert-OnlyFor 'check' 'min-severity' "$env:INPUT_MIN_SEVERITY" ''
Assert-OnlyFor 'check' 'fail-on' "$env:INPUT_FAIL_ON" ''
Assert-OnlyFor 'check' 'mode' "$env:INPUT_MODE" ''
Assert-OnlyFor 'check' 'baseline' "$env:INPUT_BASELINE" ''
Assert-OnlyFor 'check' 'args' "$env:INPUT_ARGS" ''
Assert-OnlyFor 'check' 'since' "$env:INPUT_SINCE" 'auto'
Assert-OnlyFor 'check' 'annotations' "$env:INPUT_ANNOTATIONS" 'true'
Assert-OnlyFor 'check' 'sarif' "$env:INPUT_SARIF" 'auto'
Assert-OnlyFor 'check' 'sarif-category' "$env:INPUT_SARIF_CATEGORY" 'gpulint'
Assert-OnlyFor 'runtime' 'profile' "$env:INPUT_PROFILE" ''
Assert-OnlyFor 'runtime' 'jobs' "$env:INPUT_JOBS" ''
Assert-OnlyFor 'runtime' 'allow-forks' "$env:INPUT_ALLOW_FORKS" 'false'
Assert-OnlyFor 'runtime' 'artifact' "$env:INPUT_ARTIFACT" 'gpulint-validation'
$severity = "$env:INPUT_MIN_SEVERITY"
$failing = "$env:INPUT_FAIL_ON"
if ($severity) { Assert-OneOf 'min-severity' $severity @('note', 'warning', 'error') }
if ($failing) { Assert-OneOf 'fail-on' $failing @('note', 'warning', 'error') }
if ($env:INPUT_MODE) { Assert-OneOf 'mode' $env:INPUT_MODE @('gpu', 'cpu') }
Assert-OneOf 'sarif' "$env:INPUT_SARIF" @('auto', 'always', 'never')
Assert-OneOf 'annotations' "$env:INPUT_ANNOTATIONS" @('true', 'false')
Assert-OneOf 'summary' "$env:INPUT_SUMMARY" @('true', 'false')
Assert-OneOf 'allow-forks' "$env:INPUT_ALLOW_FORKS" @('true', 'false')
if ((Get-Rank $severity) -gt (Get-Rank $failing)) {
    Deny ("min-severity hides findings that the step would fail for: with min-severity $severity, " +
        "fail-on must be $severity as well")
}
# Programs repeat such a word in their complaints, and a line of its own would be obeyed by GitHub.
foreach ($name in 'CONFIG', 'SELECT', 'IGNORE', 'BASELINE', 'SINCE', 'VERSION', 'BINARY', 'BINARY_SHA256', 'WORKING_DIRECTORY', 'PROFILE', 'JOBS', 'ARTIFACT') {
    if ([Environment]::GetEnvironmentVariable("INPUT_$name") -match '[\r\n]') {
        Deny "the input $($name.ToLowerInvariant().Replace('_', '-')) has more than one line"
    }
}
if (-not $env:INPUT_SINCE) {
    Deny 'the input since is empty; it must be auto, none, or a commit, branch or tag'
}
if ($env:INPUT_SINCE.StartsWith('-')) {
    Deny "the input since is ``$env:INPUT_SINCE``, and no commit, branch or tag begins with a dash"
}
foreach ($word in "$env:INPUT_ARGS" -split "`r?`n" | Where-Object { $_ }) {
    if ($word -ceq '--' -or $word.StartsWith('--format')) {
        Deny "the input args has the line ``$word``, which the step itself says: the inputs paths and annotations are for that"
    }
    if ($word -notmatch '^-.') { Deny "the input args has the line ``$word``, which is no option; the input paths names what is checked" }
}
if (-not "$env:INPUT_PATHS".Trim()) { Deny 'the input paths is empty; `.` stands for everything' }
foreach ($profile_name in "$env:INPUT_PROFILE" -split '[, ]+' | Where-Object { $_ }) {
    Assert-OneOf 'profile' $profile_name @('leak', 'burn')
}
if ($env:INPUT_JOBS -and $env:INPUT_JOBS -notmatch '^[1-9][0-9]*$') {
    Deny "the input jobs is ``$env:INPUT_JOBS``, which is no number of workers"
}
if ("$env:INPUT_BINARY_SHA256" -cmatch '[^0-9a-f]') {
    Deny "the input binary-sha256 is ``$env:INPUT_BINARY_SHA256``, which is no SHA-256 in small letters"
}
if ($env:INPUT_VERSION -and $env:INPUT_BINARY) {
    Deny 'the inputs version and binary contradict each other: a binary that is there is taken as it is'
}
if ($env:INPUT_BINARY_SHA256 -and -not $env:INPUT_BINARY) {
    Deny 'the input binary-sha256 is about the input binary, which is empty'
}
if ("$env:INPUT_ARTIFACT" -match '["\\:<>|*?/]') {
    Deny "the input artifact is ``$env:INPUT_ARTIFACT``, and no artifact may have one of `" : < > | * ? / \ in its name"
}
if (-not (Test-Path -LiteralPath "$env:INPUT_WORKING_DIRECTORY" -PathType Container)) {
    Deny "the input working-directory is ``$env:INPUT_WORKING_DIRECTORY``, which is no folder; does the job check out first?"
}
# Windows PowerShell hands arguments on as one line, in which a quote would begin another argument.
foreach ($name in 'PATHS', 'ARGS', 'CONFIG', 'SELECT', 'IGNORE', 'BASELINE', 'SINCE') {
    if ([Environment]::GetEnvironmentVariable("INPUT_$name") -match '"') {
        Deny "the input $($name.ToLowerInvariant()) holds a double quote, which no name on Windows does"
    }
}

# Of what the event does not say, and of a failure to ask, the answer is no.
if ($env:INPUT_STAGE -ceq 'runtime') {
    try { $whose = & "$env:GITHUB_ACTION_PATH/packaging/action/forks.ps1" } catch { $whose = 'whose code this is cannot be told' }
    if ($whose -and $env:INPUT_ALLOW_FORKS -ceq 'true') {
        Write-Annotation 'warning' "$whose, and allow-forks lets it run on this machine"
    } elseif ($whose) {
        Deny ("$whose. Code of others would run on this machine, with its GPU, its network and all that is kept on it; GitHub " +
            'recommends runners of one''s own for private repositories only. `allow-forks: true` lets it run.') 'refused'
    }
}

if ($env:INPUT_BINARY) {
    if (-not (Test-Path -LiteralPath $env:INPUT_BINARY -PathType Leaf)) {
        Deny "the input binary is ``$env:INPUT_BINARY``, which is no file"
    }
    $binary = (Resolve-Path -LiteralPath $env:INPUT_BINARY).ProviderPath
    if ($env:INPUT_BINARY_SHA256) {
        # A copy, so that nothing that runs later can put another file in its place.
        $folder = Join-Path $env:RUNNER_TEMP 'gpulint-given'
        New-Item -ItemType Directory -Path $folder -Force | Out-Null
        Copy-Item -LiteralPath $binary -Destination (Join-Path $folder 'gpulint.exe') -Force
        $binary = Join-Path $folder 'gpulint.exe'
        $got = (Get-FileHash -Algorithm SHA256 -LiteralPath $binary).Hash.ToLowerInvariant()
        if ($got -cne $env:INPUT_BINARY_SHA256) {
            Deny ("the input binary is ``$env:INPUT_BINARY``, which has the SHA-256 $got, and not $env:INPUT_BINARY_SHA256 of " +
                'binary-sha256')
        }
    } elseif ("$env:GITHUB_EVENT_NAME".StartsWith('pull_request') -and $env:GITHUB_WORKSPACE -and
        $binary.StartsWith($env:GITHUB_WORKSPACE.TrimEnd('\', '/') + [IO.Path]::DirectorySeparatorChar, 'OrdinalIgnoreCase')) {
        Deny ("the input binary is ``$env:INPUT_BINARY``, which lies in the workspace: a pull request brings its own gpulint there, " +
            'and with it its own verdict. Name one outside of it, or say with binary-sha256 which one it must be.')
    }
    Add-Output 'source' 'given'
    Add-Output 'binary' $binary
    exit 0
}

$manifest = Get-Content -LiteralPath (Join-Path $env:GITHUB_ACTION_PATH 'Cargo.toml')
$own = ($manifest | Select-String -Pattern '^version = "(.*)"$' | Select-Object -First 1).Matches[0].Groups[1].Value
$version = if ($env:INPUT_VERSION) { $env:INPUT_VERSION -creplace '^v', '' } else { $own }
$target = if ($env:RUNNER_ARCH -eq 'X64') { 'x86_64-pc-windows-msvc' } else { 'none' }
$archive = "gpulint-$version-$target.zip"
$table = Join-Path (Join-Path $env:GITHUB_ACTION_PATH 'packaging') 'checksums.txt'
$checksum = Get-Content -LiteralPath $table | ForEach-Object { , ($_ -split '\s+') } |
    Where-Object { $_.Count -ge 2 -and $_[1] -ceq $archive } | ForEach-Object { $_[0] } | Select-Object -First 1
if ($checksum) {
    Add-Output 'source' 'download'
    Add-Output 'archive' $archive
    Add-Output 'checksum' $checksum
    Add-Output 'binary' (Join-Path (Join-Path $env:RUNNER_TEMP "gpulint-$version") 'gpulint.exe')
    exit 0
}

if ($version -cne $own) {
    Deny ("the input version is ``$env:INPUT_VERSION``, and packaging/checksums.txt of this action knows no such release for this runner. " +
        "The action's own is $own; another version of the action knows others.")
}
if (-not (Get-Command cargo -ErrorAction SilentlyContinue)) {
    Deny ("cargo was not found. No binary of gpulint $version is released for this runner, so it is built from " +
        'source: set up Rust before this step, or name a binary with the input binary.')
}
# All that a build depends on. GitHub's own hashFiles sees only the workspace, and the action does not lie there.
Push-Location -LiteralPath $env:GITHUB_ACTION_PATH
$files = @(Get-Item -LiteralPath 'Cargo.toml', 'Cargo.lock') + @(Get-ChildItem -Path 'crates', 'rules', 'src' -Recurse -File)
$lines = $files | Sort-Object -Property FullName | ForEach-Object {
    (Get-FileHash -Algorithm SHA256 -LiteralPath $_.FullName).Hash + ' ' + $_.FullName.Substring((Get-Location).ProviderPath.Length)
}
$lines = @($lines) + (rustc --version)
Pop-Location
$hasher = [Security.Cryptography.SHA256]::Create()
$digest = $hasher.ComputeHash([Text.Encoding]::UTF8.GetBytes($lines -join "`n"))
$sources = ([BitConverter]::ToString($digest) -replace '-', '').Substring(0, 40).ToLowerInvariant()
Add-Output 'source' 'build'
Add-Output 'binary' (Join-Path (Join-Path $env:RUNNER_TEMP 'gpulint-build') 'gpulint.exe')
Add-Output 'cache-key' "gpulint-$env:RUNNER_OS-$env:RUNNER_ARCH-$sources"
exit 0
