//! Commands in a group of their own, with real shells: how they end, and that nothing of them stays.
//!
//! What needs a process to be signalled or killed starts this test binary again for [`one_that_waits`].
#![cfg(all(target_os = "linux", feature = "runtime"))]

use gpulint::runtime::process::{
    Ended, Handle, HiddenFiles, LIMIT_REACHED, Limit, Limits, Namespace, NotStarted, start,
};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const SCRIPT: &str = "GPULINT_TEST_PROCESS_SCRIPT";
const FOLDER: &str = "GPULINT_TEST_PROCESS_FOLDER";
/// Generous: only a test that would never end reaches it.
const LIMIT: Duration = Duration::from_secs(300);
const LONG: Limits = Limits { time: None, grace: Duration::from_secs(60), ends_when_asked: false };

/// What a process does that is signalled or killed: it runs a script, and writes down how that ended.
#[test]
fn one_that_waits() {
    let (Some(script), Some(folder)) = (std::env::var_os(SCRIPT), std::env::var_os(FOLDER)) else { return };
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).current_dir(&folder);
    let ended = start(command, LONG).unwrap().wait();
    std::fs::write(Path::new(&folder).join("ended.new"), format!("{} {:?}", ended.code, ended.signal))
        .unwrap();
    std::fs::rename(Path::new(&folder).join("ended.new"), Path::new(&folder).join("ended")).unwrap();
}

#[test]
fn hidden_device_files_cannot_be_opened() {
    let _one = one_at_a_time();
    for namespace in [Namespace::Mount, Namespace::User] {
        let scratch = Scratch::new("hidden");
        let mut command = Command::new("sh");
        command
            .args(["-c", "test -c /dev/zero && head -c 1 /dev/full > seen && ! head -c 1 /dev/zero 2> said"]);
        command.current_dir(&scratch.0);
        HiddenFiles { files: vec!["/dev/zero".into()], namespace }.apply(&mut command).unwrap();
        match start(command, LONG) {
            Ok(running) => {
                assert_eq!(running.wait().code, 0, "{namespace:?}");
                assert!(scratch.read("said").contains("Permission denied"), "{}", scratch.read("said"));
                assert_eq!(scratch.read("seen").len(), 1);
            }
            // Not every system allows it to every user, and then nothing runs.
            Err(error) => {
                let refused =
                    ["denied", "cannot be executed", "not permitted", "No space left", "not implemented"];
                assert!(refused.iter().any(|why| error.to_string().contains(why)), "{namespace:?}: {error}");
            }
        }
        // For this process nothing has changed.
        assert!(std::fs::File::open("/dev/zero").is_ok());
    }
}

#[test]
fn codes_are_passed_through() {
    let _one = one_at_a_time();
    for code in [0, 1, 7, 124, 255] {
        let ended = run(&format!("exit {code}"), Path::new("."), LONG);
        assert_eq!((ended.code, ended.signal, ended.limit), (code, None, None));
        assert_eq!(ended.orphans, []);
        assert!(ended.cpu_time.is_some());
    }
    for signal in [9, 15, 6] {
        let ended = run(&format!("kill -{signal} $$"), Path::new("."), LONG);
        assert_eq!((ended.code, ended.signal, ended.limit), (128 + signal, Some(signal), None));
    }
}

#[test]
fn a_command_that_ignores_the_request_is_ended_after_the_grace_period() {
    let _one = one_at_a_time();
    let scratch = Scratch::new("ignores");
    let script = "trap '' TERM; echo ready > ready; while :; do sleep 0.05; done";
    let (ended, time) = run_over_time(script, &scratch, Duration::from_millis(100));
    assert_eq!((ended.code, ended.signal), (LIMIT_REACHED, Some(9)));
    assert_eq!(ended.limit, Some(Limit::Time(time)));
    assert!(ended.orphans.iter().all(|orphan| orphan.ended), "{:?}", ended.orphans);
}

#[test]
fn a_command_may_tidy_up_within_the_grace_period() {
    let _one = one_at_a_time();
    let scratch = Scratch::new("tidies");
    let script = "trap 'echo tidy > tidied; exit 0' TERM; echo ready > ready; while :; do sleep 0.05; done";
    let (ended, time) = run_over_time(script, &scratch, LIMIT);
    assert_eq!((ended.code, ended.signal), (LIMIT_REACHED, None));
    assert_eq!(ended.limit.unwrap().to_string(), format!("it ran for longer than {} s", time.as_secs_f64()));
    assert_eq!(scratch.read("tidied"), "tidy");
}

