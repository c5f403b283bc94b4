//! `--watch`: checks again whenever a file changes, until Ctrl-C ends the process.
//!
//! Files are looked at by their times, twice a second: that sees what editors, git and containers do alike, on every
//! system and every kind of disk.

use super::super::say;
use crate::disk::absolute;
use crate::findings::baseline;
use crate::policy::policy_files_of;
use crate::settings::{Request, resolve};
use crate::sources::{FileSelection, MissingPaths, Stamps, stamp_of, stamps};
use std::cell::RefCell;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(400);
/// Looking takes at most this part of the time: one in so many.
const SHARE: u32 = 20;
/// More names than this help nobody.
const MOST_NAMES: usize = 3;

/// Calls `check` now and after every change, but for those of the files in `own`, which the run writes itself. Returns
/// when nobody reads the output any more.
pub fn watch(
    request: &Request,
    own: &[PathBuf],
    out: &mut dyn Write,
    mut check: impl FnMut(&mut dyn Write) -> anyhow::Result<u8>,
) -> anyhow::Result<u8> {
    let policies = RefCell::default();
    let look = || look(request, own, &policies);
    let mut seen = look()?;
    loop {
        if let Err(error) = check(out) {
            // A policy that is being written is wrong for a while.
            say(format_args!("error: {error:#}"));
        }
        match out.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(0),
            flushed => flushed?,
        }
        let files = seen.values().filter(|stamp| stamp.is_some()).count();
        say(format_args!(
            "note: waiting for changes of {files} file{}; Ctrl-C ends",
            if files == 1 { "" } else { "s" }
        ));
        let changed = changes(&look, &mut seen);
        if io::stdout().is_terminal() {
            // The last report is gone for good, or one would scroll up into it.
            io::stdout().write_all(b"\x1b[2J\x1b[3J\x1b[H")?;
        }
        say(format_args!("note: {changed}"));
    }
}

/// Waits until something changed and then rests, since editors and git write several files one after the other.
fn changes(look: &dyn Fn() -> Result<Stamps, MissingPaths>, seen: &mut Stamps) -> String {
    let before = seen.clone();
    let mut pause = PAUSE;
    loop {
        std::thread::sleep(pause);
        let started = Instant::now();
        // A named file that an editor puts in the place of the old one is away for a moment.
        let Ok(now) = look() else { continue };
        pause = PAUSE.max(started.elapsed() * SHARE);
        let rests = now == *seen;
        *seen = now;
        if rests && *seen != before {
            return told(&before, seen);
        }
    }
}

fn told(before: &Stamps, now: &Stamps) -> String {
    let stamp = |stamps: &Stamps, path: &Path| stamps.get(path).copied().flatten();
    let mut paths: Vec<&PathBuf> = before.keys().chain(now.keys()).collect();
    paths.sort();
    paths.dedup();
    let cwd = std::env::current_dir().unwrap_or_default();
    let mut told: Vec<String> = Vec::new();
    for path in paths {
        let happened = match (stamp(before, path), stamp(now, path)) {
            (None, Some(_)) => "is new",
            (Some(_), None) => "is gone",
            (old, new) if old != new => "changed",
            _ => continue,
        };
        told.push(format!("{} {happened}", path.strip_prefix(&cwd).unwrap_or(path).display()));
    }
    let others = told.len().saturating_sub(MOST_NAMES);
    told.truncate(MOST_NAMES);
    if others > 0 {
        told.push(format!("{others} more"));
    }
    told.join(", ")
}

/// The files that a run would read now, and those that decide how. `policies` are the files of all policies, which are known
/// while none of them is wrong.
fn look(
    request: &Request,
    own: &[PathBuf],
    policies: &RefCell<Vec<PathBuf>>,
) -> Result<Stamps, MissingPaths> {
    let cwd = std::env::current_dir().unwrap_or_default();
    let start = request.paths.first().map_or_else(|| cwd.clone(), |path| absolute(path));
    let above = start.ancestors().flat_map(policy_files_of);
    let named = request.config.iter().map(|file| absolute(Path::new(file)));
    let resolved = resolve(request);
    let (root, extent) = match &resolved {
        Ok((settings, extent)) => (settings.root.clone(), *extent),
        Err(_) => (cwd, FileSelection::NamedPaths),
    };
    let mut stamps = stamps(&root, &request.paths, extent, above.chain(named))?;
    if let Ok((mut settings, _)) = resolved
        && settings.find_others_above(stamps.keys().map(PathBuf::as_path)).is_ok()
    {
        let default = settings.base().join(baseline::NAME);
        let files = settings.all_policy_files().map(Path::to_owned);
        policies.replace(files.chain(settings.baselines()).chain([default]).collect());
    }
    let policies = policies.borrow().iter().map(|file| (file.clone(), stamp_of(file))).collect::<Vec<_>>();
    stamps.extend(policies);
    stamps.retain(|file, _| !own.contains(file));
    Ok(stamps)
}
