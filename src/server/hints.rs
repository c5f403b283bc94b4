//! Which card the programs in open documents take, for hints between the lines of code.

use super::diagnostics::Origin;
use super::encoding::{Encoding, Lines};
use crate::facts::FileId;
use crate::map::{PlaceText, ProgramLine};
use crate::sources::Sources;
use lsp_types::{InlayHint, MarkupContent, MarkupKind, Position};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};

/// The hints of each open document, in the order of their lines.
pub fn hints_of(
    programs: Vec<ProgramLine>,
    sources: &Sources,
    origins: &HashMap<FileId, Origin>,
    encoding: Encoding,
) -> BTreeMap<String, Vec<InlayHint>> {
    // By file, cell and line of the first use.
    let mut ways: BTreeMap<(String, u32, u32), Vec<ProgramLine>> = BTreeMap::new();
    for program in programs {
        if let Some(first) = &program.first_use {
            let PlaceText { path, cell, line } = first.spot.clone();
            ways.entry((path, cell.unwrap_or_default(), line)).or_default().push(program);
        }
    }
    let mut hints: BTreeMap<String, Vec<InlayHint>> = BTreeMap::new();
    for (file, origin) in origins {
        let source = sources.file(*file);
        let (documents, first_cell) = match origin {
            Origin::Cells(documents) => (&documents[..], 1),
            // The lines of one that is open as text are those of JSON.
            Origin::Document(_) if source.cells.is_some() => continue,
            Origin::Document(document) => (std::slice::from_ref(document), 0),
        };
        for (uri, cell) in documents.iter().zip(first_cell..) {
            let text = match &source.cells {
                Some(Ok(cells)) => match cells.iter().find(|known| known.number == cell) {
                    Some(known) => &source.text[known.range.clone()],
                    None => continue,
                },
                _ => &source.text,
            };
            let lines = Lines::of(text);
            let its = ways.range((source.name.clone(), cell, 0)..=(source.name.clone(), cell, u32::MAX));
            let its = its.map(|((_, _, line), programs)| {
                let end = lines.start(line - 1) + lines.line(line - 1).trim_end().len();
                hint(programs, lines.position(end, encoding))
            });
            hints.insert(uri.clone(), its.collect());
        }
    }
    hints
}

/// The hint about the programs that use a GPU here for the first time.
fn hint(programs: &[ProgramLine], position: Position) -> InlayHint {
    let mut cards: Vec<String> = programs.iter().map(ProgramLine::card_words).collect();
    cards.sort();
    cards.dedup();
    let label = match &cards[..] {
        [one] => one.clone(),
        several => format!("{} ways: {}", several.len(), several.join("; ")),
    };
    let about = MarkupContent { kind: MarkupKind::Markdown, value: page(programs) };
    // As JSON, because types of labels and of tooltips are unions.
    let hint =
        json!({"position": position, "label": format!("→ {label}"), "tooltip": about, "paddingLeft": true});
    serde_json::from_value(hint).expect("these are the fields of an inlay hint")
}

/// For each program what decides its card.
fn page(programs: &[ProgramLine]) -> String {
    let mut page = String::new();
    for program in programs {
        let (mask, order) = (program.mask.words(), program.order.words());
        page.push_str(&format!(
            "**{}**: {}\n\n- CUDA_VISIBLE_DEVICES: {mask}\n- CUDA_DEVICE_ORDER: {order}\n",
            program.name(),
            program.card_words()
        ));
        for deed in program.decided_by() {
            page.push_str(&format!("- decided at {}: `{}`\n", deed.spot, deed.text));
        }
        page.push('\n');
    }
    page.trim_end().to_owned()
}
