# Third step of the action on Windows: see check.sh, of which this is the translation.
# What programs write to standard error must not end the script, so errors do not stop it by themselves.
$ErrorActionPreference = 'Continue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
$env:GIT_TERMINAL_PROMPT = '0'
# Two questions to GitHub need it, and nothing else gets it.
$token = $env:TOKEN
Remove-Item -Path Env:TOKEN -ErrorAction SilentlyContinue

function Add-Output($name, $value) {
    [IO.File]::AppendAllText($env:GITHUB_OUTPUT, "$name=$value`n")
}

function Write-Annotation($level, $text) {
    $text = $text.Replace('%', '%25').Replace("`r", '%0D').Replace("`n", '%0A')
    Write-Host "::$level title=gpulint::$text"
}

if ("$token" -match '[^A-Za-z0-9_.=-]') {
    Write-Annotation 'error' 'The input token has a character that no token of GitHub has.'
    Add-Output 'exit-code' 2
    Add-Output 'verdict' 'unusable'
    exit 0
}

# The lines that git prints; nothing when it fails.
function Get-Git {
    $lines = @(git @args 2>&1 | Where-Object { $_ -isnot [Management.Automation.ErrorRecord] } | ForEach-Object { "$_" })
    if ($LASTEXITCODE -eq 0) { $lines }
}

function Test-Git {
    git @args 2>&1 | Out-Null
    $LASTEXITCODE -eq 0
}

# git fetch, with the token where actions/checkout kept no credentials of its own. GitHub refuses two.
function Test-Fetch {
    $server = if ($env:GITHUB_SERVER_URL) { $env:GITHUB_SERVER_URL } else { 'https://github.com' }
    $header = "http.$server/.extraheader"
    if (Test-Git config --get-all $header) { return Test-Git fetch --quiet --no-tags @args }
    $env:GIT_CONFIG_COUNT = '1'
    $env:GIT_CONFIG_KEY_0 = $header
    $env:GIT_CONFIG_VALUE_0 = 'AUTHORIZATION: basic ' + [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes("x-access-token:$token"))
    $fetched = Test-Git fetch --quiet --no-tags @args
    Remove-Item -Path Env:GIT_CONFIG_COUNT, Env:GIT_CONFIG_KEY_0, Env:GIT_CONFIG_VALUE_0
    $fetched
}

# Whether the commit is here, together with the one where HEAD left it; fetches what lacks for that.
function Get-History($commit) {
    if (Test-Git merge-base $commit HEAD) { return $true }
    $head = Get-Git rev-parse HEAD
    if ((Get-Git rev-parse --is-shallow-repository) -eq 'true') {
        foreach ($depth in 50, 1000) {
            if (-not (Test-Fetch "--depth=$depth" origin $commit $head)) { return $false }
            if (Test-Git merge-base $commit HEAD) { return $true }
        }
        if (-not (Test-Fetch --unshallow origin $commit $head)) { return $false }
    } elseif (-not (Test-Fetch origin $commit)) {
        return $false
    }
    Test-Git merge-base $commit HEAD
}

# The commit that the event is compared with; nothing when it cannot be had.
function Get-BaseOfEvent {
    $head = Get-Git rev-parse HEAD
    if (-not $head) { return }
    # A merge commit names its parents also where a shallow clone lacks them.
    $parents = @(Get-Git cat-file commit $head | Where-Object { $_ -match '^parent ' } | ForEach-Object { $_.Substring(7) })
    if ($env:GITHUB_EVENT_NAME -ceq 'pull_request' -and $head -eq $env:GITHUB_SHA -and $parents.Count -eq 2) {
        $base = $parents[0]
        if (-not (Test-Git cat-file -e "$base^{commit}")) {
            if (-not (Test-Fetch --depth=2 origin $head)) { return }
        }
        if (Test-Git merge-base $base HEAD) { return $base }
        return
    }
    if ($env:EVENT_BASE -and (Get-History $env:EVENT_BASE)) { return $env:EVENT_BASE }
}

# The commit of a branch or tag, which a clone of a single branch does not have yet.
function Get-NamedBase($name) {
    $commit = Get-Git rev-parse --verify --quiet "$name^{commit}"
    if (-not $commit) {
        if (-not (Test-Fetch --depth=1 origin ($name -replace '^origin/', ''))) { return }
        $commit = Get-Git rev-parse FETCH_HEAD
    }
    if (Get-History $commit) { return $commit }
}

$since = ''
switch -CaseSensitive ($env:INPUT_SINCE) {
    'none' { }
    'auto' {
        if ('pull_request', 'merge_group' -ccontains $env:GITHUB_EVENT_NAME) {
            $since = Get-BaseOfEvent
            if (-not $since) {
                Write-Annotation 'notice' ('What is new cannot be told: the base is not in this clone and cannot be ' +
                    'fetched. So the whole project is reported on. `fetch-depth: 0` of actions/checkout, or `since: none` here, ' +
                    'ends this notice.')
            }
        }
    }
    default {
        $since = Get-NamedBase $env:INPUT_SINCE
        if (-not $since) {
            Write-Annotation 'error' "The input since names ``$env:INPUT_SINCE``, which is neither in this clone nor can be fetched from origin."
            Add-Output 'exit-code' 2
            Add-Output 'verdict' 'unusable'
            exit 0
        }
    }
}

