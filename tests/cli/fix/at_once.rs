//! Several runs at once, and runs that are killed: each file is the old one or the new one, and never anything else.

use super::{right, wrong};
use crate::project::Project;
use std::fs;
use std::process::{Child, Stdio};

fn many(count: usize) -> Project {
    (0..count).fold(Project::new().file("gpulint.yaml", super::POLICY), |project, number| {
        project.file(&name_of(number), wrong())
    })
}

fn name_of(number: usize) -> String {
    format!("f{number:03}.py")
}

fn fix(project: &Project) -> Child {
    let mut command = project.command();
    command.args(["check", "--fix", "--format", "concise"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts")
}

fn leftovers(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(project.root()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".new")).collect()
}

#[test]
fn many_runs_at_once_do_what_one_does() {
    let project = many(20);
    for _ in 0..5 {
        (0..20).for_each(|number| fs::write(project.path(&name_of(number)), wrong()).unwrap());
        let mut runs: Vec<Child> = (0..8).map(|_| fix(&project)).collect();
        let codes: Vec<_> = runs.iter_mut().map(|run| run.wait().unwrap().code()).collect();
        // Some have read what others then changed: they leave it, and say that it changed.
        assert!(codes.iter().all(|code| matches!(code, Some(0 | 1))), "{codes:?}");
        assert!((0..20).all(|number| project.read(&name_of(number)) == right()));
        assert_eq!(leftovers(&project), [] as [String; 0]);
    }
}

/// `scripts/kill_while_fixing.py` does the same for longer.
#[test]
fn a_run_that_is_killed_leaves_whole_files() {
    const COUNT: usize = 60;
    let project = many(COUNT);
    // Killed as soon as one of the first, the middle or the last files is new.
    for until in [0, 1, 7, COUNT / 2, COUNT - 3] {
        (0..COUNT).for_each(|number| fs::write(project.path(&name_of(number)), wrong()).unwrap());
        let mut run = fix(&project);
        while project.read(&name_of(until)) == wrong() && run.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        let _ = run.kill();
        run.wait().unwrap();
        for number in 0..COUNT {
            let text = project.read(&name_of(number));
            assert!(text == wrong() || text == right(), "{}: {text}", name_of(number));
        }
        assert!(leftovers(&project).len() <= 1);
        assert_eq!(fix(&project).wait().unwrap().code(), Some(0));
        assert!((0..COUNT).all(|number| project.read(&name_of(number)) == right()));
        assert_eq!(leftovers(&project), [] as [String; 0]);
    }
}
