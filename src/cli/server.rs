//! `gpulint server`: starts the language server.

use super::on_large_stacks;
use super::options::{PolicyOptions, severity};
use crate::findings::Severity;
use crate::server::{self, ShownHints};
use crate::settings::Request;
use clap::Args;
use std::time::Duration;

/// People pause as long between words; a check at each letter would be about half of a word.
const DELAY: Duration = Duration::from_millis(200);

#[derive(Args)]
pub struct Arguments {
    /// Run only these rules: recommended, strict, all, a family or an id.
    #[arg(long, value_delimiter = ',', value_name = "RULES")]
    select: Vec<String>,
    /// Do not run these rules: a family or an id.
    #[arg(long, value_delimiter = ',', value_name = "RULES")]
    ignore: Vec<String>,
    /// Show findings of this severity and above: note (as a hint), warning or error.
    #[arg(long, value_parser = severity(), default_value = "note", hide_possible_values = true,
          value_name = "SEVERITY")]
    min_severity: Severity,
    #[command(flatten)]
    policy: PolicyOptions,
    /// Use standard input and output, which is always so; some editors pass this.
    #[arg(long, hide = true)]
    stdio: bool,
}

pub fn run(arguments: Arguments) -> u8 {
    let request = Request {
        select: arguments.select,
        ignore: arguments.ignore,
        ..arguments.policy.request(Vec::new())
    };
    let min_severity = arguments.min_severity;
    let options = server::Options { request, min_severity, delay: DELAY, shown: ShownHints::default() };
    server::run(options, |checks| on_large_stacks(checks))
}
