//! A check that several machines share: merged shards say byte for byte what one check says, and what is no whole check is refused.

use crate::project::Project;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn gpulint(folder: &Path, cache: &str, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpulint"));
    command.current_dir(folder).args(words).env_remove("CI");
    // Each machine has its own.
    command.env("XDG_CACHE_HOME", folder.with_file_name(cache)).output().expect("it can be started")
}

fn write(scratch: &Project, name: &str, text: &str) {
    let file = scratch.path(name);
    fs::create_dir_all(file.parent().expect("a file lies in a folder"))
        .expect("the temporary folder is writable");
    fs::write(file, text).expect("the temporary folder is writable");
}

fn code_of(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// Follows all shards, each with options of its own, and returns their files.
fn shards(folder: &Path, of: usize, options: &[&str]) -> Vec<String> {
    let shard = |index: usize| {
        let file = folder.with_file_name(format!("shard-{index}-of-{of}.json")).display().to_string();
        let (part, output) = (format!("{index}/{of}"), format!("json={file}"));
        let words = [["check", "--shard", &part, "--output", &output].as_slice(), options].concat();
        let ended = gpulint(folder, &format!("cache-{index}"), &words);
        assert_eq!(code_of(&ended), 0, "{}", String::from_utf8_lossy(&ended.stderr));
        assert!(ended.stdout.is_empty());
        file
    };
    (1..=of).map(shard).collect()
}

fn merged(folder: &Path, files: &[String], options: &[&str]) -> Output {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    gpulint(folder, "cache-merge", &[["check", "merge"].as_slice(), &files, options].concat())
}

/// A folder in which a copy of a tree lies as `project`.
fn copy_of(tree: &Path) -> (Project, PathBuf) {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).expect("the temporary folder is writable");
        for entry in fs::read_dir(from).expect("the tree is there").flatten() {
            let target = to.join(entry.file_name());
            match entry.path().is_dir() {
                true => copy(&entry.path(), &target),
                false => drop(fs::copy(entry.path(), target).expect("the temporary folder is writable")),
            }
        }
    }
    let scratch = Project::new();
    let folder = scratch.path("project");
    copy(tree, &folder);
    (scratch, folder)
}

fn trees() -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects");
    let mut trees: Vec<PathBuf> =
        fs::read_dir(all).expect("it is there").flatten().map(|entry| entry.path()).collect();
    trees.retain(|path| path.is_dir());
    trees.sort();
    // Those with the most files have the most to do with each other; all would take minutes.
    let count = |tree: &PathBuf| std::cmp::Reverse(files_below(tree));
    trees.sort_by_cached_key(|tree| (count(tree), tree.clone()));
    trees.truncate(4);
    trees
}

fn files_below(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("it is there").flatten();
    entries.map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { 1 }).sum()
}

#[test]
fn merged_shards_say_what_one_check_says() {
    for tree in trees() {
        let (_scratch, folder) = copy_of(&tree);
        for (of, options) in [
            (2, ["--format", "text"].as_slice()),
            (3, &["--format", "sarif", "--select", "all", "--min-severity", "note"]),
        ] {
            // What the shards are of does not depend on how it is shown.
            let files = shards(&folder, of, &options[2..]);
            let whole =
                gpulint(&folder, "cache-whole", &[["check", "--no-cache"].as_slice(), options].concat());
            let merged = merged(&folder, &files, options);
            let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(text(&merged), text(&whole), "{} {of} {options:?}", tree.display());
            assert_eq!(
                (code_of(&merged), merged.stderr),
                (code_of(&whole), whole.stderr),
                "{}",
                tree.display()
            );
        }
    }
}

/// With programs, a helper, a launcher and a test, so that each shard has something.
fn project() -> (Project, PathBuf) {
    let scratch = Project::new();
    write(&scratch, "project/gpulint.yaml", "gpu:\n  visible-devices: \"1\"\n  device-order: PCI_BUS_ID\n");
    write(&scratch, "project/helper.py", "import torch\n\n\ndef use():\n    torch.ones(1).cuda()\n");
    for number in 0..12 {
        let text =
            format!("import helper\n\nif __name__ == \"__main__\":\n    helper.use()\n    print({number})\n");
        write(&scratch, &format!("project/train_{number}.py"), &text);
    }
    write(&scratch, "project/run.sh", "#!/bin/sh\nCUDA_VISIBLE_DEVICES=0 python train_3.py\n");
    let folder = scratch.path("project");
    (scratch, folder)
}

