//! Repositories that were made to fool a check or whoever reads what it says: each with the end that it must have.
//!
//! The promises are those of SECURITY.md. Around each project lies a folder with a file that is a secret; no output may hold
//! a word of it, and no file there may change.
#![cfg(unix)]

mod cases;
mod commands;

use crate::INDEX_WITHOUT_ORDER;
use crate::git::git_in;
use crate::project::{Answer, Project, answer};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// What lies outside: a program with a finding, so that reading it as Python, as a policy or as a list would show.
const SECRET: &str = "\
import os  # s3cr3t-w0rd
os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"  # s3cr3t-w0rd
import torch
torch.cuda.init()
s3cr3t-w0rd: s3cr3t-w0rd
";
const WORD: &str = "s3cr3t-w0rd";

/// Generous for one run; only what hangs reaches it.
const LIMIT: Duration = Duration::from_secs(60);

/// No run here needs as much memory by far, in KiB.
const MOST_MEMORY: u64 = 600 << 10;

/// A project inside a folder of somebody.
struct Scene(Project);

impl Scene {
    fn new() -> Scene {
        let scene = Project::new().file("outside/secret", SECRET).file("outside/secret.yaml", SECRET);
        let scene = scene.file("outside/rules/leak.yaml", SECRET).file("outside/secret.json", SECRET);
        let (program, _) = SECRET.split_at(SECRET.find("s3cr3t-w0rd:").expect("the last line"));
        Scene(scene.file("outside/secret.py", program).file("p/main.py", INDEX_WITHOUT_ORDER))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path("p").join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().expect("a folder")).expect("writable");
        fs::write(self.path(name), text).expect("writable");
    }

    fn link(&self, to: impl AsRef<Path>, name: &str) {
        fs::create_dir_all(self.path(name).parent().expect("a folder")).expect("writable");
        symlink(to, self.path(name)).expect("writable");
    }

    fn pipe(&self, name: &str) {
        fs::create_dir_all(self.path(name).parent().expect("a folder")).expect("writable");
        let made = Command::new("mkfifo").arg(self.path(name)).status().expect("mkfifo");
        assert!(made.success());
    }

    fn git(&self, words: &[&str]) {
        git_in(&self.path(""), words);
    }

    fn command(&self, words: &str) -> Command {
        // Under a limit of memory, so that what eats it dies instead of the machine.
        let mut command = Command::new("sh");
        let own = self.0.command();
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        for (name, _) in own.get_envs().filter(|(_, value)| value.is_none()) {
            command.env_remove(name);
        }
        let binary = env!("CARGO_BIN_EXE_gpulint");
        command.args(["-c", &format!("ulimit -d {MOST_MEMORY}; exec \"$0\" \"$@\""), binary]);
        command.args(words.split_whitespace()).current_dir(self.path(""));
        command
    }

    /// Runs `gpulint` in the project; the run has to end, and to keep the secret.
    fn run(&self, words: &str) -> Answer {
        let before = self.outside();
        let mut command = self.command(words);
        let (sender, receiver) = mpsc::channel();
        let runs = thread::spawn(move || sender.send(answer(&mut command, b"")));
        let got = receiver.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("`{words}` does not end"));
        runs.join().expect("it answered").expect("somebody listened");
        assert!(!got.stdout.contains(WORD) && !got.stderr.contains(WORD), "{words}: {got:?}");
        assert!(!got.stderr.contains("panicked") && got.code != Some(3), "{words}: {got:?}");
        assert_eq!(self.outside(), before, "{words} changed what lies outside");
        got
    }

    /// All that lies outside of the project.
    fn outside(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut pending = vec![self.0.path("outside")];
        while let Some(folder) = pending.pop() {
            for path in fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path()) {
                match path.is_dir() {
                    true => pending.push(path),
                    false => found.push((path.clone(), fs::read(&path).expect("readable"))),
                }
            }
        }
        found.sort();
        found
    }
}

/// How a run must end.
enum End {
    /// Exit 2 and this on standard error, after `error: `; nothing on standard output.
    Refused(&'static str),
    /// The project's own file is checked, and these are listed as skipped.
    Skipped(&'static [&'static str]),
}

struct Case {
    name: &'static str,
    make: fn(&Scene),
    run: &'static str,
    end: End,
}

