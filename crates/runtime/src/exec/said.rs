//! What gpulint says of a run, beside what the command says itself.

use super::{Message, Strays};
use crate::runtime::management::CardState;
use crate::runtime::process::{Ended, Limit};
use crate::runtime::watch::{Readings, Returned, Stray};

/// About the card before the command.
pub(super) fn tell_state(board: &CardState, tell: &mut dyn FnMut(Message<'_>)) {
    let Some(uncorrected) = board.memory_errors.map(|errors| errors.uncorrected).filter(|count| *count > 0)
    else {
        return;
    };
    tell(Message::Note(format!(
        "{} counts {uncorrected} errors of its memory since the driver was loaded that ECC could not correct",
        board.card
    )));
}

/// About the end of the command, and what happened on the card meanwhile.
pub(super) fn tell_end(
    ended: &Ended,
    returned: &Returned,
    readings: Option<&Readings>,
    strays: Strays,
    tell: &mut dyn FnMut(Message<'_>),
) {
    tell_ended(ended, tell);
    match returned {
        Returned::NotBack { baseline, after, waited, .. } => {
            let more = after.saturating_sub(*baseline).div_ceil(1 << 20);
            tell(Message::Note(format!(
                "{more} MiB of GPU memory that were free before the command are in use {waited:.1} s after its end"
            )));
        }
        Returned::NotKnown { reason } if readings.is_some() => {
            tell(Message::Note(format!("not checked: whether the memory of the card is back: {reason}")));
        }
        _ => {}
    }
    for sentence in readings.map(sentences_about).unwrap_or_default() {
        tell(Message::Note(sentence));
    }
    for one in readings.iter().flat_map(|readings| &readings.strays) {
        // Of an unknown process on a card that is anybody's there is nothing to be said.
        let sentence = stray(one);
        if ended.limit == Some(Limit::Other(sentence.clone())) {
            continue;
        }
        if strays.fails(one) {
            tell(Message::Error(sentence));
        } else if one.forbidden || !one.unclaimed {
            tell(Message::Note(sentence));
        }
    }
}

/// About the end of the command alone.
pub(super) fn tell_ended(ended: &Ended, tell: &mut dyn FnMut(Message<'_>)) {
    if let Some(limit) = &ended.limit {
        tell(Message::Error(format!("the command was ended: {limit}")));
    }
    for orphan in &ended.orphans {
        let became = if orphan.ended { "was ended" } else { "could not be ended" };
        tell(Message::Note(format!(
            "the command left process {} ({}) behind, which {became}",
            orphan.pid, orphan.name
        )));
    }
}

/// What happened on the card that the command need not have noticed.
fn sentences_about(readings: &Readings) -> Vec<String> {
    let mut numbers: Vec<Option<u64>> = readings.xids.iter().map(|xid| xid.number).collect();
    numbers.sort_unstable();
    let errors = numbers.chunk_by(|one, other| one == other).map(|same| {
        let number = same.first().copied().flatten();
        let number = number.map_or("of an unknown number".to_owned(), |number| number.to_string());
        let times = if same.len() == 1 { String::new() } else { format!(", {} times", same.len()) };
        format!("the driver reported an error of the card during the command: XID {number}{times}")
    });
    let came =
        readings.foreign_processes.iter().filter(|foreign| !foreign.before).map(|foreign| {
            format!("{}, which is not the command's, used the card meanwhile", foreign.process())
        });
    errors.chain(came).collect()
}

/// A process on another card.
pub(super) fn stray(stray: &Stray) -> String {
    let (process, place) = (stray.process(), stray.place());
    match (stray.unclaimed, stray.forbidden) {
        (false, true) => {
            format!("{process} of the command used {place}: something in it sets CUDA_VISIBLE_DEVICES anew")
        }
        (false, false) => format!(
            "{process} of the command used another card, {place}: something in it sets CUDA_VISIBLE_DEVICES anew"
        ),
        (true, _) => format!("{process} used {place}, and whose it was is not known"),
    }
}