#[test]
fn another_thread_can_stop_the_command() {
    let _one = one_at_a_time();
    let scratch = Scratch::new("stop");
    let running = start(shell("echo ready > ready; sleep 1000", &scratch.0), LONG).unwrap();
    let handle = running.handle();
    let folder = scratch.0.clone();
    let watch = thread::spawn(move || {
        wait_until("ready", || folder.join("ready").exists());
        assert_eq!(handle.processes()[0].name, "sh");
        handle.stop(Limit::Memory { allowed: 1 << 30, used: 3 << 29 });
        handle.stop(Limit::Other("too late".to_owned()));
    });
    let pid = running.pid();
    let ended = running.wait();
    watch.join().unwrap();
    assert_eq!((ended.code, ended.signal), (LIMIT_REACHED, Some(15)));
    assert_eq!(ended.limit.unwrap().to_string(), "it used 1536 MiB of GPU memory, and may use 1024 MiB");
    assert!(is_gone(pid));
}

#[test]
fn a_daemon_is_found_and_ended() {
    let _one = one_at_a_time();
    let scratch = Scratch::new("daemon");
    // Twice forked, in a session of its own, with no parent of the command any more; the second ignores the request.
    let script = r#"
        (setsid sh -c 'echo $$ > polite; while :; do sleep 0.1; done' &)
        (setsid sh -c 'trap "" TERM; echo $$ > stubborn; while :; do sleep 0.1; done' &)
        until [ -s polite ] && [ -s stubborn ]; do sleep 0.01; done
        exit 3"#;
    let limits = Limits { grace: Duration::from_millis(300), ..LONG };
    let ended = run(script, &scratch.0, limits);
    assert_eq!(ended.code, 3);
    for name in ["polite", "stubborn"] {
        let pid = scratch.read(name).parse::<u32>().unwrap();
        let orphan = ended.orphans.iter().find(|orphan| orphan.pid == pid).unwrap();
        assert_eq!((orphan.name.as_str(), orphan.ended), ("sh", true));
    }
    assert!(ended.orphans.iter().all(|orphan| orphan.ended && is_gone(orphan.pid)), "{:?}", ended.orphans);
}

#[test]
fn processes_of_others_are_left_alone() {
    let _one = one_at_a_time();
    let scratch = Scratch::new("others");
    // One with a group of its own that was there before, and one in our group that is started meanwhile.
    let before = Bystander(Command::new("sleep").arg("1000").process_group(0).spawn().unwrap());
    let script = "until [ -e go ]; do sleep 0.01; done; setsid sleep 1000 & exit 0";
    let running = start(shell(script, &scratch.0), LONG).unwrap();
    let meanwhile = Bystander(Command::new("sleep").arg("1000").spawn().unwrap());
    std::fs::write(scratch.0.join("go"), "").unwrap();
    let ended = running.wait();
    assert_eq!(ended.orphans.len(), 1, "{:?}", ended.orphans);
    for mut bystander in [before, meanwhile] {
        assert_eq!(bystander.0.try_wait().unwrap(), None);
        bystander.0.kill().unwrap();
    }
}

#[test]
fn a_hundred_quick_runs_leave_nothing() {
    let _one = one_at_a_time();
    let scratch = Scratch::new("quick");
    for round in 0..100 {
        let ended = run(&format!("echo $$ >> pids; sh -c 'exit 0' & exit {}", round % 3), &scratch.0, LONG);
        assert_eq!(ended.code, round % 3);
    }
    let pids = scratch.read("pids");
    assert_eq!(pids.lines().count(), 100);
    assert!(pids.lines().all(|pid| is_gone(pid.parse().unwrap())));
    let family = start(shell("exit 0", &scratch.0), LONG).unwrap();
    let handle: Handle = family.handle();
    family.wait();
    assert_eq!(handle.processes(), []);
}

#[test]
fn what_nobody_waits_for_is_ended() {
    let _one = one_at_a_time();
    let scratch = Scratch::new("dropped");
    let running =
        start(shell("(setsid sleep 1000 &); echo ready > ready; sleep 1000", &scratch.0), LONG).unwrap();
    wait_until("ready", || scratch.0.join("ready").exists());
    let processes = running.handle().processes();
    drop(running);
    assert!(processes.len() >= 2 && processes.iter().all(|process| is_gone(process.pid)), "{processes:?}");
}

#[test]
fn one_command_at_a_time() {
    let _one = one_at_a_time();
    let first = start(shell("exit 0", Path::new(".")), LONG).unwrap();
    assert!(matches!(start(shell("exit 0", Path::new(".")), LONG), Err(NotStarted::Another)));
    first.wait();
}

#[test]
fn signals_are_passed_on_once() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2] {
        if is_ignored(signal) {
            continue;
        }
        let scratch = Scratch::new(&format!("signal-{}", signal.as_raw()));
        let number = signal.as_raw();
        let script = format!(
            "trap 'echo got >> got' {number}; echo ready > ready; until [ -s got ]; do sleep 0.02; done; sleep 0.3; exit 9"
        );
        let mut waiting = waiting(&script, &scratch.0);
        wait_until("ready", || scratch.0.join("ready").exists());
        kill_process(Pid::from_child(&waiting), signal).unwrap();
        assert!(waiting.wait().unwrap().success());
        assert_eq!((scratch.read("ended").as_str(), scratch.read("got").as_str()), ("9 None", "got"));
    }
    let scratch = Scratch::new("signal-ends");
    let mut waiting = waiting("echo ready > ready; sleep 1000", &scratch.0);
    wait_until("ready", || scratch.0.join("ready").exists());
    kill_process(Pid::from_child(&waiting), Signal::TERM).unwrap();
    assert!(waiting.wait().unwrap().success());
    assert_eq!(scratch.read("ended"), "143 Some(15)");
}

