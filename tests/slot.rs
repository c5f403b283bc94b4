//! The slot of a GPU under many processes, of which some are killed at random: never two holders, never out of turn,
//! never locked for ever.
//!
//! The processes are this test binary, started again for [`one_of_many`].
#![cfg(all(unix, feature = "runtime"))]

use gpulint::runtime::slot::{CardUse, Holder, SlotError, SlotWait, take};
use rustix::fs::{FlockOperation, fcntl_lock};
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const CARD: &str = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6";
const FOLDER: &str = "GPULINT_TEST_SLOT_FOLDER";
const ROUNDS: &str = "GPULINT_TEST_SLOT_ROUNDS";
/// Generous: only a test that would never end reaches it.
const LIMIT: Duration = Duration::from_secs(300);

/// What one of many processes does: it takes the slot so many times, and writes down what happens.
#[test]
fn one_of_many() {
    let (Some(folder), Ok(rounds)) = (std::env::var_os(FOLDER), std::env::var(ROUNDS)) else { return };
    let folder = PathBuf::from(folder);
    let slots = folder.join("slots");
    for round in 0..rounds.parse().unwrap() {
        let mut came = false;
        let mut progress = |progress: &gpulint::runtime::slot::Progress| {
            if progress.foreign.is_some() {
                note(&folder, "foreign", progress.ticket);
            }
            if !std::mem::replace(&mut came, true) {
                note(&folder, "came", progress.ticket);
            }
        };
        let foreign = folder.join("foreign-process");
        let mut card = || if foreign.exists() { CardUse::Busy("pid 7".to_owned()) } else { CardUse::Free };
        let wait = SlotWait { timeout: None, card: &mut card, progress: &mut progress };
        let slot =
            take(&slots, CARD, &Holder::of_this_process(&["round".into(), round.to_string().into()]), wait)
                .unwrap();
        // Another kind of lock than that of the slot, which dies with its process too.
        let inside = file(&folder.join("inside"));
        let overlap = fcntl_lock(&inside, FlockOperation::NonBlockingLockExclusive).is_err();
        note(&folder, if overlap { "overlap" } else { "served" }, slot.ticket);
        thread::yield_now();
        // The other lock goes first.
        drop(inside);
        note(&folder, "left", slot.ticket);
        drop(slot);
    }
}

#[test]
fn processes_that_are_killed_disturb_nobody() {
    let scratch = Scratch::new("killed");
    let rounds = 50;
    let mut random = Random(u64::from(std::process::id()) * 2 + 1);
    let mut children = (0..10).map(|_| one(&scratch.0, rounds)).collect::<Vec<_>>();
    let mut killed = HashSet::new();
    // The next one dies when so many more have been served: by what happened, not by the clock.
    for kill in 1..=12 {
        let served = kill * 20 + random.below(15);
        wait_until("served", || notes(&scratch.0, "served").len() >= served);
        let victim = random.below(children.len());
        let mut child = children.remove(victim);
        child.kill().unwrap();
        child.wait().unwrap();
        killed.insert(child.id());
        // At first another one comes in its place.
        if kill <= 6 {
            children.push(one(&scratch.0, rounds));
        }
    }
    let survivors = children.iter().map(Child::id).collect::<Vec<_>>();
    for mut child in children {
        assert!(end_of(&mut child).success());
    }

    assert_eq!(notes(&scratch.0, "overlap"), []);
    let served = notes(&scratch.0, "served");
    in_order(&served);
    let of = |pid: &u32| served.iter().filter(|(other, _)| other == pid).count();
    for survivor in survivors {
        assert_eq!(of(&survivor), rounds, "a process that was not killed has all its turns");
    }
    let turns = served.iter().map(|(_, ticket)| *ticket).collect::<HashSet<_>>();
    for (pid, ticket) in notes(&scratch.0, "came") {
        assert!(
            turns.contains(&ticket) || killed.contains(&pid),
            "ticket {ticket} of {pid} was never served"
        );
    }
    one_inside(&scratch.0, &killed);
    nothing_is_locked(&scratch.0);
}

