//! What tests use: a host in a temporary folder, and programs started on it.

use crate::devices::{file_name, minors};
use crate::{
    Accounts, CALLS, Call, CallLog, DESCRIPTION, DEVICES, Description, FAULTS, Fault, Incidents, STATE,
};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A simulated host: its folder has the libraries, the description, the state and the log. It is removed when dropped.
///
/// On a machine that has a driver, one that is not installed here would be found there.
#[derive(Debug)]
pub struct SimulatedHost {
    folder: PathBuf,
    pub description: Description,
}

impl SimulatedHost {
    /// With the two cards of [`Description::default`].
    pub fn new() -> SimulatedHost {
        SimulatedHost::of(Description::default())
    }

    pub fn of(description: Description) -> SimulatedHost {
        static HOSTS: AtomicU32 = AtomicU32::new(0);
        let number = HOSTS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("simulated-gpu-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let host = SimulatedHost { folder, description };
        fs::create_dir_all(host.libraries()).expect("the temporary folder is writable");
        fs::create_dir_all(host.state()).expect("the temporary folder is writable");
        for name in ["libcuda.so", "libcuda.so.1"] {
            install(&built("libsimulated_cuda.so"), &host.libraries().join(name));
        }
        install(&built("libsimulated_nvml.so"), &host.libraries().join("libnvidia-ml.so.1"));
        host.describe();
        host
    }

    /// With one more fault.
    pub fn with(self, fault: Fault) -> SimulatedHost {
        self.changed(|description| description.faults.push(fault))
    }

    /// Described otherwise.
    pub fn changed(mut self, change: impl FnOnce(&mut Description)) -> SimulatedHost {
        change(&mut self.description);
        self.describe();
        self
    }

    /// With cuBLAS, which is no part of a driver.
    pub fn with_cublas(self) -> SimulatedHost {
        install(&built("libsimulated_cublas.so"), &self.libraries().join("libcublas.so.13"));
        self
    }

    /// With no libcuda.
    pub fn without_cuda(self) -> SimulatedHost {
        for name in ["libcuda.so", "libcuda.so.1"] {
            fs::remove_file(self.libraries().join(name)).expect("it was installed");
        }
        self
    }

    /// With no libnvidia-ml.
    pub fn without_nvml(self) -> SimulatedHost {
        fs::remove_file(self.libraries().join("libnvidia-ml.so.1")).expect("it was installed");
        self
    }

    /// A program on this host, which takes over no choice of a GPU from whoever runs the tests.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for name in ["CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", FAULTS] {
            command.env_remove(name);
        }
        command.envs(self.environment());
        command
    }

    /// The variables that make a program see this host.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("LD_LIBRARY_PATH", self.libraries()),
            (DESCRIPTION, self.folder.join("host.yaml")),
            (STATE, self.state()),
            (CALLS, self.log()),
            (DEVICES, self.devices()),
        ]
    }

    /// Every call so far, of all programs.
    pub fn calls(&self) -> Vec<Call> {
        CallLog::read(&self.log())
    }

    /// Who holds which memory.
    pub fn accounts(&self) -> Accounts {
        Accounts::new(&self.state()).expect("the folder is there")
    }

    /// What happened to the cards.
    pub fn incidents(&self) -> Incidents {
        Incidents::new(&self.state())
    }

    /// Where everything of it lies; tests may write here too.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the libraries are.
    pub fn libraries(&self) -> PathBuf {
        self.folder.join("lib")
    }

    /// Where the device files of the cards are.
    pub fn devices(&self) -> PathBuf {
        self.folder.join("dev")
    }

    fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("calls")
    }

    fn describe(&self) {
        let text = serde_yaml::to_string(&self.description).expect("a description is plain data");
        fs::write(self.folder.join("host.yaml"), text).expect("the temporary folder is writable");
        let _ = fs::remove_dir_all(self.devices());
        fs::create_dir_all(self.devices()).expect("the temporary folder is writable");
        for minor in minors(&self.description.cards) {
            fs::write(self.devices().join(file_name(minor)), "").expect("the temporary folder is writable");
        }
    }
}

impl Default for SimulatedHost {
    fn default() -> SimulatedHost {
        SimulatedHost::new()
    }
}

impl Drop for SimulatedHost {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A library, where cargo leaves it: beside the test that runs.
fn built(library: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let mut folders = test.ancestors().skip(1).take(2);
    let found = folders.find_map(|folder| {
        [folder.join(library), folder.join("deps").join(library)].into_iter().find(|path| path.is_file())
    });
    found.unwrap_or_else(|| panic!("{library} is not beside {test:?}; `cargo test` builds it"))
}

fn install(from: &Path, to: &Path) {
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).expect("the temporary folder is writable");
    }
}
