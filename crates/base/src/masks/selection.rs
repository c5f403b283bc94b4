//! Which cards of a machine a value of CUDA_VISIBLE_DEVICES leaves, and why no more.
//!
//! Sources: the table of CUDA programming guide, appendix on environment variables; PyTorch's `_parse_visible_devices`, which follows
//! driver 525.60.13 (pytorch/pytorch#92315, #84879). Driver 580.159.04 was asked about 40 values on a machine with one card (docs/hardware.md).

use super::leading_number;

/// What is left of the cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Positions among the cards, in the order of the ordinals that a process sees.
    pub visible: Vec<usize>,
    /// The element that ends the list, or hides all, and what is wrong with it.
    pub stopped_by: Option<(String, Stop)>,
}

/// What is wrong with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `-1`, `NoDevFiles`, an empty value: nothing is wanted.
    Nothing,
    /// An index that no card has.
    OutOfRange,
    /// No UUID begins so, or more than one does.
    UnknownUuid,
    /// Indices and UUIDs in one list.
    OtherKind,
    /// The same card again, which hides all.
    Repeated,
    /// Neither an index nor a UUID.
    NoName,
}

/// What a value selects among the cards with these UUIDs, which are in the order that CUDA_DEVICE_ORDER gives them. `None` is a variable that
/// is not set. Slices of cards (`MIG-…`) select nothing here: only the driver knows them.
pub fn select(value: Option<&str>, uuids: &[&str]) -> Selection {
    let Some(value) = value else {
        return Selection { visible: (0..uuids.len()).collect(), stopped_by: None };
    };
    let stopped =
        |visible, element: &str, stop| Selection { visible, stopped_by: Some((element.to_owned(), stop)) };
    let by_uuid = value.trim().starts_with("GPU-") || value.trim().starts_with("MIG-");
    let mut visible = Vec::new();
    let elements: Vec<&str> = value.trim().split(',').map(str::trim).collect();
    for (position, &element) in elements.iter().enumerate() {
        // A comma at the end adds nothing.
        if element.is_empty() && position > 0 && position + 1 == elements.len() {
            break;
        }
        let found =
            if by_uuid { position_of_uuid(element, uuids) } else { position_of_index(element, uuids) };
        match found {
            Err(stop) => return stopped(visible, element, stop),
            Ok(card) if visible.contains(&card) => return stopped(Vec::new(), element, Stop::Repeated),
            Ok(card) => visible.push(card),
        }
    }
    Selection { visible, stopped_by: None }
}

fn position_of_uuid(element: &str, uuids: &[&str]) -> Result<usize, Stop> {
    if !element.starts_with("GPU-") && !element.starts_with("MIG-") {
        return Err(Stop::OtherKind);
    }
    // The bare kind is no beginning, even where there is one card only.
    if element.len() == "GPU-".len() {
        return Err(Stop::UnknownUuid);
    }
    let mut beginning = uuids.iter().enumerate().filter(|(_, uuid)| uuid.starts_with(element));
    match (beginning.next(), beginning.next()) {
        (Some((position, _)), None) => Ok(position),
        _ => Err(Stop::UnknownUuid),
    }
}

fn position_of_index(element: &str, uuids: &[&str]) -> Result<usize, Stop> {
    if element.is_empty() || element.eq_ignore_ascii_case("NoDevFiles") {
        return Err(Stop::Nothing);
    }
    if element.starts_with("GPU-") || element.starts_with("MIG-") {
        return Err(Stop::OtherKind);
    }
    let Some((index, _)) = leading_number(element) else {
        let is_negative =
            element.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        return Err(if is_negative { Stop::Nothing } else { Stop::NoName });
    };
    // The driver keeps 32 bits of the number.
    let index = index as u32 as usize;
    (index < uuids.len()).then_some(index).ok_or(Stop::OutOfRange)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARDS: [&str; 2] = ["GPU-506aa", "GPU-309bb"];

    fn visible(value: &str) -> Vec<usize> {
        select(Some(value), &CARDS).visible
    }

    #[test]
    fn lists_end_where_they_go_wrong() {
        assert_eq!(select(None, &CARDS).visible, [0, 1]);
        assert_eq!(visible("1,0"), [1, 0]);
        assert_eq!(visible(" 1 , 0"), [1, 0]);
        assert_eq!(visible("1gpu,0x"), [1, 0]);
        assert_eq!(visible("+1"), [1]);
        assert_eq!(visible("-0"), [0]);
        assert_eq!(visible("0-1"), [0]);
        assert_eq!(visible("0,"), [0]);
        for value in ["0,-1,1", "0,7,1", "0,foo,1", "0,GPU-309"] {
            assert_eq!(visible(value), [0], "{value}");
        }
        for value in ["", "-1", "one,0", "NoDevFiles", "7", "0,0", "0,1,0", "GPU-,0", "GPU-309,GPU-309bb"] {
            assert_eq!(visible(value), [0; 0], "{value}");
        }
        assert_eq!(visible("GPU-309,0"), [1]);
        assert_eq!(visible("GPU-309,GPU-506"), [1, 0]);
        assert_eq!(visible("4294967297"), [1]);
        assert_eq!(visible("18446744073709551616"), [0; 0]);
        assert_eq!(select(Some("GPU-"), &CARDS[..1]).visible, [0; 0]);
    }

    /// Driver 580.159.04 on a machine with one NVIDIA H100, 2026-11-26.
    #[test]
    fn as_a_driver_answered() {
        let one = "0| 0|0 |00|+0|-0|0x0|0a|0,|0,1|0,-1|0;1|0 1|0-1|0.5|4294967296";
        let none = "1,0|-1,0|0,0|0,00|,0|,| ||-1|all|none|void|cuda:0|gpu0|GPU-|GPU|gpu-0|MIG-0|'0'|\"0\"|[0]|1|99|18446744073709551616";
        for (values, cards) in [(one, &[0][..]), (none, &[])] {
            for value in values.split('|') {
                assert_eq!(select(Some(value), &["GPU-80a0"]).visible, cards, "{value}");
            }
        }
    }

    #[test]
    fn reasons() {
        let stop = |value: &str| select(Some(value), &CARDS).stopped_by.unwrap();
        assert_eq!(stop("0,7,1"), ("7".to_owned(), Stop::OutOfRange));
        assert_eq!(stop("0,0"), ("0".to_owned(), Stop::Repeated));
        assert_eq!(stop("GPU-a"), ("GPU-a".to_owned(), Stop::UnknownUuid));
        assert_eq!(stop("GPU-309,0"), ("0".to_owned(), Stop::OtherKind));
        assert_eq!(stop("-1"), ("-1".to_owned(), Stop::Nothing));
        assert_eq!(stop("one"), ("one".to_owned(), Stop::NoName));
    }
}