#[test]
fn a_foreign_process_holds_up_all_in_their_order() {
    let scratch = Scratch::new("foreign");
    std::fs::write(scratch.0.join("foreign-process"), "").unwrap();
    let mut children = Vec::new();
    for _ in 0..6 {
        children.push(one(&scratch.0, 3));
        let waiting = children.len();
        wait_until("came", || notes(&scratch.0, "came").len() == waiting);
    }
    // Killed at the head of the queue while it waits for the card, and in the middle.
    wait_until("first", || !notes(&scratch.0, "foreign").is_empty());
    let order = notes(&scratch.0, "came");
    for victim in [0, 3] {
        let child = children.iter_mut().find(|child| child.id() == order[victim].0).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let asked = |ticket| notes(&scratch.0, "foreign").iter().filter(|(_, other)| *other == ticket).count();
    wait_until("the next asks again and again", || asked(order[1].1) >= 3);
    assert_eq!(notes(&scratch.0, "served"), []);
    std::fs::remove_file(scratch.0.join("foreign-process")).unwrap();

    for child in &mut children {
        let ended = end_of(child);
        assert_eq!(ended.success(), ![order[0].0, order[3].0].contains(&child.id()));
    }
    let served = notes(&scratch.0, "served");
    assert_eq!(served.len(), 4 * 3);
    assert_eq!(served[..4], [order[1], order[2], order[4], order[5]]);
    assert_eq!(notes(&scratch.0, "overlap"), []);
    in_order(&served);
    nothing_is_locked(&scratch.0);
}

/// Whoever came first is served first.
fn in_order(served: &[(u32, u64)]) {
    let mut turns = HashMap::new();
    for pair in served.windows(2) {
        assert!(pair[0].1 < pair[1].1, "ticket {} was served after {}", pair[1].1, pair[0].1);
    }
    for (pid, ticket) in served {
        assert!(turns.insert(ticket, pid).is_none(), "ticket {ticket} was served twice");
    }
}

/// Between a turn and its end nobody else has one, unless who had it was killed.
fn one_inside(folder: &Path, killed: &HashSet<u32>) {
    let text = std::fs::read_to_string(folder.join("notes")).unwrap();
    let mut inside: Option<&str> = None;
    for (what, who) in text.lines().filter_map(|line| line.split_once(' ')) {
        let pid = |who: &str| who.split(' ').next().and_then(|pid| pid.parse().ok());
        match what {
            "served" => {
                let left_by_death = inside.and_then(pid).is_none_or(|pid| killed.contains(&pid));
                assert!(left_by_death, "{who} came in while {inside:?} was there");
                inside = Some(who);
            }
            "left" => assert_eq!(inside.take(), Some(who)),
            _ => {}
        }
    }
}

fn nothing_is_locked(folder: &Path) {
    let mut refuse = |_: &gpulint::runtime::slot::Progress| {};
    let wait = SlotWait { timeout: Some(Duration::ZERO), card: &mut || CardUse::Free, progress: &mut refuse };
    let taken: Result<_, SlotError> = take(&folder.join("slots"), CARD, &Holder::of_this_process(&[]), wait);
    taken.unwrap();
    for entry in std::fs::read_dir(folder.join("slots")).unwrap() {
        let path = entry.unwrap().path();
        file(&path).try_lock().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

fn one(folder: &Path, rounds: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "one_of_many"])
        .env(FOLDER, folder)
        .env(ROUNDS, rounds.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn end_of(child: &mut Child) -> std::process::ExitStatus {
    let mut ended = None;
    wait_until("the end of a process", || {
        ended = child.try_wait().unwrap();
        ended.is_some()
    });
    ended.unwrap()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < LIMIT, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// One line, written at once, so that those of many processes stay in order.
fn note(folder: &Path, what: &str, ticket: u64) {
    let line = format!("{what} {} {ticket}\n", std::process::id());
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join("notes")).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

fn notes(folder: &Path, what: &str) -> Vec<(u32, u64)> {
    let text = std::fs::read_to_string(folder.join("notes")).unwrap_or_default();
    let lines = text.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let same = words.next() == Some(what);
        let pid = words.next()?.parse().ok()?;
        let ticket = words.next()?.parse().ok()?;
        same.then_some((pid, ticket))
    });
    lines.collect()
}

fn file(path: &Path) -> File {
    OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path).unwrap()
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("slot-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}
