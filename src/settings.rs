//! stub
use crate::policy::{Mode, Policy};
use std::path::PathBuf;
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub root: PathBuf,
    pub policy: Policy,
    pub policy_file: Option<PathBuf>,
    pub mode: Option<Mode>,
    pub select: Vec<String>,
    pub ignore: Vec<String>,
}
