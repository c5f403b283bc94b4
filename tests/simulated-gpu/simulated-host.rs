//! A program on a simulated host, for people: `scripts/simulated_host` builds it with what it needs.
//!
//! `simulated-host [--host FILE] [PROGRAM [ARGUMENTS]…]` starts the program, or a shell without one, with the variables that make it
//! see the cards of FILE, and with the gpulint that was built beside it first on `PATH`. It ends as the program does, and
//! then the host is gone.

#[cfg(target_os = "linux")]
use simulated_gpu_host::{Description, SimulatedHost};
#[cfg(target_os = "linux")]
use std::{ffi::OsString, os::unix::process::ExitStatusExt, path::Path};

use std::process::ExitCode;

/// Something that was asked for cannot be done.
const UNUSABLE: u8 = 2;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    let ended = run(std::env::args_os().skip(1).collect());
    #[cfg(not(target_os = "linux"))]
    let ended: Result<u8, &str> = Err("there is no simulated host for this system, only for Linux");
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(fault) => {
            eprintln!("simulated-host: {fault}");
            ExitCode::from(UNUSABLE)
        }
    }
}

#[cfg(target_os = "linux")]
fn run(mut words: Vec<OsString>) -> Result<u8, String> {
    let description = match words.first().is_some_and(|word| word == "--host") {
        false => Description::default(),
        true => {
            let file = words.get(1).cloned().ok_or("--host needs a file")?;
            words.drain(..2);
            described(Path::new(&file))?
        }
    };
    if words.is_empty() {
        words.push(std::env::var_os("SHELL").unwrap_or_else(|| "sh".into()));
    }
    let host = SimulatedHost::of(description).with_cublas();
    let mut command = host.command(&words[0]);
    command.args(&words[1..]).env("GPULINT_SLOT_DIR", host.folder().join("slots"));
    command.env("XDG_STATE_HOME", host.folder().join("remembered")).env("PATH", path());
    eprintln!("simulated: none of these cards exists, and no number says anything about hardware");
    let ended = command.status().map_err(|error| format!("{}: {error}", words[0].display()))?;
    let code = ended.code().unwrap_or_else(|| 128 + ended.signal().unwrap_or_default());
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}

#[cfg(target_os = "linux")]
fn described(file: &Path) -> Result<Description, String> {
    let wrong = |fault: &dyn std::fmt::Display| format!("{}: {fault}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
    serde_yaml::from_str(&text).map_err(|error| wrong(&error))
}

/// With the folder first where cargo leaves gpulint.
#[cfg(target_os = "linux")]
fn path() -> OsString {
    let own = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.parent()?.to_owned()));
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = own.into_iter().chain(std::env::split_paths(&others));
    std::env::join_paths(folders).unwrap_or(others)
}
