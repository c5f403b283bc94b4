//! `scripts/on_hardware`, which waits for a card: on a simulated host each question has its answer, and the page of real cards stays as
//! it is.

use crate::commands::{has_python, said};
use crate::folder::Folder;
use simulated_gpu_host::SimulatedHost;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn each_question_has_its_answer() {
    if !has_python() {
        return;
    }
    let page =
        || std::fs::read_to_string(Path::new(ROOT).join("docs/hardware.md")).expect("the page is there");
    let (before, folder) = (page(), Folder::new("on-hardware"));
    let host = SimulatedHost::new().with_cublas();
    let asked = |options: &[&str]| {
        let mut script = host.command("python3");
        script.arg("-B").arg(Path::new(ROOT).join("scripts/on_hardware"));
        script.args(["--gpulint", env!("CARGO_BIN_EXE_gpulint"), "--write"]).args(options);
        script.current_dir(folder.path()).env("XDG_STATE_HOME", folder.path());
        said(script)
    };
    let refused = asked(&[]);
    assert_eq!((refused.code, refused.text.as_str()), (Some(2), ""), "{}", refused.error);
    let told = asked(&["--allow-simulated"]);
    assert_eq!(told.code, Some(0), "{}\n{}", told.text, told.error);
    assert!(
        told.text.starts_with("## simulated: NVIDIA GeForce RTX 3090, driver 580.95.05\n"),
        "{}",
        told.text
    );
    assert!(!told.text.contains("no answer") && told.text.matches("\n| ").count() > 16, "{}", told.text);
    for piece in [
        "FASTEST_FIRST: NVIDIA GeForce RTX 3090, ",
        "`0,0`: error 101",
        "steps of 2 MiB",
        "8 at once: 0 overlaps",
        "0 wrong",
    ] {
        assert!(told.text.contains(piece), "{piece} is not in: {}", told.text);
    }
    assert!(told.error.contains("so docs/hardware.md stays as it is"), "{}", told.error);
    assert_eq!(page(), before);
}
