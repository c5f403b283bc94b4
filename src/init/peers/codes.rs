//! Rules of other tools that gpulint has too, by their codes.

/// What a code of another tool is here.
pub(super) enum Here {
    /// These rules, by id.
    Rules(&'static [&'static str]),
    /// Nothing, for this reason.
    Nothing(&'static str),
}

use Here::{Nothing, Rules};

const TRAINING: &str = "it is about training, not about which GPU computes";
const SPEED: &str = "it is about speed";

/// torch-preflight 0.5.0, by its own list (`torch-preflight rules`).
pub(super) const TORCH_PREFLIGHT: &[(&str, Here)] = &[
    ("TG001", Rules(&["loss-keeps-graph"])),
    ("TG002", Rules(&["eval-without-no-grad"])),
    ("TG003", Nothing(TRAINING)),
    ("TG004", Nothing(SPEED)),
    ("TG005", Nothing(TRAINING)),
    ("TG006", Nothing(TRAINING)),
    ("TG007", Nothing(SPEED)),
    ("TG008", Nothing(TRAINING)),
    (
        "TG010",
        Nothing("it is an estimate of memory; `gpulint doctor` gives advice for the card that is there"),
    ),
    ("TG011", Nothing(TRAINING)),
    ("TG012", Nothing(TRAINING)),
    ("TG013", Nothing(SPEED)),
    ("TG014", Nothing(TRAINING)),
];

/// TorchFix 0.7.0, by the table in its repository.
pub(super) const TORCHFIX: &[(&str, Here)] = &[
    ("TOR001", Nothing("the functions on its list have nothing to do with GPUs")),
    ("TOR002", Nothing(TRAINING)),
    ("TOR003", Nothing(TRAINING)),
    ("TOR004", Nothing("the functions on its list have nothing to do with GPUs")),
    ("TOR101", Rules(&["deprecated-amp-api"])),
    ("TOR102", Nothing("it is about the safety of files")),
    ("TOR103", Rules(&["deprecated-amp-api"])),
    ("TOR104", Nothing(TRAINING)),
    ("TOR105", Nothing(TRAINING)),
    ("TOR106", Nothing(TRAINING)),
    ("TOR107", Nothing(TRAINING)),
    ("TOR108", Nothing(TRAINING)),
    ("TOR201", Nothing(TRAINING)),
    ("TOR202", Nothing(TRAINING)),
    ("TOR203", Nothing(TRAINING)),
    ("TOR401", Nothing(SPEED)),
    ("TOR402", Nothing(SPEED)),
    ("TOR901", Nothing("it is about PyTorch's own code")),
];

/// The rules of a code or of all that begin so, without repetition; else why there are none. `None` for an unknown code.
pub(super) fn here(table: &[(&str, Here)], prefix: &str) -> Option<Result<Vec<&'static str>, &'static str>> {
    let mut rules = Vec::new();
    let mut reason = None;
    for (_, here) in table.iter().filter(|(code, _)| code.starts_with(prefix)) {
        match here {
            Rules(ids) => {
                rules.extend(ids.iter().filter(|id| !rules.contains(*id)).copied().collect::<Vec<_>>())
            }
            Nothing(why) => {
                reason = Some(reason.map_or(*why, |first: &str| if first == *why { first } else { "" }))
            }
        }
    }
    match (rules.is_empty(), reason) {
        (false, _) => Some(Ok(rules)),
        (true, Some("")) => Some(Err("none of them is about GPUs")),
        (true, Some(why)) => Some(Err(why)),
        (true, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Here, TORCH_PREFLIGHT, TORCHFIX, here};
    use crate::rules::RuleSet;

    #[test]
    fn every_rule_that_is_named_exists() {
        for (code, here) in TORCH_PREFLIGHT.iter().chain(TORCHFIX) {
            if let Here::Rules(ids) = here {
                assert!(ids.iter().all(|id| RuleSet::embedded().find(id).is_some()), "{code}");
            }
        }
    }

    #[test]
    fn a_prefix_stands_for_all_that_begin_so() {
        assert_eq!(here(TORCHFIX, "TOR1"), Some(Ok(vec!["deprecated-amp-api"])));
        assert_eq!(here(TORCHFIX, "TOR0"), Some(Err("none of them is about GPUs")));
        assert_eq!(here(TORCHFIX, "TOR2"), Some(Err("it is about training, not about which GPU computes")));
        assert_eq!(here(TORCHFIX, "TOR777"), None);
    }
}
