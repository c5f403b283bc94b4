//! What a job asks for in the words of other schedulers than Slurm, and the numbers of its tasks in an array.

use super::pods::{text_of, value};
use crate::rules::files::FileScope;
use crate::sources::Language;

/// The highest value of `$SLURM_ARRAY_TASK_ID`, or of `$((SLURM_ARRAY_TASK_ID % 4))`, in a job with `--array=0-7`.
pub(super) fn highest_of_array(words: &[&str], written: &str) -> Option<usize> {
    const ID: &str = "SLURM_ARRAY_TASK_ID";
    let array = words.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
        Some(("--array", range)) => Some(range),
        None if matches!(*word, "--array" | "-a") => words.get(at + 1).copied(),
        _ => None,
    })?;
    let range = array.split('%').next().unwrap_or(array);
    let numbers = range.split([',', '-', ':']).map(|number| number.parse::<usize>().ok());
    let last = numbers.collect::<Option<Vec<usize>>>()?.into_iter().max().filter(|_| !range.contains(':'))?;
    let plain: String = written.chars().filter(|letter| !"\"$(){} ".contains(*letter)).collect();
    match plain.strip_prefix(ID)?.strip_prefix('%') {
        Some(divisor) => divisor.parse::<usize>().ok()?.checked_sub(1).map(|rest| rest.min(last)),
        None => (plain == ID).then_some(last),
    }
}

/// What a job of another scheduler asks for on one machine: `#PBS -l select=1:ngpus=2`, `#BSUB -gpu "num=2"`, `#$ -l gpu=2`, and
/// `accelerators: A100:2` of SkyPilot.
pub(super) fn asked_elsewhere(scope: &FileScope<'_>) -> Option<(usize, String)> {
    let text = scope.whole_text();
    if scope.language() == Language::Yaml {
        let root = scope.code.contents.as_ref()?;
        let asked = value(value(root, "resources")?, "accelerators")?;
        value(root, "run")?;
        let text = text_of(Some(asked)).filter(|text| !text.contains([',', '{']))?;
        let (_, count) = text.split_once(':')?;
        return Some((count.parse().ok()?, format!("accelerators: {text}")));
    }
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok();
    let mut asked = text.lines().filter_map(|line| {
        let line = line.trim_end();
        let option = |count: usize| Some((count, line.trim_start_matches(['#', '$', ' ']).to_owned()));
        if let Some(rest) = line.strip_prefix("#PBS ") {
            let chunk = rest.trim().strip_prefix("-l")?.trim();
            let is_one = ["select=1:", "nodes=1:", "ngpus="].iter().any(|begin| chunk.starts_with(begin));
            let part = chunk
                .split([':', ','])
                .find_map(|part| part.strip_prefix("ngpus=").or_else(|| part.strip_prefix("gpus=")))?;
            return option(number(part).filter(|_| is_one && !chunk.contains('+'))?);
        }
        if let Some(rest) = line.strip_prefix("#BSUB ") {
            let request = rest.trim().strip_prefix("-gpu")?;
            let count = request.split_once("num=")?.1;
            return option(number(count).filter(|_| !count.contains("/task"))?);
        }
        let request = line.strip_prefix("#$ ")?.trim().strip_prefix("-l")?.trim();
        let count = request.split(',').find_map(|part| part.strip_prefix("gpu="))?;
        option(number(count).filter(|_| !text.contains("#$ -pe"))?)
    });
    let (count, option) = asked.next().filter(|(count, _)| *count > 0)?;
    asked.next().is_none().then_some((count, option))
}
