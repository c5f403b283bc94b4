//! The example in docs/doctor.md is what doctor says of a simulated host.

use crate::folder::Folder;
use simulated_gpu_host::SimulatedHost;
use std::fs;
use std::path::Path;

const PAGE: &str = "docs/doctor.md";
const POLICY: &str = "gpu:\n  name: \"RTX 3090\"\n  forbidden: [\"RTX 5060 Ti\"]\n";
/// They tell of the machine on which the test runs.
const OF_THIS_MACHINE: [&str; 3] = ["Surroundings", "Backends", "Not seen"];

#[test]
fn the_example_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = page.split_once("```text\nPolicy\n").expect("the page has the example");
    let (_, after) = rest.split_once("```\n").expect("the example ends");
    let fresh = format!("{before}```text\n{}```\n{after}", example());
    if page == fresh {
        return;
    }
    if std::env::var_os("GPULINT_UPDATE").is_some() {
        fs::write(&path, fresh).expect("the page is writable");
        return;
    }
    panic!(
        "{PAGE} shows something else; run `GPULINT_UPDATE=1 cargo test --test runtime fresh` and commit it:\n{fresh}"
    );
}

fn example() -> String {
    let host = SimulatedHost::new();
    let folder = Folder::new("page");
    fs::write(folder.path().join("gpulint.yaml"), POLICY).expect("the temporary folder is writable");
    let mut command = host.command(env!("CARGO_BIN_EXE_gpulint"));
    command.arg("doctor").current_dir(folder.path());
    command.env_clear().envs(host.environment()).env("CUDA_VISIBLE_DEVICES", "1");
    let output = command.output().expect("gpulint can be started");
    assert_eq!(output.status.code(), Some(5));
    let text = String::from_utf8(output.stdout).expect("it is UTF-8");
    let sections: Vec<&str> = text
        .trim_end()
        .split("\n\n")
        .filter(|section| !OF_THIS_MACHINE.iter().any(|title| section.starts_with(&format!("{title}\n"))))
        .collect();
    sections.join("\n\n") + "\n"
}
