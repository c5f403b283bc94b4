//! Whether a program checks which GPU it got: by one of the policy's validators, or by asking the device in
//! code that stops when the answer is wrong. What it is called does not matter.

use super::evaluate::Scope;
use crate::program::trace::EventKind;

/// Calls that ask the device itself, by the end of their names.
const ASKS: &[&str] = &[
    "cuda.get_device_name",
    "cuda.get_device_properties",
    "cuda.mem_get_info",
    "cuda.get_device_capability",
    "runtime.getDeviceProperties",
    "runtime.memGetInfo",
    "nvmlDeviceGetName",
    "nvmlDeviceGetUUID",
    "nvmlDeviceGetMemoryInfo",
    "cuda.get_current_device",
];

/// Those of them that tell one GPU of a machine from another.
const TELL_APART: &[&str] = &[
    "cuda.get_device_name",
    "cuda.mem_get_info",
    "runtime.memGetInfo",
    "nvmlDeviceGetName",
    "nvmlDeviceGetUUID",
    "nvmlDeviceGetMemoryInfo",
];

impl Scope<'_> {
    /// Looks through the whole trace.
    pub(super) fn has_validation(&self) -> bool {
        self.trace.events.iter().any(|event| match &event.what {
            EventKind::Validate { .. } => true,
            EventKind::Call { callee, .. } => {
                let frame = &self.trace.frames[event.frame as usize];
                ASKS.iter().any(|asks| callee.ends_with(asks))
                    && (self.program.may_stop(frame) || self.program.caller_may_stop(self.trace, frame))
            }
            _ => false,
        })
    }

    /// Whether the program stops on a GPU with another name or less memory than it wants: then it is no matter which one
    /// comes first. What a GPU can do is no such question, since many can do the same.
    pub(super) fn tells_gpus_apart(&self) -> bool {
        self.trace.events.iter().any(|event| match &event.what {
            EventKind::Validate { .. } => true,
            EventKind::Call { callee, .. } => {
                let statement = || self.program.sources.text(event.statement);
                let is_particular = TELL_APART.iter().any(|asks| callee.ends_with(asks))
                    || callee.ends_with("get_device_properties")
                        && [").name", ").total_memory", ").uuid"]
                            .iter()
                            .any(|part| statement().contains(part));
                is_particular && self.program.stops_by_answer(self.trace, event)
            }
            _ => false,
        })
    }
}
