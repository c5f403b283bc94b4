//! What a release publishes for `cargo install`: the program, and each part that it is made of, as a package.
//! `.ci/nightly registry` installs it from them.

use crate::scratch::{REPOSITORY, Scratch, printed};
use std::collections::BTreeSet;
use std::process::Command;

/// What is read while a package is built, and is no Rust: a package without it could not be built.
const READ: &[(&str, &str)] = &[
    ("gpulint", "src/init/fleet/slurm.sbatch"),
    ("gpulint-report", "src/html/page.css"),
    ("gpulint-rule-files", "embed.rs"),
    ("gpulint-rule-files", "pinning/missing-device-order.yaml"),
    ("gpulint-runtime", "kernels/gpulint.ptx"),
    ("gpulint-runtime", "src/proof/harness.py"),
];

#[test]
fn every_part_is_a_package_with_all_it_is_built_from() {
    let scratch = Scratch::new("registry");
    // From what others published nothing but the index is asked, which cargo has kept since this test was built.
    let options = ["package", "--no-verify", "--allow-dirty", "--offline", "--quiet", "--target-dir"];
    let packing = Command::new("cargo").args(options).arg(scratch.path()).current_dir(REPOSITORY).output();
    printed(&packing.expect("cargo runs"));
    let made = std::fs::read_dir(scratch.path().join("package")).expect("a folder of packages").flatten();
    let version = concat!("-", env!("CARGO_PKG_VERSION"), ".crate");
    let made: BTreeSet<String> = made
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(version)?.to_owned()))
        .collect();
    let parts = std::fs::read_dir(format!("{REPOSITORY}/crates")).expect("the parts").flatten();
    let parts = parts.map(|part| format!("gpulint-{}", part.file_name().to_string_lossy()));
    let wanted: BTreeSet<String> =
        parts.chain(["gpulint".to_owned(), "gpulint-rule-files".to_owned()]).collect();
    assert_eq!(made, wanted);
    for (package, file) in READ {
        let archive = scratch.path().join("package").join(format!("{package}{version}"));
        let listed = printed(&Command::new("tar").arg("-tzf").arg(archive).output().expect("tar runs"));
        let name = format!("{package}-{}/{file}", env!("CARGO_PKG_VERSION"));
        assert!(listed.lines().any(|line| line == name), "{name} is not in its package");
    }
}
