//! Literals of texts, taken apart at their quotes.

/// A text in quotes as the prefix with the quote, what is inside, and the quote; what has no quotes is inside alone. `None`
/// for what is more than one literal, or has other signs than it says.
pub fn inside_quotes(written: &str) -> Option<(&str, &str, &str)> {
    let prefix = written.len() - written.trim_start_matches(['r', 'R', 'u', 'U']).len();
    let rest = &written[prefix..];
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(inner) = rest.strip_prefix(quote) {
            let inner = inner.strip_suffix(quote)?;
            let has_more = inner.contains(['"', '\'', '\\', '\n']);
            let start = prefix + quote.len();
            return (!has_more).then(|| (&written[..start], inner, &written[start + inner.len()..]));
        }
    }
    (!written.contains(['"', '\''])).then_some(("", written, ""))
}
