//! What a command says about GPUs beside the mask that it finds: how many processes it starts, which cards it picks
//! itself, and whose environment counts.

use super::Interpreter;
use super::calls::Arg;
use super::command_words::Argument;
use super::device_indices::cuda_index;
use crate::code::{Command, Expr, ExprKind, Observation};
use crate::commands::{
    Gpus, Invocation, Mask, Ranks, SeparateEnvironment, cards_of_accelerate, cards_of_ray, program_name,
    ranks, ranks_of_settings, settings_of_accelerate,
};
use crate::facts::{Place, Span};
use crate::masks;
use crate::program::heap::values::Value;
use crate::program::state::{Definition, MASK};
use crate::program::trace::EventKind;
use crate::versions::Range;
use smallvec::smallvec;

impl<'p> Interpreter<'p> {
    /// A launcher of processes picks the GPUs for what it starts.
    pub(super) fn mask_by_launcher(&mut self, mask: Option<Mask>, words: &[Argument<'p>]) {
        let (word, value) = match mask {
            None => return self.mask_by_settings(words),
            Some(Mask::First { count, word }) if self.program.options.launchers_set_masks => {
                (word, (0..count).map(|card| card.to_string()).collect::<Vec<_>>().join(","))
            }
            // Out of those that it is given, if it is.
            Some(Mask::Counted | Mask::First { .. }) => {
                if self.reaching(MASK).iter().any(Definition::is_absent) {
                    self.set_reaching(MASK, smallvec![Definition::Elsewhere]);
                }
                return;
            }
            Some(Mask::Listed(list)) => {
                let text = words.get(list.word).and_then(|word| word.text.as_deref());
                let Some(text) = text else { return };
                (list.word, text.get(list.range.0..list.range.1).unwrap_or_default().to_owned())
            }
        };
        let Some(word) = words.get(word) else { return };
        let key = Value::text(MASK, self.place(word.span));
        let value = Value::text(value, self.place(word.span));
        self.write_variable(&key, &value, word.span, false);
    }

    /// `gpu_ids: 0,1` in the settings that `accelerate launch --config_file` is given: it writes them into the variable.
    fn mask_by_settings(&mut self, words: &[Argument<'p>]) {
        let texts: Vec<Option<&str>> = words.iter().map(|word| word.text.as_deref()).collect();
        let file = cards_of_accelerate(&texts)
            .and_then(|path| self.program.launched_file(self.here.file, None, path));
        let Some(Expr { kind: ExprKind::Mapping(settings), .. }) =
            file.and_then(|file| self.program.code_in_pieces(file).contents.as_ref())
        else {
            return;
        };
        let held = |name: &str| {
            let is_it = |key: &Expr<'_>| matches!(&key.kind, ExprKind::Text(text) if text == name);
            settings.iter().find(|(key, _)| key.as_ref().is_some_and(is_it)).map(|(_, value)| value)
        };
        let Some(ids) = held("gpu_ids") else { return };
        let list = match &ids.kind {
            ExprKind::Text(text) if text != "all" => text.to_string(),
            ExprKind::Int(number) => number.to_string(),
            _ => return,
        };
        let place = Place { file: file.unwrap_or(self.here.file), span: ids.span };
        let key = Value::text(MASK, place);
        let value = Value::text(list, place);
        let span = words.last().map_or(ids.span, |word| word.span);
        self.write_variable(&key, &value, span, false);
    }

    /// `WhisperModel("small", device=settings["device"])` with `cuda:1` in the settings. What stands in the call itself is looked at there.
    pub(super) fn observe_index_in_name(&mut self, argument: &Arg<'p>, name: Option<&str>) {
        let value = self.force(argument.value.clone());
        let value = self.option_default(&value).unwrap_or(value);
        let Value::Text(text) = self.whole_contents(&value) else { return };
        let has_index = cuda_index(&text.text, false).is_some();
        if has_index && text.place != self.place(argument.span) {
            let name = name.unwrap_or("device");
            let says = format!("`{name}` takes the kind of device alone, and is given `{}`", text.text);
            self.note_observed(Observation::IndexInDevice, says, argument.span);
        }
    }

    pub(super) fn note_observed(&mut self, what: Observation, text: String, span: Span) {
        self.note(EventKind::Observed { what, about_gpu: true, text }, span);
    }

    /// Looks at a command with the environment that it finds.
    pub(super) fn observe_command(&mut self, command: &Command<'p>, words: &[Argument<'p>], span: Span) {
        let defaults: Vec<Option<&str>> =
            words.iter().map(|word| word.text.as_deref().or(word.default.as_deref())).collect();
        let words: Vec<Option<&str>> = words.iter().map(|word| word.text.as_deref()).collect();
        let words = &words[..];
        self.observe_host_mask(words, span);
        let Some(mask) = self.known_mask(MASK) else { return self.observe_ranks_of_policy(words, span) };
        self.observe_ranks(&mask, &defaults, span);
        self.observe_ignored_mask(&mask, words, span);
        self.observe_client(command, &mask, words, span);
    }

    /// The mask that is in force, where every way leads to the same one.
    pub(super) fn known_mask(&mut self, variable: &str) -> Option<String> {
        let reaching = self.reaching(variable);
        let mut texts = reaching.iter().map(|definition| match definition {
            Definition::Set(_, Some(text)) => Some(text.to_string()),
            _ => None,
        });
        let first = texts.next()??;
        texts.all(|text| text.as_deref() == Some(&*first)).then_some(first)
    }

    /// `srun --container-image` hands the environment on.
    fn observe_host_mask(&mut self, words: &[Option<&str>], span: Span) {
        let Some(at) = words.iter().position(|word| word.is_some_and(|word| program_name(word) == "srun"))
        else {
            return;
        };
        let options = words[at + 1..].iter().flatten();
        if !options.clone().any(|word| word.split('=').next() == Some("--container-image")) {
            return;
        }
        let exported = options.clone().find_map(|word| word.strip_prefix("--export="));
        for variable in [MASK, "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"] {
            let is_handed =
                exported.is_none_or(|names| names.split(',').any(|name| name == "ALL" || name == variable));
            let Some(mask) = self.known_mask(variable).filter(|_| is_handed) else { continue };
            if masks::read(&mask).counts_outside() {
                self.note_observed(Observation::HostMaskInContainer, format!("{variable}={mask}"), span);
            }
        }
    }

    /// A container that is given some GPUs, and the numbers that these have outside: `--gpus device=1 --env CUDA_VISIBLE_DEVICES`.
    /// What is `written` there in full was looked at with the text.
    pub(super) fn observe_double_choice(&mut self, invocation: &Invocation, written: bool, span: Span) {
        let Some(SeparateEnvironment::Container { handed, gpus: Gpus::Some, .. }) = &invocation.elsewhere
        else {
            return;
        };
        if written && !handed.iter().any(|name| name == MASK) {
            return;
        }
        if let Some(mask) = self.known_mask(MASK).filter(|mask| masks::read(mask).counts_outside()) {
            self.note_observed(Observation::DoubleRemap, format!("{MASK}={mask}"), span);
        }
    }

    fn observe_ranks(&mut self, mask: &str, words: &[Option<&str>], span: Span) {
        // `accelerate launch --config_file settings.yaml`
        let by_settings = || {
            let file = self.program.launched_file(self.here.file, None, settings_of_accelerate(words)?)?;
            ranks_of_settings(self.program.text_of(file))
        };
        if let Some(wanted) = ranks(words).or_else(by_settings).or_else(|| cards_of_ray(words)) {
            self.observe_beyond(mask, &wanted, span);
        }
    }

    /// More GPUs are wanted than a mask leaves.
    pub(super) fn observe_beyond(&mut self, mask: &str, Ranks { count, option }: &Ranks, span: Span) {
        let left = masks::read(mask).left;
        if left > 0 && *count > left {
            let cards = masks::gpus(left);
            let text = format!("`{option}` wants {count} GPUs, and the mask `{mask}` leaves {cards}");
            self.note_observed(Observation::RanksBeyondMask, text, span);
        }
    }

    /// Where the launcher leaves the mask to what it starts, that is the policy's.
    fn observe_ranks_of_policy(&mut self, words: &[Option<&str>], span: Span) {
        let Some(cards) = self.asked.cards else { return };
        if !self.reaching(MASK).iter().all(|definition| matches!(definition, Definition::Unset)) {
            return;
        }
        if let Some(Ranks { count, option }) = ranks(words)
            && count > cards
        {
            let names = masks::gpus(cards);
            let text = format!("`{option}` wants {count} GPUs, and the policy names {names}");
            self.note_observed(Observation::RanksBeyondMask, text, span);
        }
    }

    /// DeepSpeed leaves the mask aside when one of its options chooses.
    fn observe_ignored_mask(&mut self, mask: &str, words: &[Option<&str>], span: Span) {
        let Some(at) =
            words.iter().position(|word| word.is_some_and(|word| program_name(word) == "deepspeed"))
        else {
            return;
        };
        let end = words.iter().position(|word| word.is_some_and(|word| word.ends_with(".py")));
        let options = &words[at + 1..end.unwrap_or(words.len()).max(at + 1)];
        if options.iter().flatten().any(|word| ["-H", "--hostfile"].iter().any(|one| word.starts_with(one))) {
            return;
        }
        let value_of = |names: &[&str]| {
            options.iter().enumerate().find_map(|(at, word)| {
                let word = (*word)?;
                match word.split_once('=') {
                    Some((name, value)) => names.contains(&name).then(|| value.to_owned()),
                    None if names.contains(&word) => {
                        options.get(at + 1).copied().flatten().map(str::to_owned)
                    }
                    None => None,
                }
            })
        };
        let indices = |list: &str| -> Option<Vec<usize>> {
            list.split(',').map(|entry| entry.trim().parse().ok()).collect()
        };
        let Some(wanted) = indices(mask) else { return };
        let include = value_of(&["--include", "-i"]);
        let taken = match (&include, value_of(&["--num_gpus"])) {
            (Some(list), _) => list.split_once(':').and_then(|(_, list)| indices(list)),
            (None, Some(count)) => {
                count.parse().ok().filter(|count| *count > 0).map(|count| (0..count).collect())
            }
            (None, None) => None,
        };
        let file = self.program.name_of(self.here.file);
        let is_old = || {
            let old = Range::read("<0.15")?;
            self.program.versions().satisfies(file, "deepspeed", &old)
        };
        // Without an option it takes the mask for one.
        let names_mask = taken.as_ref() == Some(&wanted) && include.is_some();
        let is_alone = taken.is_none() && include.is_none() && !has_choice(options);
        if (names_mask || is_alone) && !wanted.iter().copied().eq(0..wanted.len()) && is_old() == Some(true) {
            let of = if names_mask { "the cards of `--include`" } else { "its slots" };
            let text = format!(
                "this version of DeepSpeed counts {of} behind the mask `{mask}`, and finds no such slot"
            );
            return self.note_observed(Observation::IgnoredMask, text, span);
        }
        let Some(taken) = taken.filter(|taken| *taken != wanted) else { return };
        let option = if include.is_some() { "--include" } else { "--num_gpus" };
        let cards = taken.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let text = format!("with `{option}` DeepSpeed takes the cards {cards} and ignores the mask `{mask}`");
        self.note_observed(Observation::IgnoredMask, text, span);
    }

    /// `ollama run` talks to a server, which has an environment of its own.
    fn observe_client(&mut self, command: &Command<'p>, mask: &str, words: &[Option<&str>], span: Span) {
        let Some(at) = words.iter().position(|word| word.is_some_and(|word| program_name(word) == "ollama"))
        else {
            return;
        };
        if !matches!(words.get(at + 1).copied().flatten(), Some("run" | "pull" | "list" | "ps" | "show")) {
            return;
        }
        // A mask for the whole script may be for another program of it.
        let text = &self.program.sources.file(self.here.file).text;
        let others = ["serve", "python", "docker", "llama-", "vllm"];
        let is_own = command.environment.iter().any(|set| set.name == MASK);
        if is_own || !others.iter().any(|word| text.contains(word)) {
            let text = format!("CUDA_VISIBLE_DEVICES={mask}");
            self.note_observed(Observation::MaskForClient, text, span);
        }
    }
}

/// Whether DeepSpeed is told which cards or machines to take, in whatever way.
fn has_choice(options: &[Option<&str>]) -> bool {
    const CHOICES: &[&str] =
        &["--exclude", "-e", "--num_gpus", "--num_nodes", "--no_local_rank", "--force_multi"];
    options.iter().flatten().any(|word| CHOICES.contains(&word.split('=').next().unwrap_or_default()))
}
