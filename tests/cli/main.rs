//! The command line as users see it: what they type, what they read, and the exit code.

mod add_ignore;
mod against_python;
mod bad_input;
mod baseline;
mod broken;
mod browser;
mod cache;
mod changed_lines;
mod comfort;
mod compact;
mod examples;
mod excluded;
mod files;
mod fix;
mod for_project;
mod frameworks;
mod git;
mod hostile;
mod init;
mod later_imports;
mod map;
mod map_corrections;
mod map_page;
mod map_programs;
mod map_since;
mod mutations;
mod named_functions;
mod own_rules;
mod page;
mod pages;
mod playground;
mod policy;
mod prefilter;
mod project;
mod regressions;
mod reports;
mod rules;
mod runners;
mod shards;
mod shells;
mod silent_calls;
mod since;
mod staged;
mod stdin;
mod subfolders;
mod summaries;
mod trace;
mod usage;
mod watch;
mod why;

/// A program that chooses a GPU by index and does not fix the order: `missing-device-order`, a
/// warning without a policy, on line 2.
const INDEX_WITHOUT_ORDER: &str = "\
import os
os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"
import torch
torch.cuda.init()
";

/// With it each place without an order is a warning, and not only the first of the project.
const EACH_BY_ITSELF: &str = "rules: {severity: {missing-device-order: warning}}\n";

/// The end of every summary where there is no policy.
const NO_POLICY: &str = "No policy says which GPU is right: `gpulint init` writes one.";
