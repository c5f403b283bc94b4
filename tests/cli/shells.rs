//! Completions and the manual page, as the programs that they are for read them.

use crate::project::Project;
use std::process::Command;

/// What a program prints on standard output, and on standard error; `None` when it is not installed.
fn said(program: &str, words: &[&str], project: &Project) -> Option<(String, String)> {
    let output = Command::new(program).args(words).current_dir(project.root()).env("MANWIDTH", "80").output();
    let Ok(output) = output else {
        eprintln!("skipped: the program `{program}` is not installed");
        return None;
    };
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    assert!(output.status.success(), "{program} {words:?}: {output:?}");
    Some((text(output.stdout), text(output.stderr)))
}

#[test]
fn every_shell_has_completions() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let answer = project.run(&format!("completions {shell}"));
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
        for word in ["write-baseline", "min-severity", "trace", "init", "runner"] {
            assert!(answer.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(project.run("completions cmd").code, Some(2));
}

#[test]
fn bash_completes_words() {
    let project = Project::new();
    let script = project.run("completions bash").stdout;
    let project = project.file("gpulint.bash", script);
    let completed = |words: &str| {
        let count = words.split(' ').count() - 1;
        let ask = format!(
            "source ./gpulint.bash && COMP_WORDS=({words}) && COMP_CWORD={count} && \
             _gpulint gpulint \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\" && printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        said("bash", &["--norc", "-c", &ask], &project)
    };
    let Some((commands, told)) = completed("gpulint che") else { return };
    assert_eq!((commands.as_str(), told.as_str()), ("check\n", ""));
    let (options, _) = completed("gpulint check --write").unwrap();
    assert_eq!(options, "--write-baseline\n");
    let (shells, _) = completed("gpulint completions f").unwrap();
    assert_eq!(shells, "fish\n");
}

#[test]
fn other_shells_load_their_completions() {
    let project = Project::new();
    for (shell, words) in [
        ("zsh", ["-f", "-c", "autoload -U compinit && compinit -D && source ./completions"]),
        ("fish", ["--no-config", "-c", "source ./completions"]),
        ("pwsh", ["-NoProfile", "-Command", "Get-Content -Raw ./completions | Invoke-Expression"]),
    ] {
        let name = if shell == "pwsh" { "powershell" } else { shell };
        let script = project.run(&format!("completions {name}")).stdout;
        std::fs::write(project.path("completions"), script).unwrap();
        if let Some((_, told)) = said(shell, &words, &project) {
            assert_eq!(told, "", "{shell}");
        }
    }
}

#[test]
fn the_manual_is_a_page_without_faults() {
    let project = Project::new();
    let answer = project.run("man");
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    let project = project.file("gpulint.1", answer.stdout);
    if let Some((_, faults)) = said("groff", &["-man", "-Tutf8", "-ww", "-z", "gpulint.1"], &project) {
        assert_eq!(faults, "");
    }
    let Some((page, faults)) = said("man", &["--warnings", "-l", "./gpulint.1"], &project) else { return };
    assert_eq!(faults, "");
    for part in
        ["GPULINT CHECK", "--add-ignore", "GPULINT RULES TEST", "EXIT STATUS", "gpulint-baseline.json"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
}