$reports = Join-Path $env:RUNNER_TEMP ('gpulint-reports-' + [Guid]::NewGuid().ToString('N').Substring(0, 6))
New-Item -ItemType Directory -Path $reports | Out-Null
$json = Join-Path $reports 'gpulint.json'
$sarif = Join-Path $reports 'gpulint.sarif'
$markdown = Join-Path $reports 'gpulint.md'
$format = if ($env:INPUT_ANNOTATIONS -eq 'true') { 'github' } else { 'concise' }
# On a runner of one's own, code of an earlier job could have written what a cache says.
$arguments = @('check', '--no-cache', "--format=$format", "--output=json=$json", "--output=sarif=$sarif", "--output=markdown=$markdown")
if ($env:INPUT_CONFIG) { $arguments += "--config=$env:INPUT_CONFIG" }
if ($env:INPUT_SELECT) { $arguments += "--select=$env:INPUT_SELECT" }
if ($env:INPUT_IGNORE) { $arguments += "--ignore=$env:INPUT_IGNORE" }
if ($env:INPUT_MIN_SEVERITY) { $arguments += "--min-severity=$env:INPUT_MIN_SEVERITY" }
if ($env:INPUT_FAIL_ON) { $arguments += "--fail-on=$env:INPUT_FAIL_ON" }
if ($env:INPUT_MODE) { $arguments += "--mode=$env:INPUT_MODE" }
if ($env:INPUT_BASELINE) { $arguments += "--baseline=$env:INPUT_BASELINE" }
if ($since) { $arguments += "--since=$since" }
$arguments += @("$env:INPUT_ARGS" -split "`r?`n" | Where-Object { $_ })
# A backslash at the end would escape the quote that Windows PowerShell puts behind it.
$paths = @($env:INPUT_PATHS -split "`r?`n" | ForEach-Object { $_.TrimEnd('\') } | Where-Object { $_ })
$arguments += '--'
$arguments += $paths
& $env:BINARY @arguments
$code = $LASTEXITCODE

Add-Output 'exit-code' $code
$verdicts = @{ 0 = 'passed'; 1 = 'failed'; 2 = 'unusable' }
Add-Output 'verdict' $(if ($verdicts.ContainsKey($code)) { $verdicts[$code] } else { 'crashed' })
if ($code -notin 0, 1 -or -not (Test-Path -LiteralPath $json)) { exit 0 }

Add-Output 'json' $json
Add-Output 'sarif' $sarif
$counts = ([IO.File]::ReadAllText($json) | ConvertFrom-Json).summary
Add-Output 'findings' ($counts.error + $counts.warning + $counts.note)
Add-Output 'errors' $counts.error
Add-Output 'warnings' $counts.warning
Add-Output 'notes' $counts.note
Add-Output 'suppressed' $counts.suppressed
Add-Output 'baselined' $counts.baselined
if ($env:INPUT_SUMMARY -eq 'true') {
    [IO.File]::AppendAllText($env:GITHUB_STEP_SUMMARY, [IO.File]::ReadAllText($markdown))
    if ($since) {
        # What a change means for the cards of programs that it does not touch is no finding.
        $arguments = @('map', '--format=markdown', "--since=$since")
        if ($env:INPUT_CONFIG) { $arguments += "--config=$env:INPUT_CONFIG" }
        if ($env:INPUT_MODE) { $arguments += "--mode=$env:INPUT_MODE" }
        # Of the further arguments, those that say which policy holds.
        $taken = $false
        foreach ($word in @("$env:INPUT_ARGS" -split "`r?`n" | Where-Object { $_ })) {
            if ($taken -or $word -match '^(--isolated$|--config|--mode)') { $arguments += $word }
            $taken = -not $taken -and $word -in '--config', '--mode'
        }
        $arguments += '--'
        $arguments += $paths
        $lines = @(& $env:BINARY @arguments)
        if ($LASTEXITCODE -eq 0) {
            [IO.File]::AppendAllText($env:GITHUB_STEP_SUMMARY, "`n" + ($lines -join "`n") + "`n")
        } else {
            Write-Annotation 'notice' 'Which programs take another card cannot be told: gpulint map ended with an error, which the log shows.'
        }
    }
}

switch ($env:INPUT_SARIF) {
    'always' { Add-Output 'upload' 'true' }
    'auto' {
        # Where code scanning is off or the token may not use it, GitHub refuses this question as it would the upload.
        $status = 0
        try {
            $question = "$env:GITHUB_API_URL/repos/$env:GITHUB_REPOSITORY/code-scanning/alerts?per_page=1"
            Invoke-WebRequest -UseBasicParsing -TimeoutSec 20 -Uri $question -Headers @{ Authorization = "Bearer $token" } -ErrorAction Stop | Out-Null
        } catch {
            if ($_.Exception.Response) { $status = [int]$_.Exception.Response.StatusCode }
        }
        if ($status -eq 403) {
            Write-Annotation 'notice' ('Code scanning is not available to this job, so no SARIF is uploaded: the repository has it ' +
                'turned off, or the job lacks `permissions: security-events: write`. `sarif: never` ends this notice.')
        } else {
            Add-Output 'upload' 'true'
        }
    }
}
exit 0
