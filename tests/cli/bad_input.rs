//! Files that cannot be read, or that are strange: one line for each with its reason, never a panic or
//! a hang, and the other files are still checked.

use crate::project::{Answer, Project};
use crate::{INDEX_WITHOUT_ORDER, NO_POLICY};
use std::time::{Duration, Instant};

/// Checks the project with one more file that has a finding, which must be found.
#[track_caller]
fn checked_beside(project: Project) -> Answer {
    let project = project.file("zz_other.py", INDEX_WITHOUT_ORDER);
    let answer = project.run("check --format json");
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(answer.findings().contains(&"zz_other.py:2 missing-device-order".to_owned()), "{answer:?}");
    assert!(!answer.stderr.contains("error"), "{answer:?}");
    answer
}

#[track_caller]
fn is_skipped(text: impl AsRef<[u8]>, reason: &str) {
    let answer = checked_beside(Project::new().file("a.py", text));
    assert_eq!(answer.skipped(), [format!("a.py: {reason}")]);
}

/// Line and column of the only finding in `text`.
#[track_caller]
fn place_in(text: impl AsRef<[u8]>) -> (u64, u64) {
    let answer = Project::new().file("a.py", text).run("check --format json");
    assert_eq!((answer.code, answer.findings().len()), (Some(1), 1), "{answer:?}");
    let finding = &answer.json()["findings"][0];
    assert_eq!(finding["rule"], "missing-device-order");
    (finding["line"].as_u64().expect("a line"), finding["column"].as_u64().expect("a column"))
}

#[test]
fn text_that_is_not_utf_8() {
    is_skipped(b"x = '\xe9'\n", "not valid UTF-8");
    is_skipped(b"# coding: latin-1\nx = '\xe9'\n", "not valid UTF-8");
    is_skipped(b"\xff\xfex\0=\0", "not valid UTF-8");
}

/// Windows PowerShell writes what it prints as UTF-16.
#[test]
fn scripts_in_utf_16() {
    let text = "# Größe 𝟙\r\n$env:CUDA_DEVICE_ORDER = \"PCI_BUS_ID\"\r\n'𝟙'; $env:CUDA_VISIBLE_DEVICES = \"all\"\r\n";
    let place = |bytes: Vec<u8>, name: &str| {
        let answer = Project::new().file(name, bytes).run("check --format json");
        let found = answer.findings();
        assert_eq!(found.len(), 1, "{answer:?}");
        let finding = &answer.json()["findings"][0];
        assert_eq!(finding["rule"], "visible-devices-hides-all");
        (finding["line"].as_u64(), finding["column"].as_u64())
    };
    let marked = format!("\u{feff}{text}");
    let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let expected = place(marked.clone().into_bytes(), "run.ps1");
    assert_eq!(expected, (Some(3), Some(6)));
    assert_eq!(place(little.clone(), "run.ps1"), expected);
    assert_eq!(place(big, "run.ps1"), expected);
    let batch = "\u{feff}@echo off\r\nset CUDA_VISIBLE_DEVICES=all\r\npython train.py\r\n";
    let batch: Vec<u8> = batch.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(place(batch, "run.bat"), (Some(2), Some(5)));
    let skipped = |bytes: &[u8]| checked_beside(Project::new().file("run.ps1", bytes)).skipped();
    assert_eq!(skipped(&little[..little.len() - 1]), ["run.ps1: not valid UTF-16"]);
    assert_eq!(skipped(b"\xff\xfe\x00\xd8x\0"), ["run.ps1: not valid UTF-16"]);
}

#[test]
fn syntax_errors() {
    is_skipped("x = 1\ny = (\n", "syntax error on line 3: unexpected EOF while parsing");
    is_skipped(
        "x = 1 y = 2\n",
        "syntax error on line 1: Simple statements must be separated by newlines or semicolons",
    );
    // Python of before is read.
    assert!(checked_beside(Project::new().file("a.py", "print 'hello'\n")).skipped().is_empty());
    let nul = checked_beside(Project::new().file("a.py", "x = 1\0\n")).skipped();
    assert!(nul.len() == 1 && nul[0].starts_with("a.py: syntax error on line 1: "), "{nul:?}");
}

#[test]
fn marks_and_blanks_that_editors_leave() {
    let (line, column) = place_in(INDEX_WITHOUT_ORDER);
    assert_eq!(line, 2);
    assert_eq!(place_in(format!("\u{feff}{INDEX_WITHOUT_ORDER}")), (2, column));
    assert_eq!(place_in(INDEX_WITHOUT_ORDER.replace('\n', "\r\n")), (2, column));
    assert_eq!(place_in(INDEX_WITHOUT_ORDER.replace("import torch", "\u{c}\nimport torch")), (2, column));
    assert_eq!(place_in(INDEX_WITHOUT_ORDER.trim_end()), (2, column));
    let tab = INDEX_WITHOUT_ORDER.replacen("os.environ", "if True:\n\tos.environ", 1);
    assert_eq!(place_in(tab), (3, column + 1));
    let wide = "a = '🙂é'; ";
    let beside = INDEX_WITHOUT_ORDER.replacen("os.environ", &format!("{wide}os.environ"), 1);
    assert_eq!(place_in(beside), (2, column + wide.chars().count() as u64));
    let comment = "# gpulint: ignore[device-not-allowed] 日本語";
    let wide = format!("{INDEX_WITHOUT_ORDER}x = 1  {comment}\ny = 2  {comment}");
    let unused = ["a.py:2 missing-device-order", "a.py:5 unused-suppression", "a.py:6 unused-suppression"];
    assert_eq!(Project::new().file("a.py", wide).run("check --format json").findings(), unused);
    // Line ends as they were before 2001.
    assert_eq!(Project::new().file("a.py", "x = 1\ry = 2\r").run("check").code, Some(0));
}

