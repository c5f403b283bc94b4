//! Editors of other people, and what they show. They are skipped where they are not installed; with
//! GPULINT_REQUIRE_EDITORS their absence is a failure, as in .ci/run.

use crate::client::Folder;
use crate::{RULE, WRONG, linked};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Names the mask of [`WRONG`]: without it no fix that chooses a card is safe.
const POLICY: (&str, &str) = ("gpulint.yaml", "gpu: {visible-devices: \"1\"}\n");

const BINARY: &str = env!("CARGO_BIN_EXE_gpulint");

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/peers").join(name)
}

/// Whether the program is here; if not, says so.
fn is_here(what: &str, command: &mut Command) -> bool {
    let is_here = command.output().is_ok_and(|output| output.status.success());
    let required = std::env::var_os("GPULINT_REQUIRE_EDITORS").is_some();
    assert!(is_here || !required, "{what} is not installed");
    if !is_here {
        println!("skipped: {what} is not installed");
    }
    is_here
}

fn lines_of(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn neovim_shows_and_fixes_a_finding() {
    if !is_here("Neovim", Command::new("nvim").arg("--version")) {
        return;
    }
    let folder = Folder::with(&[POLICY, ("train.py", WRONG)]);
    let run = format!("luafile {}", script("neovim.lua").display());
    let mut editor = Command::new("nvim");
    editor.args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", &run]);
    // Its log and its state belong into the folder of the test.
    for folder_of in ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        editor.env(folder_of, folder.path().join(".nvim"));
    }
    let output = editor.current_dir(folder.path()).env("GPULINT", BINARY).output().expect("it is here");
    let lines = lines_of(&output);
    assert!(lines[0].starts_with("client vim.lsp."), "{lines:?}");
    assert_eq!(
        lines[1..],
        [
            "found missing-device-order on line 2 by gpulint",
            "hover **gpulint: missing-device-order**",
            "action gpulint: set the order beside the mask",
            "line os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"",
            "found nothing",
        ]
    );
}

#[test]
fn emacs_shows_and_fixes_a_finding() {
    let has_eglot = ["--batch", "--eval", "(progn (package-initialize) (require 'eglot))"];
    if !is_here("Emacs with Eglot", Command::new("emacs").args(has_eglot)) {
        return;
    }
    let folder = Folder::with(&[POLICY, ("train.py", WRONG)]);
    let mut editor = Command::new("emacs");
    editor.args(["--batch", "--load"]).arg(script("emacs.el")).env("GPULINT", BINARY);
    let output = editor.current_dir(folder.path()).env("HOME", folder.path()).output().expect("it is here");
    assert_eq!(
        lines_of(&output),
        [
            "client eglot",
            "found on line 2: missing-device-order",
            "hover **gpulint: missing-device-order**",
            "action gpulint: set the order beside the mask",
            "line os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"",
            "found nothing",
        ]
    );
}

#[test]
fn the_client_of_pygls_agrees_with_every_message() {
    let python = std::env::var("GPULINT_PYGLS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let version = "from importlib.metadata import version; assert int(version('pygls').split('.')[0]) >= 2";
    if !is_here("pygls 2", Command::new(&python).args(["-c", version])) {
        return;
    }
    let folder = Folder::with(&[POLICY, ("train.py", WRONG)]);
    let mut client = Command::new(&python);
    client.arg(script("pygls_client.py")).arg(BINARY).arg(folder.path());
    let lines = lines_of(&client.output().expect("it is here"));
    let hover = format!("hover {}", linked(RULE));
    // The client leaves the address out.
    let hover = hover.split('(').next().unwrap_or_default();
    assert_eq!(
        lines,
        [
            "server gpulint counts in utf-32",
            "watches by workspace/didChangeWatchedFiles",
            "found missing-device-order on line 2 by gpulint",
            hover,
            "action gpulint: set the order beside the mask",
            "found nothing",
        ]
    );
}
