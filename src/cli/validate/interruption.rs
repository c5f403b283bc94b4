//! Ctrl-C and requests to end: the first ends the checks as they wish to be ended, the second at once, and the third this
//! process, which may be waiting for a driver that does not answer.

#[cfg(unix)]
use crate::runtime::process::is_ignored;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What somebody has asked for so far.
#[derive(Default)]
pub struct Interruption {
    pub asked: Arc<AtomicBool>,
    pub asked_again: Arc<AtomicBool>,
}

impl Interruption {
    /// # Errors
    /// When the system tells of no signals.
    pub fn listen() -> anyhow::Result<Interruption> {
        let interruption = Interruption::default();
        #[cfg(unix)]
        interruption.catch()?;
        Ok(interruption)
    }

    #[cfg(unix)]
    fn catch(&self) -> anyhow::Result<()> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use std::sync::atomic::Ordering;
        // `nohup` and shells let a process ignore signals: to catch one would undo that.
        let caught = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
        let mut signals = signal_hook::iterator::Signals::new(caught)?;
        let (asked, asked_again) = (self.asked.clone(), self.asked_again.clone());
        let listening = move || {
            for signal in signals.forever() {
                if asked.swap(true, Ordering::Relaxed) && asked_again.swap(true, Ordering::Relaxed) {
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            }
        };
        std::thread::Builder::new().name("interruption".into()).spawn(listening)?;
        Ok(())
    }
}
