//! The language server as editors meet it: a program that is spoken to over its standard input and output.

mod client;
mod conversation;
mod documents;
mod fixes;
mod modern;
mod notebooks;
mod peers;
mod policies;
mod requests;

/// A program that chooses a GPU by index and does not fix the order: `missing-device-order` on line 2.
const WRONG: &str = "\
import os
os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"
import torch
torch.cuda.init()
";

/// The same, and right.
const RIGHT: &str = "\
import os
os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"
os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"
import torch
torch.cuda.init()
";

const RULE: &str = "missing-device-order";

/// The page of a rule, once it is known where gpulint is at home. The tests hold before and after.
fn page(rule: &str) -> Option<String> {
    let home = Some(env!("CARGO_PKG_REPOSITORY")).filter(|address| !address.contains("OWNER"));
    home.map(|home| format!("{home}/blob/main/docs/rules.md#{rule}"))
}

/// How a hover about a rule begins.
fn linked(rule: &str) -> String {
    page(rule).map_or_else(|| format!("**gpulint: {rule}**"), |page| format!("**gpulint: [{rule}]({page})**"))
}

/// Under it the fixes of a right program are safe ones.
const GPU_POLICY: (&str, &str) =
    ("gpulint.yaml", "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n");

/// What turns a folder into a project, and asks for nothing.
const EMPTY_POLICY: (&str, &str) = ("gpulint.yaml", "{}\n");
