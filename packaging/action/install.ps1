# Second step of the action on Windows: see install.sh, of which this is the translation.
$ErrorActionPreference = 'Stop'
# A progress bar slows downloads down by far.
$ProgressPreference = 'SilentlyContinue'

function Stop-Here($text) {
    Write-Output "::error title=gpulint::$text"
    exit 2
}

$folder = Split-Path -Parent $env:BINARY
switch ($env:SOURCE) {
    'given' { }
    'build' {
        if (Test-Path -LiteralPath $env:BINARY) {
            Write-Output 'gpulint was built by an earlier run.'
        } else {
            # Without the job's settings: what is set for the checked project is not meant for gpulint.
            Set-Location -LiteralPath $env:GITHUB_ACTION_PATH
            foreach ($name in 'CARGO_BUILD_TARGET', 'CARGO_ENCODED_RUSTFLAGS', 'RUSTFLAGS') {
                [Environment]::SetEnvironmentVariable($name, $null)
            }
            $built = Join-Path $env:RUNNER_TEMP 'gpulint-target'
            # Cargo says how far it is on standard error, which is no error.
            $ErrorActionPreference = 'Continue'
            cargo build --release --locked --bin gpulint --manifest-path (Join-Path $env:GITHUB_ACTION_PATH 'Cargo.toml') --target-dir $built
            if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
            $ErrorActionPreference = 'Stop'
            New-Item -ItemType Directory -Force -Path $folder | Out-Null
            Copy-Item -LiteralPath (Join-Path (Join-Path $built 'release') 'gpulint.exe') -Destination $env:BINARY
        }
    }
    'download' {
        $base = $env:GPULINT_DOWNLOADS
        if (-not $base) { $base = 'https://github.com/OWNER/gpulint/releases/download' }
        $version = $env:ARCHIVE -replace '^gpulint-', '' -replace '-(x86_64|aarch64).*$', ''
        New-Item -ItemType Directory -Force -Path $folder | Out-Null
        $archive = Join-Path $folder $env:ARCHIVE
        # Windows PowerShell still offers protocols first that servers refuse.
        [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
        try {
            Invoke-WebRequest -UseBasicParsing -Uri "$base/v$version/$env:ARCHIVE" -OutFile $archive
        } catch {
            Stop-Here "$base/v$version/$env:ARCHIVE cannot be downloaded; the input binary takes a gpulint that is there already"
        }
        $got = (Get-FileHash -Algorithm SHA256 -LiteralPath $archive).Hash.ToLowerInvariant()
        if ($got -ne $env:CHECKSUM) {
            Remove-Item -LiteralPath $archive
            Stop-Here "$env:ARCHIVE has the SHA-256 $got, and not $env:CHECKSUM of packaging/checksums.txt; it was deleted"
        }
        Expand-Archive -LiteralPath $archive -DestinationPath $folder -Force
    }
    default { Stop-Here 'the step before says neither where gpulint is nor how to get it' }
}
$ErrorActionPreference = 'Continue'
& $env:BINARY --version
if ($LASTEXITCODE -ne 0) { Stop-Here "$env:BINARY does not run on this machine" }
exit 0
