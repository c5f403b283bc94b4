# Whose code a job runs: see forks.sh, of which this is the translation.
$ErrorActionPreference = 'Stop'

# The event; nothing when it cannot be read.
function Get-Happening {
    try { [IO.File]::ReadAllText($env:GITHUB_EVENT_PATH) | ConvertFrom-Json } catch { }
}

$happening = Get-Happening
switch -CaseSensitive -Wildcard ("$env:GITHUB_EVENT_NAME") {
    '' { 'GITHUB_EVENT_NAME does not say which event this is'; return }
    'pull_request*' { $what = 'a pull request'; $from = $happening.pull_request.head.repo.full_name; break }
    'workflow_run' { $what = 'a job about a commit'; $from = $happening.workflow_run.head_repository.full_name; break }
    'issue_comment' {
        # The event of a comment on a pull request does not say where that comes from.
        if ($happening.issue.url -isnot [string]) {
            'whether the comment is about a pull request is not known: GITHUB_EVENT_PATH names no event that can be read'
        } elseif ($happening.issue.pull_request) {
            'this is a comment on a pull request, whose event does not say whether it comes from a fork'
        }
        return
    }
    default { return }
}
if ($from -isnot [string] -or -not $from) {
    "this is $what from nobody knows where: GITHUB_EVENT_PATH names no event that says its repository"
} elseif ($from -cne $env:GITHUB_REPOSITORY) {
    "this is $what from the fork $from"
}
