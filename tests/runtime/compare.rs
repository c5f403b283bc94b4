//! `gpulint compare`: what is compared, what ends it, and what it says. What times show is tested where it is decided; no test here knows how
//! long anything takes.

use crate::client::taking;
use crate::commands::{Said, said};
use crate::folder::Folder;
use serde_json::Value;
use simulated_gpu_host::SimulatedHost;
use std::path::Path;
use std::process::Command;

const GPULINT: &str = env!("CARGO_BIN_EXE_gpulint");
const RTX_3090: &str = "GPU-30903090-0000-4000-8000-000000000002";

/// A folder in which it is run, with a repository of three commits: `same` and HEAD differ in nothing that shows, `other` says something else.
struct Project(Folder);

impl Project {
    fn new() -> Project {
        let project = Project(Folder::new("compare"));
        project.git(&["init", "--quiet", "--initial-branch", "main"]);
        for (tag, text) in [
            ("other", "echo 2.5; echo step 1"),
            ("same", "echo 1.5; echo step 1"),
            ("new", "echo 1.5\necho step 1"),
        ] {
            project.write("sub/run.sh", text);
            project.git(&["add", "."]);
            project.git(&["commit", "--quiet", "--message", tag]);
            project.git(&["tag", tag]);
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.0.path().join(name);
        std::fs::create_dir_all(file.parent().expect("it has one")).expect("the folder is writable");
        std::fs::write(file, text).expect("the folder is writable");
    }

    fn git(&self, words: &[&str]) -> String {
        let mut git = Command::new("git");
        git.current_dir(self.0.path()).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", self.0.path());
        git.args(["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]).args(words);
        let output = git.output().expect("git is installed");
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn compared(&self, below: &str, words: &[&str]) -> Compared {
        compared(Command::new(GPULINT), &self.0.path().join(below), words)
    }
}

struct Compared {
    said: Said,
    told: Value,
}

impl Compared {
    /// The verdict, the code of its first reason, and the exit code.
    fn came_to(&self) -> (&str, &str, i32) {
        let code = self.said.code.expect("it ended by itself");
        let reason = self.told["reasons"][0]["code"].as_str().unwrap_or_default();
        (self.told["verdict"].as_str().unwrap_or_default(), reason, code)
    }

    fn why(&self) -> &str {
        self.told["reasons"][0]["message"].as_str().unwrap_or_default()
    }

    /// It came to an end by times, whichever.
    fn is_measured(&self) {
        let expected = match self.came_to().0 {
            "preserved" => 0,
            "regressed" => 4,
            "inconclusive" => 6,
            _ => panic!("{}{}", self.said.text, self.said.error),
        };
        assert_eq!(
            (self.said.code, self.told["exit_code"].as_i64()),
            (Some(expected), Some(expected.into())),
            "{}",
            self.said.text
        );
        let runs = |side: &str| self.told[side]["seconds"].as_array().expect("a list").len();
        assert_eq!((runs("base"), runs("head")), (10, 10), "{}", self.said.text);
        assert_eq!((&self.told["timing"]["pairs"], &self.told["control"]["pairs"]), (&10.into(), &5.into()));
    }
}

fn compared(mut gpulint: Command, folder: &Path, words: &[&str]) -> Compared {
    let temporary = folder.join("temporary");
    std::fs::create_dir_all(&temporary).expect("the folder is writable");
    gpulint.current_dir(folder).env("TMPDIR", &temporary).env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    gpulint.args(["compare", "--format", "json"]).args(words);
    let said = said(gpulint);
    // Nothing stays, whatever happened.
    let left: Vec<_> =
        std::fs::read_dir(&temporary).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert!(left.is_empty() && !said.error.contains("panicked"), "{left:?}\n{}", said.error);
    let told = serde_json::from_str(&said.text).unwrap_or_default();
    Compared { said, told }
}

/// Commands of a shell, compared as base and head.
fn commands(folder: &Folder, options: &[&str], base: &str, head: &str) -> Compared {
    let words =
        [&["--isolated", "--pairs", "10"], options, &["--", "sh", "-c", base, "--", "sh", "-c", head]]
            .concat();
    compared(Command::new(GPULINT), folder.path(), &words)
}

#[test]
fn two_commits_in_work_trees() {
    let project = Project::new();
    let told = project.compared(
        "sub",
        &["--isolated", "--base", "same", "--pairs", "10", "--seed", "7", "--", "sh", "run.sh"],
    );
    told.is_measured();
    assert_eq!(told.told["base"]["commit"], project.git(&["rev-parse", "same"]));
    assert_eq!(told.told["head"]["commit"], project.git(&["rev-parse", "HEAD"]));
    assert_eq!((&told.told["seed"], &told.told["head"]["reference"]), (&7.into(), &"HEAD".into()));
    assert_eq!(project.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(project.git(&["status", "--porcelain", "--untracked-files=no"]), "");
}

#[test]
fn a_checkout_runs_no_program_of_the_repository() {
    let project = Project::new();
    let marker = project.0.path().join("marker");
    let script = format!("#!/bin/sh\ntouch '{}'\ncat\n", marker.display());
    for name in [".git/hooks/post-checkout", "filter.sh"] {
        project.write(name, &script);
        let file = project.0.path().join(name);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(file, mode).expect("it is ours");
    }
    project.write(".gitattributes", "*.sh filter=own\n");
    project.git(&["add", ".gitattributes"]);
    project.git(&["commit", "--quiet", "--message", "attributes"]);
    let filter = project.0.path().join("filter.sh").display().to_string();
    project.git(&["config", "filter.own.smudge", &filter]);
    project.git(&["config", "filter.own.required", "true"]);
    let words = ["--isolated", "--base", "other", "--head", "HEAD", "--", "sh", "run.sh"];
    let told = project.compared("sub", &words);
    assert_eq!(told.came_to(), ("outputs_differ", "outputs-differ", 4), "{}", told.said.error);
    assert!(!marker.exists());
    // They would, where git is asked without care.
    project.git(&["worktree", "add", "--quiet", "--detach", "tree", "HEAD"]);
    assert!(marker.exists());
}

#[test]
fn outputs_of_commits_differ() {
    let project = Project::new();
    // A commit that is named needs no clean work tree.
    project.write("sub/run.sh", "exit 1");
    let words = ["--isolated", "--base", "other", "--head", "new", "--", "sh", "run.sh"];
    let told = project.compared("sub", &words);
    assert_eq!(told.came_to(), ("outputs_differ", "outputs-differ", 4));
    assert!(told.why().ends_with("its standard output: line 1 is `2.5` and `1.5`"), "{}", told.why());
    assert_eq!(told.told["timing"], Value::Null);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let project = Project::new();
    project.write("later/x", "");
    let outside = Folder::new("no-repository");
    let words = |words: &'static str| words.split(' ').collect::<Vec<_>>();
    for (words, message) in [
        (
            words("--base nope -- true"),
            "--base nope: there is no such commit, branch or tag in this repository",
        ),
        (words("--base=--upload-pack=x -- true"), "there is no such commit"),
        (words("--base same --head nope -- true"), "--head nope: there is no such commit"),
        (words("-- true"), "without `--base REF` two commands are compared"),
        (words("-- true --"), "without `--base REF` two commands are compared"),
        (words("--pairs 9 -- true -- true"), "fewer than 10 pairs show nothing"),
        (words("--pairs 0 -- true -- true"), "fewer than 10 pairs show nothing"),
        (words("--margin 0% -- true -- true"), "is no part of the speed"),
        (words("--margin 2 -- true -- true"), "is no part of the speed"),
        (words("--tolerance -1 -- true -- true"), "unexpected argument"),
        (words("-- no-such-program -- true"), "`no-such-program` was not found"),
        (words("--head same -- true"), "--base <REF>"),
        (words("--base same"), "<CMD>"),
    ] {
        let told = project.compared("", &words);
        assert_eq!(told.said.code, Some(2), "{words:?}: {}{}", told.said.text, told.said.error);
        assert!(told.said.error.contains(message), "{words:?}: {}", told.said.error);
    }
    let told = project.compared("later", &["--isolated", "--base", "same", "--", "true"]);
    assert!(
        told.said.code == Some(2) && told.said.error.contains("same has no folder later"),
        "{}",
        told.said.error
    );
    project.write("sub/run.sh", "echo edited");
    let told = project.compared("", &["--base", "same", "--", "true"]);
    assert!(
        told.said.code == Some(2) && told.said.error.contains("run.sh is not as in HEAD"),
        "{}",
        told.said.error
    );
    let told =
        compared(Command::new(GPULINT), outside.path(), &["--isolated", "--base", "same", "--", "true"]);
    assert!(
        told.said.code == Some(2) && told.said.error.contains("lies in no git work tree"),
        "{}",
        told.said.error
    );
}

#[test]
fn ends_and_outputs_that_are_not_equal() {
    let folder = Folder::new("compare");
    std::fs::write(folder.path().join("old.txt"), "1").expect("the folder is writable");
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let old = std::fs::File::options().write(true).open(folder.path().join("old.txt")).expect("it is ours");
    old.set_modified(long_ago).expect("it is ours");
    let write = "echo 1.00 > out.txt";
    for (options, base, head, came_to, why) in [
        (&[][..], "echo a", "echo b", ("outputs_differ", "outputs-differ", 4), "line 1 is `a` and `b`"),
        (
            &[],
            "true",
            "echo no >&2; exit 3",
            ("outputs_differ", "head-failed", 4),
            "head ended with code 3; it said last: no",
        ),
        (&[], "true", "kill -9 $$", ("outputs_differ", "head-failed", 4), "head was ended by signal 9"),
        (
            &["--timeout", "0.2s"],
            "true",
            "sleep 30",
            ("outputs_differ", "head-failed", 4),
            "head had not ended in time",
        ),
        (
            &["--file", "out.txt"],
            write,
            "echo 2 > out.txt",
            ("outputs_differ", "outputs-differ", 4),
            "out.txt: line 1 is `1.00` and `2`",
        ),
        (
            &["--file", "out.txt", "--tolerance", "0.01"],
            write,
            "echo 1.02 > out.txt",
            ("outputs_differ", "outputs-differ", 4),
            "`1.02`",
        ),
        (
            &["--file", "gone.txt"],
            "echo > gone.txt",
            "rm gone.txt",
            ("outputs_differ", "head-failed", 4),
            "head did not write gone.txt",
        ),
        (&[], "exit 3", "exit 3", ("inconclusive", "base-failed", 6), "base ended with code 3"),
        (
            &["--timeout", "0.2s"],
            "sleep 30",
            "true",
            ("inconclusive", "base-failed", 6),
            "base had not ended in time",
        ),
        (
            &["--file", "old.txt"],
            "true",
            "true",
            ("inconclusive", "base-failed", 6),
            "did not write old.txt, which is older than the run",
        ),
        (
            &["--file", "never.txt"],
            "true",
            "true",
            ("inconclusive", "base-failed", 6),
            "did not write never.txt",
        ),
        (
            &[],
            "echo $$",
            "echo 1",
            ("inconclusive", "not-repeatable", 6),
            "base does not put out the same twice",
        ),
        (
            &[],
            "echo x >> log; wc -l < log",
            "cat log | wc -l",
            ("inconclusive", "not-repeatable", 6),
            "base does not put out the same twice",
        ),
        (&[], "kill -2 $$", "true", ("interrupted", "interrupted", 130), "interrupted"),
    ] {
        let told = commands(&folder, options, base, head);
        assert_eq!(told.came_to(), came_to, "{base} | {head}: {}{}", told.said.text, told.said.error);
        assert!(told.why().contains(why), "{base} | {head}: {}", told.why());
    }
}

#[test]
fn equal_outputs_are_timed() {
    let folder = Folder::new("compare");
    for (options, base, head) in [
        (&[][..], "echo a", "echo a"),
        (&["--ignore-stdout"], "echo $$", "echo $$"),
        (&["--file", "out.txt", "--tolerance", "0.05"], "echo 1.00 > out.txt", "echo 1.02 > out.txt"),
    ] {
        commands(&folder, options, base, head).is_measured();
    }
    let record = folder.path().join("record.json");
    let told = commands(&folder, &["--record", record.to_str().expect("a plain name")], "true", "true");
    let written = std::fs::read_to_string(record).expect("it was written");
    assert_eq!(written, told.said.text);
    assert_eq!(told.told["not_checked"][0]["what"], "memory of a card");
}

fn on_host(host: &SimulatedHost, folder: &Folder, options: &[&str], command: &[String]) -> Compared {
    let mut gpulint = host.command(GPULINT);
    gpulint.env("GPULINT_SLOT_DIR", folder.path().join("slots"));
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let words = [&["--isolated", "--pairs", "10"], options, &["--"], &command, &["--"], &command].concat();
    compared(gpulint, folder.path(), &words)
}

#[test]
fn on_a_card_that_is_held() {
    let (host, folder) = (SimulatedHost::new(), Folder::new("compare"));
    let told = on_host(&host, &folder, &["--allow-simulated"], &taking(64 << 20, 0.12));
    told.is_measured();
    assert_eq!((&told.told["simulated"], &told.told["card"]["uuid"]), (&true.into(), &RTX_3090.into()));
    let peak = told.told["base"]["peak_memory"].as_u64().expect("it was read");
    assert!((64 << 20..1 << 30).contains(&peak), "{peak}");
    assert_eq!(told.told["head"]["peak_memory"].as_u64(), Some(peak));
    assert!(host.accounts().living(RTX_3090).iter().all(|holder| holder.pid == 1));
}

#[test]
fn runs_that_are_disturbed_do_not_count() {
    let folder = Folder::new("compare");
    // A card that is too hot.
    let host = SimulatedHost::new()
        .changed(|host| host.cards.iter_mut().for_each(|card| card.throttle_reasons = 0x40));
    let told = on_host(&host, &folder, &["--allow-simulated"], &taking(1 << 20, 0.12));
    assert_eq!(told.came_to(), ("inconclusive", "disturbed", 6), "{}", told.said.error);
    assert!(told.why().contains("hw_thermal_slowdown"), "{}", told.why());
    assert_eq!(
        (told.told["base"]["seconds"].as_array().map(Vec::len), &told.told["timing"]),
        (Some(0), &Value::Null)
    );
}

#[test]
fn cards_that_do_not_exist_and_commands_without() {
    let (host, folder) = (SimulatedHost::new(), Folder::new("compare"));
    let show = ["sh", "-c", "test \"$CUDA_VISIBLE_DEVICES\" = -1"].map(str::to_owned);
    let refused = on_host(&host, &folder, &[], &show);
    assert_eq!(refused.said.code, Some(5), "{}", refused.said.error);
    assert!(refused.said.error.contains("--allow-simulated"));
    on_host(&host, &folder, &["--mode", "cpu", "--allow-simulated"], &show).is_measured();
    let wanted = folder.path().join("wanted.yaml");
    std::fs::write(&wanted, "gpu: {name: RTX 9999}\n").expect("the folder is writable");
    let words = ["--config", wanted.to_str().expect("a plain name"), "--", "true", "--", "true"];
    let none = compared(Command::new(GPULINT), folder.path(), &words);
    assert_eq!(none.said.code, Some(5), "{}", none.said.error);
}
