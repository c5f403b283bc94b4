//! What surrounds the binary, used the way strangers use it: the committed hook file by the real pre-commit in a
//! real git repository, the wheel by pip, and the steps of the committed action by bash.
//!
//! Two tests build gpulint from source a second time. They are slow, need the network, and run only when
//! GPULINT_SLOW_TESTS is set.

#[cfg(unix)]
mod action;
#[cfg(unix)]
#[path = "../cli/broken.rs"]
mod broken;
mod composite;
#[cfg(target_os = "linux")]
mod fleet;
#[cfg(unix)]
mod hooks;
#[cfg(unix)]
mod install;
#[cfg(unix)]
mod integrations;
#[cfg(unix)]
mod registry;
#[cfg(unix)]
mod runtime;
mod scratch;
#[cfg(unix)]
mod wheel;
mod windows;
#[cfg(unix)]
mod workflow;