#[test]
fn every_python_from_3_8_to_3_15() {
    let text = "\
from __future__ import annotations
lazy import json
lazy from os import path
type Pair[T] = tuple[T, T]
def f(a, /, *, b: int = 0) -> None:
    if (n := len(a)) > 1:
        print(f\"{n=} {a!r:>{b}} {'nested \"quotes\"'}\")
match Pair:
    case [1, *rest] | {\"k\": rest}:
        pass
try:
    pass
except* ValueError:
    pass
try:
    pass
except OSError, ValueError:
    pass
async def g():
    async with a as b, c as d:
        return [x async for x in b]
x = t\"template {f}\"
";
    let answer = Project::new().file("a.py", text).run("check --format json");
    assert_eq!((answer.code, answer.skipped()), (Some(0), vec![]));
}

#[test]
fn a_large_generated_file() {
    let started = Instant::now();
    let line = "TABLE.append((0x1234, \"a string of some length\", [1, 2, 3]))\n";
    let project =
        Project::new().file("a.py", format!("TABLE = []\n{}", line.repeat((10 << 20) / line.len())));
    assert_eq!(checked_beside(project).skipped(), [""; 0]);
    is_skipped(vec![b'#'; (16 << 20) + 1], "larger than 16 MiB");
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn one_expression_of_a_hundred_thousand_levels() {
    const DEEP: usize = 100_000;
    let deep = "nested more than 3000 levels deep";
    is_skipped(format!("x = {}{}\n", "[".repeat(DEEP), "]".repeat(DEEP)), deep);
    is_skipped(format!("x = {}1\n", "-".repeat(DEEP)), deep);
    is_skipped(format!("x = a{}\n", ".b".repeat(DEEP)), deep);
    is_skipped(format!("x = 1{}\n", " + 1".repeat(DEEP)), deep);
    for open in ["(", "[", "-", ".b", "{", "not ", "lambda: ", "f(", "a if "] {
        let project = Project::new().file("a.py", format!("x = a{}", open.repeat(DEEP)));
        let skipped = checked_beside(project).skipped();
        assert!(skipped.len() <= 1, "{open}: {skipped:?}");
    }
    // Each `elif` is one level of what is looked at.
    let chain = "elif a:\n    b = 2\n".repeat(DEEP);
    is_skipped(format!("if a:\n    b = 1\n{chain}"), deep);
    // Round brackets alone leave nothing behind in the tree.
    let round = format!("x = {}1{}\n", "(".repeat(DEEP), ")".repeat(DEEP));
    checked_beside(Project::new().file("a.py", round));
    let far = format!("x = {}\n", "(".repeat(3 * DEEP));
    is_skipped(far, deep);
}

#[test]
fn values_that_grow_without_end() {
    let started = Instant::now();
    let loops = |body: &str| {
        let eight = "[1, 2, 3, 4, 5, 6, 7, 8]:";
        format!(
            "import torch\nfor i in {eight}\n    for j in {eight}\n        {body}\ntorch.zeros(1, device=x)\n"
        )
    };
    for (start, body) in [
        ("'a'", "x = x + x"),
        ("'a'", "x = f'{x}{x}'"),
        ("'a'", "x = x / x"),
        ("'a'", "x = x.join([x, x])"),
        ("[1]", "x = x + x"),
        ("[1]", "x = [*x, *x]"),
        ("{1: 2}", "x = {**x, **x}"),
        ("{}", "x = {'a': x, 'b': x}"),
    ] {
        checked_beside(Project::new().file("a.py", format!("x = {start}\n{}", loops(body))));
    }
    let many = format!("x = [1{}]\n", " for a in [1, 2, 3, 4, 5, 6, 7, 8]".repeat(20));
    checked_beside(Project::new().file("a.py", many));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

/// Every use is the first on some path, and each is held against all that happens later.
#[test]
fn a_use_on_each_of_very_many_paths() {
    let started = Instant::now();
    let mut text = "import torch\nimport sys\ndef f0(n):\n    torch.cuda.init()\n".to_owned();
    for level in 1..=6 {
        let call = format!(
            "    if n in sys.argv: f{}(n + 1)\n    if n in sys.path: f{}(n + 2)\n",
            level - 1,
            level - 1
        );
        text.push_str(&format!("def f{level}(n):\n{}", call.repeat(4)));
    }
    text.push_str("f6(0)\n");
    checked_beside(Project::new().file("a.py", text));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn nothing_that_can_be_read_is_an_error() {
    let project = Project::new().file("a.py", "x = (").file("b.py", [0xff]);
    let one = project.run("check a.py");
    let reason = "syntax error on line 1: unexpected EOF while parsing";
    let summary =
        |count, skipped| format!("Checked {count} files, skipped {skipped}: no findings. {NO_POLICY}\n");
    let text = format!("skipped a.py: {reason}\n{}", summary(0, 1));
    one.is(2, &text, "error: the only file could not be checked\n");
    let text = format!("skipped a.py: {reason}\nskipped b.py: not valid UTF-8\n{}", summary(0, 2));
    project.run("check").is(2, &text, "error: none of the 2 files could be checked\n");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn links() {
        let project = Project::new().file("sub/b.py", "").file("ok.py", "");
        let link = |to: &str, name: &str| symlink(to, project.path(name)).unwrap();
        link("a.py", "a.py");
        link("..", "sub/up");
        link("gone.py", "dangling.py");
        link("ok.py", "second.py");
        link("gone", "dangling-folder");
        let answer = checked_beside(project);
        assert_eq!(
            answer.skipped(),
            [
                "a.py: cannot be read: too many levels of symbolic links",
                "dangling.py: a symbolic link to a file that does not exist",
                "sub/up: a symbolic link to a folder that contains it",
            ]
        );
        assert_eq!(answer.json()["files"]["checked"], 4);
    }

    #[test]
    fn named_links() {
        let project = Project::new().file("ok.py", "").file("sub/b.py", "");
        let link = |to: &str, name: &str| symlink(to, project.path(name)).unwrap();
        link("a.py", "a.py");
        link("gone.py", "dangling.py");
        link("sub", "linked");
        let named = project.run("check a.py ok.py --format json");
        assert_eq!(named.skipped(), ["a.py: cannot be read: too many levels of symbolic links"]);
        assert_eq!(named.code, Some(0));
        project.run("check dangling.py").fails(2, "error: no such file or directory: dangling.py");
        project.run("check --show-files linked").is(0, "linked/b.py\n", "");
    }

    #[test]
    fn pipes_and_sockets_are_not_opened() {
        let project = Project::new();
        let made = std::process::Command::new("mkfifo").arg(project.path("pipe.py")).status();
        assert!(made.unwrap().success());
        let _socket = UnixListener::bind(project.path("socket.py")).unwrap();
        let answer = checked_beside(project);
        assert_eq!(answer.skipped(), ["pipe.py: not a regular file", "socket.py: not a regular file"]);
    }

    #[test]
    fn files_and_folders_without_permission() {
        let project = Project::new().file("a.py", "").file("sub/b.py", "");
        let forbid =
            |name: &str, mode| fs::set_permissions(project.path(name), fs::Permissions::from_mode(mode));
        forbid("a.py", 0).unwrap();
        forbid("sub", 0).unwrap();
        if fs::read(project.path("a.py")).is_ok() {
            forbid("sub", 0o700).unwrap();
            eprintln!("skipped: this user may read everything");
            return;
        }
        let path = project.path("sub");
        let answer = checked_beside(project.file("ok.py", ""));
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
        assert_eq!(answer.skipped(), ["a.py: permission denied", "sub: permission denied"]);
    }

    /// Also for root: a file that opens and cannot be read.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_that_fails_while_it_is_read() {
        let project = Project::new().file("zz_other.py", INDEX_WITHOUT_ORDER);
        let answer = project.run("check --format json zz_other.py /proc/self/mem");
        let skipped = answer.skipped();
        assert!(
            skipped.len() == 1 && skipped[0].ends_with("/mem: cannot be read: input/output error"),
            "{skipped:?}"
        );
    }

    /// Folders come and go while gpulint walks; whatever it happens to see, it goes on.
    #[test]
    fn a_folder_that_vanishes() {
        let project = Project::new().file("ok.py", "");
        let folder = project.path("busy");
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _ = fs::create_dir_all(folder.join("deep/deeper"));
                    let _ = fs::write(folder.join("deep/deeper/a.py"), "x = 1\n");
                    let _ = fs::remove_dir_all(&folder);
                }
            });
            for _ in 0..50 {
                let answer = project.run("check --format json");
                assert_eq!(answer.code, Some(0), "{answer:?}");
                for skipped in answer.skipped() {
                    assert!(skipped.ends_with(": vanished before it could be read"), "{skipped}");
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_current_folder_that_vanished() {
        let project = Project::new().file("sub/a.py", "");
        let binary = env!("CARGO_BIN_EXE_gpulint");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("rm -r ../sub && {binary} check")]).current_dir(project.path("sub"));
        let answer = crate::project::answer(&mut shell, b"");
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{answer:?}");
        assert!(answer.stderr.starts_with("error: the current directory cannot be read ("), "{answer:?}");
    }
}