#[test]
fn each_hostile_repository_has_the_end_that_it_must_have() {
    let cases = cases::CASES;
    assert!(cases.len() >= 40, "{} are listed", cases.len());
    let mut faults = Vec::new();
    for case in cases {
        let scene = Scene::new();
        (case.make)(&scene);
        let started = Instant::now();
        match case.end {
            End::Refused(message) => {
                let got = scene.run(&format!("check {}", case.run));
                let expected = (Some(2), String::new(), format!("error: {message}\n"));
                if (got.code, got.stdout.clone(), got.stderr.clone()) != expected {
                    faults.push(format!("{}: {expected:?} is not {got:?}", case.name));
                }
            }
            End::Skipped(skipped) => {
                let got = scene.run(&format!("check --format json {}", case.run));
                let finds =
                    |got: &Answer| got.findings().contains(&"main.py:2 missing-device-order".to_owned());
                if got.code != Some(1) || got.skipped() != skipped || !finds(&got) {
                    faults.push(format!("{}: {skipped:?} is not what is said by {got:?}", case.name));
                }
            }
        }
        if started.elapsed() > LIMIT {
            faults.push(format!("{}: {:?}", case.name, started.elapsed()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Whoever names a file elsewhere on the command line means it.
#[test]
fn what_is_named_on_the_command_line_is_read_wherever_it_lies() {
    let scene = Scene::new();
    let named = |words: &str| answer(&mut scene.command(words), b"");
    let checked = named("check --format json --min-severity note ../outside/secret.py main.py");
    assert_eq!(checked.skipped(), [""; 0], "{checked:?}");
    assert_eq!(checked.findings().len(), 2, "{checked:?}");

    fs::write(
        scene.0.path("outside/policy.yaml"),
        "gpu: {name: RTX 3090}\nscripts: {template: ../outside/secret.py}\n",
    )
    .unwrap();
    let by_policy = named("check --config ../outside/policy.yaml --show-settings");
    assert!(by_policy.stdout.contains("name: RTX 3090"), "{by_policy:?}");
    let typed = named("check --config scripts.template=../outside/secret.py --show-settings");
    assert_eq!(typed.code, Some(0), "{typed:?}");
    let elsewhere = scene.0.path("outside/baseline.json");
    assert_eq!(named("check --baseline ../outside/baseline.json --write-baseline").code, Some(0));
    assert!(fs::read_to_string(elsewhere).unwrap().contains("missing-device-order"));
    assert_eq!(named("check --baseline ../outside/baseline.json").code, Some(0));
}

/// A link inside the project to another file inside is as good as the file.
#[test]
fn links_that_stay_inside_are_followed() {
    let scene = Scene::new();
    scene.write("settings/policy.yaml", "exclude: [sub]\n");
    scene.link("settings/policy.yaml", "gpulint.yaml");
    scene.link("main.py", "second.py");
    let got = scene.run("check --format json");
    assert_eq!((got.code, got.skipped()), (Some(1), Vec::new()), "{got:?}");
    assert_eq!(got.json()["files"]["checked"], 2);
}

/// The same root reached by a link of the user.
#[test]
fn a_project_that_is_reached_by_a_link() {
    let scene = Scene::new();
    scene.write("gpulint.yaml", "");
    scene.link("../outside/secret.py", "leads_out.py");
    symlink(scene.path(""), scene.0.path("way")).unwrap();
    let got = scene.0.run("check --format json way");
    assert_eq!(got.findings(), ["main.py:2 missing-device-order"], "{got:?}");
    assert_eq!(got.skipped(), ["leads_out.py: a link that leads outside of the project"]);
}

/// Nothing is written through a link, nor where only the repository says.
#[test]
fn nothing_is_written_outside() {
    let scene = Scene::new();
    scene.link("../outside/secret.py", "x.py");
    let ignored = scene.run("check --add-ignore why");
    assert!(ignored.stderr.contains("comments for 1 finding written to 1 file"), "{ignored:?}");
    assert!(fs::read_to_string(scene.path("main.py")).unwrap().contains("gpulint: ignore"));
    scene.run("check --fix --unsafe-fixes");
    scene.run("check --add-ignore why x.py");
    scene.write("gpulint.yaml", "baseline: ../outside/new.json\n");
    let refused = scene.run("check --write-baseline");
    let outside = "error: the baseline ../outside/new.json leads outside of the project; put it there, or name it with --baseline\n";
    assert_eq!((refused.code, refused.stderr.as_str()), (Some(2), outside), "{refused:?}");
    assert!(!scene.0.path("outside/new.json").exists());
}

/// Programs that a repository's settings name are not started, whatever git would do.
#[test]
fn git_starts_no_program_of_the_repository() {
    let scene = Scene::new();
    scene.git(&["init", "--quiet"]);
    scene.write(".gitattributes", "*.py filter=evil diff=evil\n");
    scene.git(&["add", "."]);
    scene.git(&["commit", "--quiet", "-m", "one"]);
    let mark = scene.path("started");
    let evil = format!("touch {}; cat", mark.display());
    let fails = format!("touch {}; false", mark.display());
    for (key, value) in [
        ("filter.evil.clean", evil.as_str()),
        ("filter.evil.smudge", &evil),
        ("filter.evil.process", &fails),
        ("filter.evil.required", "true"),
        ("filter.a.b.c.clean", &evil),
        ("diff.evil.command", &evil),
        ("diff.evil.textconv", &evil),
        ("diff.external", &evil),
        ("core.fsmonitor", &evil),
        ("core.pager", &evil),
        ("core.sshCommand", &evil),
        ("alias.diff", &format!("!{evil}")),
    ] {
        scene.git(&["config", key, value]);
    }
    for hook in ["post-index-change", "reference-transaction", "pre-auto-gc"] {
        scene.write(&format!(".git/hooks/{hook}"), format!("#!/bin/sh\n{evil}\n"));
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(scene.path(&format!(".git/hooks/{hook}")), open).unwrap();
    }
    // Another time on the file makes git compare what it holds.
    scene.write("main.py", INDEX_WITHOUT_ORDER.replace("\"1\"", "\"2\""));
    scene.write("new.py", INDEX_WITHOUT_ORDER);
    for words in ["check --since HEAD", "check --changed-lines HEAD", "check --staged", "check"] {
        let got = scene.run(&format!("{words} --format json"));
        assert!(matches!(got.code, Some(0 | 1)), "{words}: {got:?}");
        assert!(!mark.exists(), "{words} started a program of the repository");
    }
    let mut sees = Command::new("git");
    sees.args(["diff", "HEAD"]).current_dir(scene.path("")).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = sees.status();
    assert!(mark.exists(), "git itself would have started one");
}
