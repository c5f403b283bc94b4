//! Names of variables that Slurm never sets, and that look like some that it does.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::rules::files::{FileScope, RawFinding};

/// Variables that Slurm sets for the batch script or for a task.
const SET: &[&str] = &[
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_COUNT",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_ARRAY_TASK_MAX",
    "SLURM_ARRAY_TASK_MIN",
    "SLURM_CLUSTER_NAME",
    "SLURM_CPUS_ON_NODE",
    "SLURM_CPUS_PER_TASK",
    "SLURM_GPUS",
    "SLURM_GPUS_ON_NODE",
    "SLURM_GPUS_PER_NODE",
    "SLURM_GPUS_PER_TASK",
    "SLURM_GTIDS",
    "SLURM_JOBID",
    "SLURM_JOB_ACCOUNT",
    "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_JOB_GPUS",
    "SLURM_JOB_ID",
    "SLURM_JOB_NAME",
    "SLURM_JOB_NODELIST",
    "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_PARTITION",
    "SLURM_LAUNCH_NODE_IPADDR",
    "SLURM_LOCALID",
    "SLURM_MEM_PER_NODE",
    "SLURM_NNODES",
    "SLURM_NODEID",
    "SLURM_NODELIST",
    "SLURM_NPROCS",
    "SLURM_NTASKS",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_PROCID",
    "SLURM_STEPID",
    "SLURM_STEP_GPUS",
    "SLURM_STEP_ID",
    "SLURM_STEP_NODELIST",
    "SLURM_STEP_NUM_NODES",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_STEP_TASKS_PER_NODE",
    "SLURM_SUBMIT_DIR",
    "SLURM_SUBMIT_HOST",
    "SLURM_TASKS_PER_NODE",
    "SLURM_TASK_PID",
    "SLURM_TOPOLOGY_ADDR",
];

/// `os.environ["SLURM_JOB_NUMNODES"]`: the same letters as a variable that is set, with other underscores.
pub(super) fn that_are_never_set(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        let key = match &expr.kind {
            ExprKind::Item(item) if scope.names.path(&item.0) == Some("os.environ") => &item.1,
            ExprKind::Call(call) => match scope.names.path(&call.callee) {
                Some("os.environ.get" | "os.getenv") => match call.arguments.first() {
                    Some(first) => &first.value,
                    None => return,
                },
                _ => return,
            },
            _ => return,
        };
        let Expr { kind: ExprKind::Text(name), span } = key else { return };
        let plain = |name: &str| name.replace('_', "");
        if !name.starts_with("SLURM_") || SET.contains(&name.as_ref()) {
            return;
        }
        let Some(meant) = SET.iter().find(|known| plain(known) == plain(name)) else { return };
        // The project, or a script of it, may set it by itself.
        let is_set = scope.program.every_file().any(|(_, file)| {
            file.text.contains(&format!("{name}=")) || file.text.contains(&format!("{name}\"] ="))
        });
        if !is_set {
            found.push(RawFinding::at(scope.place(*span)).word("variable", &**name).word("meant", *meant));
        }
    });
    found
}
