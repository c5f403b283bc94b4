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

/// Under it the fixes of a right program are safe ones.
const GPU_POLICY: (&str, &str) =
    ("gpulint.yaml", "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n");

/// What turns a folder into a project, and asks for nothing.
const EMPTY_POLICY: (&str, &str) = ("gpulint.yaml", "{}\n");
