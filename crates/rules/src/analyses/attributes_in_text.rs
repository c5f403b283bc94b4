//! What the text of a class says of one of its attributes.

/// Whether the class moves the attribute itself, looks where it lies, or hands it to Python.
pub(super) fn is_moved_by_hand(text: &str, name: &str) -> bool {
    const AFTER: &[&str] =
        &[".to(", ".cuda(", ".type_as(", ".device", ".numpy(", ".tolist(", ".item(", ".cpu(", ".data"];
    AFTER.iter().any(|after| text.contains(&format!("self.{name}{after}")))
        || text.contains(&format!("\"{name}\""))
        || text.contains(&format!("'{name}'"))
}

pub(super) fn assignments_of(text: &str, name: &str) -> usize {
    let wanted = format!("self.{name}");
    let is_assigned = |at: usize| {
        let rest = text[at + wanted.len()..].trim_start();
        rest.starts_with('=') && !rest.starts_with("==")
    };
    text.match_indices(&wanted).filter(|(at, _)| is_assigned(*at)).count()
}
