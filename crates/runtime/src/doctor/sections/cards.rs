//! The cards of the machine as a table, and what is known about them.

use super::{Line, fact, worded};
use crate::runtime::advice::{Advice, shown};
use crate::runtime::cards::Card;
use crate::runtime::doctor::Diagnosis;
use crate::runtime::management::{CardState, MemoryErrors, Mode};

/// All cards, and below them what is unusual about one now.
pub fn table(diagnosis: &Diagnosis) -> Vec<Line> {
    let listed = diagnosis.machine.boards();
    let mut boards: Vec<CardState> = match listed {
        [] => diagnosis.machine.visible().iter().cloned().map(CardState::of_card).collect(),
        boards => boards.to_vec(),
    };
    boards.sort_by_key(|board| board.card.pci);
    if boards.is_empty() {
        return Vec::new();
    }
    let names = ["PCI order", "card", "memory", "in use", "capability", "PCI address", "UUID"];
    let mut rows = vec![names.map(str::to_owned).to_vec()];
    rows.extend(boards.iter().enumerate().map(|(rank, board)| {
        let card = &board.card;
        vec![
            // Of the cards that the driver shows, it may have hidden some in between.
            if listed.is_empty() { "?".to_owned() } else { rank.to_string() },
            card.short_name().to_owned(),
            shown(card.memory),
            board.used.map_or_else(|| "?".to_owned(), shown),
            capability(card, diagnosis),
            card.pci.to_string(),
            card.uuid.clone(),
        ]
    }));
    let states = boards.iter().filter_map(|board| {
        let state = state(board);
        (!state.is_empty()).then(|| fact(board.card.short_name(), state.join(", ")))
    });
    [Line::Table(rows)].into_iter().chain(states).chain(slices(&boards)).collect()
}

/// What MIG means for who wants one of these cards.
fn slices(boards: &[CardState]) -> Vec<Line> {
    let mut lines: Vec<Line> = boards
        .iter()
        .flat_map(|board| {
            board.slices.iter().map(|slice| {
                let memory = slice.memory.map_or("of unknown size".to_owned(), shown);
                fact(format!("slice of {}", board.card.short_name()), format!("{memory}, {}", slice.uuid))
            })
        })
        .collect();
    if boards.iter().any(|board| board.mig == Some(true)) {
        lines.extend(
            [
                "a program gets one slice at most: where a card in MIG mode is among its cards, it gets the first slice of that \
                 card and no other card",
                "CUDA_VISIBLE_DEVICES=MIG-… chooses a slice by its UUID, as `gpu.visible-devices` of a policy does; a policy that \
                 names none is met by each slice of one kind, with the name of its card and memory of its own",
            ]
            .map(|text| Line::Sentence(text.to_owned())),
        );
    }
    lines
}

/// What the tables know, each remark once, with the cards that it is about.
pub fn remarks(diagnosis: &Diagnosis) -> Vec<Line> {
    let cards = diagnosis.machine.cards();
    let mut told: Vec<(&Advice, Vec<&str>)> = Vec::new();
    for (card, facts) in cards.iter().zip(&diagnosis.architectures) {
        for remark in &facts.remarks {
            match told.iter_mut().find(|(earlier, _)| earlier.text == remark.text) {
                Some((_, names)) if names.contains(&card.short_name()) => {}
                Some((_, names)) => names.push(card.short_name()),
                None => told.push((remark, vec![card.short_name()])),
            }
        }
    }
    told.sort_by_key(|(remark, _)| std::cmp::Reverse(remark.level));
    told.into_iter().map(|(remark, names)| fact(names.join(", "), worded(remark))).collect()
}

/// `8.6 Ampere`
fn capability(card: &Card, diagnosis: &Diagnosis) -> String {
    let Some(capability) = card.compute_capability().map(|capability| capability.to_string()) else {
        return "?".to_owned();
    };
    let mut all = diagnosis.architectures.iter();
    let facts = all.find(|facts| facts.capability.as_deref() == Some(&capability));
    match facts.and_then(|facts| facts.architecture) {
        Some(name) => format!("{capability} {name}"),
        None => capability,
    }
}

/// What is unusual about a card now.
fn state(board: &CardState) -> Vec<String> {
    let mut parts = Vec::new();
    parts.extend(board.users.as_ref().filter(|users| !users.is_empty()).map(|users| {
        let pids: Vec<String> = users.iter().map(|user| user.pid.to_string()).collect();
        let processes = if pids.len() == 1 { "process" } else { "processes" };
        format!("used by {processes} {}", pids.join(", "))
    }));
    parts.extend(match board.compute_mode {
        Some(Mode::OneProcess) => Some("for one process at a time".to_owned()),
        Some(Mode::Nobody) => Some("nobody may compute on it".to_owned()),
        _ => None,
    });
    parts.extend((board.mig == Some(true)).then(|| "divided into slices (MIG)".to_owned()));
    if let Some(MemoryErrors { corrected, uncorrected }) = board.memory_errors {
        parts.extend((uncorrected > 0).then(|| {
            format!(
                "{uncorrected} errors of its memory since the driver was loaded that ECC could not correct"
            )
        }));
        parts.extend((corrected > 0).then(|| format!("{corrected} errors of its memory that ECC corrected")));
    }
    parts.extend(
        (board.persistence == Some(false))
            .then(|| "persistence mode off: the first program waits for the card to start".to_owned()),
    );
    parts
}
