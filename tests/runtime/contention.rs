//! `gpulint exec` on a card that a process computes on which knows nothing of slots.

use crate::client::taking;
use crate::commands::{policy_folder, said};
use simulated_gpu_host::SimulatedHost;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RTX_3090: &str = "GPU-30903090-0000-4000-8000-000000000002";

fn exec(host: &SimulatedHost, folder: &Path, options: &[&str]) -> Command {
    let mut exec = host.command(env!("CARGO_BIN_EXE_gpulint"));
    exec.current_dir(folder).env("GPULINT_SLOT_DIR", folder.join("slots"));
    exec.args(["exec", "--allow-simulated"]).args(options).args(["--", "echo", "it ran"]);
    exec
}

#[test]
fn it_is_refused_or_waited_for() {
    let host = SimulatedHost::new();
    let folder = policy_folder("gpu: {name: RTX 3090}");
    let words = taking(1 << 20, 600.0);
    let (program, arguments) = words.split_first().expect("it has words");
    let mut foreign = host.command(program);
    foreign.args(arguments).env("CUDA_VISIBLE_DEVICES", RTX_3090).stdout(Stdio::null());
    let mut foreign = foreign.spawn().expect("it starts");
    let until = Instant::now() + Duration::from_secs(120);
    while host.accounts().living(RTX_3090).is_empty() {
        assert!(Instant::now() < until, "it is not on the card");
        std::thread::sleep(Duration::from_millis(5));
    }

    let refused = said(exec(&host, folder.path(), &["--foreign", "refuse"]));
    let process = format!("in use by process {} (", foreign.id());
    assert_eq!((refused.code, refused.text.as_str()), (Some(6), ""), "{}", refused.error);
    assert!(refused.error.contains(&process), "{}", refused.error);

    let mut waiting = exec(&host, folder.path(), &[]);
    waiting.env("CI", "true").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waiting = waiting.spawn().expect("it starts");
    let mut lines = BufReader::new(waiting.stderr.take().expect("it is piped")).lines();
    let mut line = || lines.next().expect("it says so").expect("it is UTF-8");
    let first = line();
    assert!(first.starts_with("waiting for NVIDIA GeForce RTX 3090"), "{first}");
    assert!(first.contains(&process), "{first}");
    assert_eq!(line(), "note: nothing limits this wait; `--slot-timeout 10m` does");
    assert_eq!(waiting.try_wait().expect("it is ours"), None);
    foreign.kill().expect("it runs");
    foreign.wait().expect("it ends");
    let mut text = String::new();
    waiting.stdout.take().expect("it is piped").read_to_string(&mut text).expect("it is UTF-8");
    assert_eq!((text.as_str(), waiting.wait().expect("it ends").code()), ("it ran\n", Some(0)));
    assert_eq!(lines.next().transpose().expect("it is UTF-8"), None, "a note is said once");
}
