//! `--watch`, as a real process that is told what changes and ends when it is interrupted.

use crate::INDEX_WITHOUT_ORDER;
use crate::project::Project;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Long enough for a machine that is busy with everything else.
const PATIENCE: Duration = Duration::from_secs(60);

struct Watched {
    process: Child,
    out: Lines,
    told: Lines,
}

/// The lines of a stream as they come.
struct Lines(Receiver<String>);

impl Watched {
    fn start(project: &Project, words: &str) -> Watched {
        let mut command = project.command();
        // In a workflow the user's policy does not count, nor is it watched.
        command.env_remove("CI").args(["check", "--watch"]).args(words.split_whitespace());
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = Lines::of(process.stdout.take().unwrap());
        let told = Lines::of(process.stderr.take().unwrap());
        Watched { process, out, told }
    }

    /// Waits until the run has ended that just begins; returns its summary.
    #[track_caller]
    fn summary(&self) -> String {
        self.told.next("note: waiting for changes of ");
        self.out.next("Checked ")
    }
}

impl Lines {
    fn of(stream: impl Read + Send + 'static) -> Lines {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Lines(lines)
    }

    /// Waits for a line that begins so, and returns it.
    #[track_caller]
    fn next(&self, begin: &str) -> String {
        let mut others = Vec::new();
        loop {
            match self.0.recv_timeout(PATIENCE) {
                Ok(line) if line.starts_with(begin) => return line,
                Ok(line) => others.push(line),
                Err(error) => panic!("no line `{begin}…` ({error}), but {others:#?}"),
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn every_change_is_checked() {
    let project = Project::new().file("gpulint.yaml", "").file("a.py", "x = 1\n");
    let watched = Watched::start(&project, "--output json=report.json --format concise");
    assert_eq!(watched.summary(), "Checked 1 file: no findings.");
    // From now on the report is a file of the project too.
    let project = project.file("a.py", INDEX_WITHOUT_ORDER);
    assert_eq!(watched.told.next("note: "), "note: a.py changed");
    assert_eq!(watched.summary(), "Checked 2 files: 1 warning. 1 can be fixed with `--fix --unsafe-fixes`.");
    let project = project.file("sub/b.py", INDEX_WITHOUT_ORDER);
    fs::remove_file(project.path("a.py")).unwrap();
    assert_eq!(watched.told.next("note: "), "note: a.py is gone, sub/b.py is new");
    assert_eq!(watched.summary(), "Checked 2 files: 1 warning. 1 can be fixed with `--fix --unsafe-fixes`.");
    // A policy that is wrong for a while.
    let project = project.file("gpulint.yaml", "gpu: [\n");
    watched.told.next("error: gpulint.yaml:");
    watched.told.next("note: waiting");
    let _project = project.file("gpulint.yaml", "gpu: {}\n");
    assert_eq!(watched.told.next("note: "), "note: gpulint.yaml changed");
    assert_eq!(watched.summary(), "Checked 2 files: 1 error. 1 can be fixed with `--fix --unsafe-fixes`.");
    // No colours and no orders for a terminal that is none, and no run for what the run itself wrote.
    let rest =
        [&watched.out, &watched.told].map(|lines| lines.0.recv_timeout(Duration::from_millis(1500)).ok());
    assert_eq!(rest, [None, None]);
}

/// What a policy leans on may lie where no file is checked.
#[test]
fn each_file_that_a_policy_leans_on_is_watched() {
    let project = Project::new()
        .file(".git/HEAD", "")
        .file("app/gpulint.yaml", "extends: ../.policies/cards.yaml\n")
        .file(".policies/cards.yaml", "gpu: {visible-devices: \"1\"}\n")
        .file("app/a.py", INDEX_WITHOUT_ORDER);
    let watched = Watched::start(&project, "--format concise --select wrong-visible-devices");
    let wrong = "Checked 1 file: 1 error. 1 can be fixed with `--fix --unsafe-fixes`.";
    let right = "Checked 1 file: no findings.";
    let first = watched.summary();
    let project = project.file(".policies/cards.yaml", "gpu: {visible-devices: \"7\"}\n");
    assert_eq!(watched.told.next("note: "), "note: .policies/cards.yaml changed");
    let second = watched.summary();
    assert_eq!([&*first, &*second], [right, wrong]);
    // While it is wrong, it is looked at all the same.
    let project = project.file(".policies/cards.yaml", "gpu: [\n");
    watched.told.next("note: .policies/cards.yaml changed");
    watched.told.next("note: waiting");
    let project = project.file(".policies/cards.yaml", "gpu: {device-order: PCI_BUS_ID}\n");
    watched.told.next("note: .policies/cards.yaml changed");
    assert_eq!(watched.summary(), right);
    // The file of a user may be written for the first time.
    let _project = project.file(".config/gpulint/gpulint.yaml", "gpu: {visible-devices: \"7\"}\n");
    assert_eq!(watched.told.next("note: .config"), "note: .config/gpulint/gpulint.yaml is new");
    assert_eq!(watched.summary(), wrong);
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_it() {
    use std::os::unix::process::ExitStatusExt;
    let project = Project::new().file("a.py", "");
    let mut watched = Watched::start(&project, "");
    watched.told.next("note: waiting");
    let (name, number) = if interrupts_are_ignored() { ("-TERM", 15) } else { ("-INT", 2) };
    let interrupted =
        std::process::Command::new("kill").args([name, &watched.process.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    assert_eq!(watched.process.wait().unwrap().signal(), Some(number));
}

/// Shells start what runs in the background so, and its children inherit it. Told on Linux only.
#[cfg(unix)]
fn interrupts_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 2 != 0)
}

#[test]
fn what_cannot_be_watched() {
    let project = Project::new().file("a.py", "");
    project.run("check --watch -").fails(2, "error: --watch looks at files, and `-` reads standard input");
    project.run("check --watch b.py").fails(2, "error: no such file or directory: b.py");
    assert_eq!(project.run("check --watch --write-baseline").code, Some(2));
}
