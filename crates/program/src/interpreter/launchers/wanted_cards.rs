//! Calls of libraries that are told how many GPUs they use, held against the mask of the process.

use super::super::Interpreter;
use super::super::calls::Args;
use crate::commands::Ranks;
use crate::facts::Span;
use crate::program::MASK;
use crate::program::heap::values::Value;

impl<'p> Interpreter<'p> {
    /// `LLM(model, tensor_parallel_size=4)` and `ray.init(num_gpus=4)` behind a mask of fewer.
    pub(in crate::interpreter) fn observe_wanted_cards(&mut self, path: &str, args: &Args<'p>, span: Span) {
        let wanted = match path {
            "ray.init" => of_ray(args),
            _ => of_vllm(args),
        };
        let Some(wanted) = wanted else { return };
        // vLLM may find the others in a cluster of Ray.
        if path != "ray.init" && self.program.has_any(&["import ray", "ray start", "RAY_ADDRESS"]) {
            return;
        }
        if let Some(mask) = self.known_mask(MASK) {
            self.observe_beyond(&mask, &wanted, span);
        }
    }
}

/// Ray refuses to start with more GPUs than the mask leaves; a cluster that runs already has its own.
fn of_ray(args: &Args<'_>) -> Option<Ranks> {
    let count = number(args, "num_gpus")?;
    let joins = args.at(0).or_else(|| args.keyword("address")).is_some();
    (!joins && !args.open).then(|| Ranks { count, option: format!("num_gpus={count}") })
}

/// The product of both sizes.
fn of_vllm(args: &Args<'_>) -> Option<Ranks> {
    const ELSEWHERE: &[&str] = &["device", "distributed_executor_backend", "nnodes", "worker_use_ray"];
    if args.open || ELSEWHERE.iter().any(|name| args.keyword(name).is_some()) {
        return None;
    }
    let mut wanted = Ranks { count: 1, option: String::new() };
    for name in ["tensor_parallel_size", "pipeline_parallel_size"] {
        if args.keyword(name).is_none() {
            continue;
        }
        let count = number(args, name)?;
        wanted.count = wanted.count.saturating_mul(count);
        if count > 1 {
            let and = if wanted.option.is_empty() { "" } else { ", " };
            wanted.option = format!("{}{and}{name}={count}", wanted.option);
        }
    }
    Some(wanted)
}

fn number(args: &Args<'_>, name: &str) -> Option<usize> {
    match args.keyword(name)?.value {
        Value::Int(number, _) => usize::try_from(number).ok(),
        _ => None,
    }
}