#[test]
fn what_is_no_whole_check_is_refused() {
    let (scratch, folder) = project();
    let files = shards(&folder, 3, &[]);
    let refused = |files: &[String], options: &[&str], why: &str| {
        let ended = merged(&folder, files, options);
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!((code_of(&ended), ended.stdout.is_empty()), (2, true), "{said}");
        assert!(said.contains(why), "{said}");
    };
    let [one, two, three] = [0, 1, 2].map(|at: usize| files[at].clone());
    refused(&[one.clone(), three.clone()], &[], "error: shard 2/3 is missing: of 3 shards 2 are named");
    let doubled = [one.clone(), two.clone(), three.clone(), two.clone()];
    refused(&doubled, &[], "are both shard 2/3");
    let other = shards(&folder, 2, &[]);
    refused(&[other[0].clone(), two.clone(), three.clone()], &[], "merge those of one check");
    let kept = [&one, &two].map(|file| {
        let kept = format!("{file}.kept");
        fs::copy(file, &kept).expect("the temporary folder is writable");
        kept
    });
    // They lie where those of above lay.
    let selected = shards(&folder, 3, &["--select", "pinning"]);
    refused(&[kept[0].clone(), kept[1].clone(), selected[2].clone()], &[], "are shards of different checks");
    refused(&selected, &[], "the shards are of another check than this");
    let files = shards(&folder, 3, &[]);
    refused(&[scratch.path("absent.json").display().to_string()], &[], "cannot read the shard");
    let text = fs::read_to_string(&files[1]).expect("it is there");
    for (damaged, why) in [
        (text.replace("\"rests_on\":[0", "\"rests_on\":[1"), "it is damaged"),
        (text[..text.len() / 2].to_owned(), "holds no shard of a check: EOF"),
        (text.replace("\"version\":\"", "\"version\":\"9"), "it was written by gpulint 9"),
        (text.replace("\"schema\":1", "\"schema\":2"), "its schema is 2, and this gpulint reads 1"),
        (text.replace("\"index\":2", "\"index\":5"), "there is no shard 5 of 3"),
        ("{}".to_owned(), "holds no shard of a check: missing field"),
    ] {
        assert_ne!(damaged, text);
        fs::write(&files[1], &damaged).expect("the temporary folder is writable");
        refused(&files, &[], why);
    }
    fs::write(&files[1], &text).expect("the temporary folder is writable");
    refused(&files, &["--since", "HEAD"], "check merge and --since do not go together");
    assert_eq!(code_of(&merged(&folder, &files, &[])), 1);
    write(&scratch, "project/train_2.py", "import helper\n");
    refused(&files, &[], "the shards are of another check than this");
}

#[test]
fn shards_that_are_none_are_refused() {
    let (_scratch, folder) = project();
    for (words, why) in [
        (["--shard", "4/3", "--output", "json=s"], "there is no shard 4 of 3: they count from 1 to 3"),
        (["--shard", "0/3", "--output", "json=s"], "there is no shard 0 of 3"),
        (["--shard", "x", "--output", "json=s"], "is no part such as 2/8"),
        (["--shard", "1/3", "--format", "text"], "a shard shows no findings"),
        (["--shard", "1/3", "--output", "sarif=s"], "a shard shows no findings"),
        (["--shard=1/3", "--output", "json=s", "--fix"], "--shard and --fix do not go together"),
    ] {
        let ended = gpulint(&folder, "cache", &[["check"].as_slice(), &words].concat());
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(code_of(&ended), 2, "{said}");
        assert!(said.contains(why), "{said}");
    }
}

/// Machines of CI check the project out where they like.
#[test]
fn the_project_may_lie_elsewhere_and_caches_may_travel() {
    let (one, folder) = project();
    let (two, elsewhere) = project();
    let files = shards(&folder, 2, &["--min-severity", "note"]);
    let options = ["--format", "json", "--min-severity", "note"];
    let there = merged(&elsewhere, &files, &options);
    let whole = gpulint(&elsewhere, "cache-whole", &[["check", "--no-cache"].as_slice(), &options].concat());
    assert_eq!(there.stdout, whole.stdout);
    // What a pipeline has found is known to the next, wherever it runs: its entry is taken and written anew by nobody.
    assert_eq!(code_of(&gpulint(&folder, "cache-travels", &["check"])), 1);
    let cache = two.path("cache-travels");
    fs::rename(one.path("cache-travels"), &cache).expect("both lie in the temporary folder");
    let entries = || {
        let mut names: Vec<_> =
            fs::read_dir(cache.join("gpulint/check")).expect("it is there").flatten().collect();
        names.sort_by_key(fs::DirEntry::file_name);
        names.iter().map(fs::DirEntry::file_name).collect::<Vec<_>>()
    };
    let before = entries();
    assert_eq!(code_of(&gpulint(&elsewhere, "cache-travels", &["check"])), 1);
    assert_eq!(entries(), before);
    write(&two, "project/train_1.py", "print(1)\n");
    gpulint(&elsewhere, "cache-travels", &["check"]);
    assert_eq!(entries().len(), before.len() + 1);
}