/// With the foreground given to the command, and in a pipeline, where this process keeps it.
#[test]
fn ctrl_c_reaches_the_command_once() {
    if is_ignored(Signal::INT) {
        return;
    }
    for (name, pipeline) in [("terminal", ""), ("pipeline", " | cat")] {
        let scratch = Scratch::new(name);
        let script = "trap 'echo got >> got' INT; echo ready > ready; until [ -s got ]; do sleep 0.02; done; sleep 0.3; exit 9";
        let own = std::env::current_exe().unwrap();
        let line = format!("'{}' --exact one_that_waits{pipeline}", own.display());
        let mut terminal = Command::new("script");
        terminal.args(["-qec", &line, "/dev/null"]).env(SCRIPT, script).env(FOLDER, &scratch.0);
        let terminal = terminal.env("SHELL", "/bin/sh").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        // Not everybody has it.
        let Ok(terminal) = terminal else { return };
        let mut terminal = Bystander(terminal);
        wait_until("ready", || scratch.0.join("ready").exists());
        let mut keys = terminal.0.stdin.take().unwrap();
        keys.write_all(b"\x03").unwrap();
        wait_until("ended", || scratch.0.join("ended").exists());
        assert_eq!(
            (scratch.read("ended").as_str(), scratch.read("got").as_str()),
            ("9 None", "got"),
            "{name}"
        );
        drop(keys);
        terminal.0.wait().unwrap();
    }
}

#[test]
fn the_command_ends_with_the_one_who_waits() {
    let scratch = Scratch::new("killed");
    let mut waiting = waiting("echo $$ > pid.new; mv pid.new pid; exec sleep 1000", &scratch.0);
    wait_until("pid", || scratch.0.join("pid").exists());
    waiting.kill().unwrap();
    waiting.wait().unwrap();
    let pid = scratch.read("pid").parse().unwrap();
    wait_until("the end of the command", || is_gone(pid) || is_dead(pid));
}

#[test]
fn what_cannot_be_started_says_why() {
    let _one = one_at_a_time();
    let scratch = Scratch::new("not-started");
    std::fs::write(scratch.0.join("train.py"), "").unwrap();
    std::fs::write(scratch.0.join("odd"), "#!/no/such/interpreter\n").unwrap();
    let allowed = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(scratch.0.join("odd"), allowed).unwrap();
    for (program, said) in [
        ("no-such-program", "`no-such-program` was not found: it is in no folder of PATH"),
        ("./none", "`./none` was not found: there is no such file"),
        ("train.py", "`train.py` was not found: a file of this folder is started as `./train.py`"),
        (
            "./train.py",
            "`./train.py` cannot be executed: start it with `python ./train.py`, or allow it with `chmod +x ./train.py`",
        ),
        ("./odd", "`./odd` was not found: the interpreter that its first line names is not there"),
        (
            "python train.py",
            "`python train.py` was not found: write its words without quotes around them all, or start a shell with `sh -c '…'`",
        ),
        ("EPOCHS=1", "`EPOCHS=1` was not found: to set a variable for the command, write `env` before it"),
        ("source", "`source` was not found: only a shell knows this word; start one with `sh -c 'source …'`"),
        ("./", "`./` cannot be executed: it is a folder"),
    ] {
        let mut command = Command::new(program);
        command.current_dir(&scratch.0);
        let Err(error) = start(command, LONG) else { panic!("{program} was started") };
        assert_eq!(error.to_string(), said);
    }
}

fn run(script: &str, folder: &Path, limits: Limits) -> Ended {
    start(shell(script, folder), limits).unwrap().wait()
}

/// With the first time limit that is long enough for the script to become ready.
fn run_over_time(script: &str, scratch: &Scratch, grace: Duration) -> (Ended, Duration) {
    for time in [Duration::from_millis(100), Duration::from_secs(2), Duration::from_secs(60)] {
        let ended = run(script, &scratch.0, Limits { time: Some(time), grace, ..LONG });
        if scratch.0.join("ready").exists() {
            return (ended, time);
        }
    }
    panic!("a shell that does not start");
}

fn shell(script: &str, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder);
    command
}

fn waiting(script: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "one_that_waits"])
        .env(SCRIPT, script)
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < LIMIT, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Also by what this process starts: shells do that to what runs in their background.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 << (signal.as_raw() - 1) != 0
}

fn is_gone(pid: u32) -> bool {
    test_kill_process(Pid::from_raw(pid as i32).unwrap()) == Err(Errno::SRCH)
}

/// Ended, and not yet noticed by whoever is its parent now.
fn is_dead(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
}

/// Commands of one process do not run side by side.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Bystander(Child);

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("process-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_default().trim_end().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
