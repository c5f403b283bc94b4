//! Processes on a simulated host: this test program, started again to run one of the [`programs`](crate::programs).

use serde_json::Value;
use simulated_gpu_host::SimulatedHost;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const PROGRAM: &str = "SIMULATED_GPU_PROGRAM";
const ANSWER: &str = "SIMULATED_GPU_ANSWER";
/// Far beyond what anything here takes, even where many tests share two cores.
const PATIENCE: Duration = Duration::from_secs(120);

/// A client that was started. It ends when it is dropped.
pub struct Client {
    child: Child,
    answer: PathBuf,
}

/// What the program answers on this host.
#[track_caller]
pub fn answer_of(host: &SimulatedHost, program: &str) -> Value {
    answer_with(host, program, &[])
}

/// The same, with variables of its environment.
#[track_caller]
pub fn answer_with(host: &SimulatedHost, program: &str, variables: &[(&str, &str)]) -> Value {
    start_with(host, program, variables).answer()
}

/// Starts a program that waits for its end after its answer.
pub fn start(host: &SimulatedHost, program: &str) -> Client {
    start_with(host, program, &[])
}

pub fn start_with(host: &SimulatedHost, program: &str, variables: &[(&str, &str)]) -> Client {
    static CLIENTS: AtomicU32 = AtomicU32::new(0);
    let answer = host.folder().join(format!("answer-{}", CLIENTS.fetch_add(1, Ordering::Relaxed)));
    let mut command: Command = host.command(std::env::current_exe().expect("a test knows where it is"));
    command
        .args(["client::runs_a_program", "--exact", "--nocapture"])
        .env(PROGRAM, program)
        .env(ANSWER, &answer);
    command.envs(variables.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::null());
    Client { child: command.spawn().expect("this program can be started"), answer }
}

impl Client {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for it.
    #[track_caller]
    pub fn answer(&mut self) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Ok(text) = std::fs::read_to_string(&self.answer) {
                return serde_json::from_str(&text).expect("an answer is written as a whole");
            }
            let ended = self.child.try_wait().expect("it is ours");
            // It may have answered and ended between the two.
            assert!(ended.is_none() || self.answer.exists(), "the client ended without an answer: {ended:?}");
            assert!(Instant::now() < end, "the client does not answer");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// As `kill -9` does, without asking for its exit status.
    pub fn kill(&mut self) {
        self.child.kill().expect("it is ours");
    }

    /// Waits until it ended.
    pub fn wait(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().expect("it is ours");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let end = Instant::now() + PATIENCE;
        while self.child.try_wait().is_ok_and(|status| status.is_none()) {
            if Instant::now() >= end || !self.answer.exists() {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Not a test: what a client is.
#[test]
fn runs_a_program() {
    let (Ok(program), Some(answer)) = (std::env::var(PROGRAM), std::env::var_os(ANSWER)) else { return };
    crate::programs::run(&program, &|value| write(Path::new(&answer), value));
}

/// As a whole or not at all.
fn write(answer: &Path, value: &Value) {
    let unfinished = answer.with_extension("unfinished");
    std::fs::write(&unfinished, value.to_string()).expect("writable");
    std::fs::rename(unfinished, answer).expect("writable");
}

/// Asks again until it holds; what it was at last says what went wrong.
#[track_caller]
pub fn eventually<T: std::fmt::Debug>(ask: impl Fn() -> T, holds: impl Fn(&T) -> bool) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        let value = ask();
        if holds(&value) {
            return value;
        }
        assert!(Instant::now() < end, "it stays {value:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
