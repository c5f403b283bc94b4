//! A folder for the state in which somebody has put links and pipes, histories that nobody measured, or too much output.

use crate::commands::said;
use crate::validate::{BURN, POLICY, Project, SMALL_POLICY, small};
use simulated_gpu_host::SimulatedHost;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// A project whose folder for the state is there, with this in it.
fn planted(plant: impl Fn(&std::path::Path)) -> Project {
    let project = Project::of(SimulatedHost::new(), POLICY);
    let state = project.folder.path().join("state");
    std::fs::create_dir_all(&state).expect("the folder is writable");
    plant(&state);
    project
}

#[test]
fn planted_links_are_not_followed() {
    for name in ["lock", "validation.json", "0.log", "1.log", "0.output.json", "1.run.json", "1.lines.jsonl"]
    {
        let victim = |state: &std::path::Path| state.parent().expect("it has one").join("victim");
        let project = planted(|state| {
            std::fs::write(victim(state), "of somebody else").expect("writable");
            symlink(victim(state), state.join(name)).expect("writable");
        });
        let said = said(project.command(&["--resume"]));
        assert!([Some(0), Some(2)].contains(&said.code), "{name}: {}", said.error);
        let left = std::fs::read_to_string(project.folder.path().join("victim")).expect("it is there");
        assert_eq!(left, "of somebody else", "{name}");
    }
}

#[test]
fn planted_pipes_are_not_waited_for() {
    for name in ["lock", "validation.json", "0.log", "1.log", "0.output.json", "1.run.json", "1.lines.jsonl"]
    {
        let project = planted(|state| {
            let made = std::process::Command::new("mkfifo").arg(state.join(name)).status();
            assert!(made.is_ok_and(|status| status.success()));
        });
        let said = said(project.command(&["--resume"]));
        assert!([Some(0), Some(2)].contains(&said.code), "{name}: {}", said.error);
    }
}

#[test]
fn a_folder_of_another_user_is_refused() {
    let other = rustix::process::Uid::from_raw(65_534);
    let chowned = std::cell::Cell::new(false);
    let project = planted(|state| chowned.set(rustix::fs::chown(state, Some(other), None).is_ok()));
    let said = said(project.command(&[]));
    // Only root gives folders away.
    let chowned = chowned.get();
    let expected = if chowned { Some(2) } else { Some(0) };
    assert_eq!(said.code, expected, "{}", said.error);
    assert_eq!(said.error.contains("it belongs to another user"), chowned, "{}", said.error);
}

/// The file of the history, after one run.
fn history(project: &Project) -> PathBuf {
    let folder = project.folder.path().join("state/history");
    folder.join("GPU-30903090-0000-4000-8000-000000000002.json")
}

#[test]
fn a_history_that_nobody_measured_is_a_correction() {
    let project = Project::of(small(), SMALL_POLICY);
    let options = [BURN.as_slice(), &["--burn-memory", "10"]].concat();
    assert_eq!(project.validated(&options).code, Some(0));
    let sound = std::fs::read_to_string(history(&project)).expect("it was written");
    let speed =
        sound.lines().find_map(|line| line.trim().strip_prefix("\"teraflops\": ")).expect("it was measured");
    let speed = speed.trim_end_matches(',');
    for odd in ["1e-9", "-1.0", "0.0", "1e300"] {
        std::fs::write(history(&project), sound.replacen(speed, odd, 1)).expect("writable");
        let validated = project.validated(&options);
        assert_eq!((validated.code, validated.reasons), (Some(1), vec!["no-history".to_owned()]), "{odd}");
    }
    std::fs::write(history(&project), "{").expect("writable");
    let validated = project.validated(&options);
    assert_eq!((validated.code, validated.reasons), (Some(1), vec!["no-history".to_owned()]));
}

#[test]
fn what_a_program_says_without_end_is_cut() {
    let script = "yes nothing | head -c 40000000; echo the last line; exit 3";
    let target = format!(
        "runtime: {{iterations: 1, targets: [{{name: tts, command: [sh, -c, '{script}'], mode: gpu}}]}}\n"
    );
    let project = Project::of(SimulatedHost::new(), &format!("{POLICY}{target}"));
    let validated = project.validated(&[]);
    assert_eq!((validated.code, validated.reasons), (Some(4), vec!["command-failed".to_owned()]));
    assert!(validated.document["reasons"].to_string().contains("the last line"));
    let log = std::fs::read(project.folder.path().join("state/2.log")).expect("it is there");
    assert!(log.len() <= 17 << 20, "{}", log.len());
    assert!(String::from_utf8_lossy(&log).contains("before this were cut by gpulint"));
}
