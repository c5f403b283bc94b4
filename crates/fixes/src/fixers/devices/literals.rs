//! Literals that name a GPU, and the same with another one.

use crate::fixes::Refusal;
use crate::fixes::literals::inside_quotes;

/// A literal, taken apart around what chooses the GPU.
#[derive(Debug)]
pub struct Literal {
    before: String,
    after: String,
    /// The index that it names.
    pub index: i64,
    /// It is an index alone, and what surrounds it says what it counts.
    pub is_number: bool,
    /// It is `cuda:1`, and not `gpu:1` or a number.
    pub is_cuda: bool,
}

impl Literal {
    /// `1`, `"cuda:1"`, `'gpu:1'`, `"/device:GPU:1"`, `"1,"`, `cuda:1`; `None` for what is no literal of this kind.
    ///
    /// # Errors
    /// When it names several.
    pub fn read(written: &str) -> Result<Option<Literal>, Refusal> {
        let Some((before, inner, after)) = inside_quotes(written) else { return Ok(None) };
        let is_quoted = !before.is_empty();
        let blank = inner.len() - inner.trim_start().len();
        let (blanks, name) = inner.split_at(blank);
        let name = name.trim_end();
        let behind = &inner[blank + name.len()..];
        let around =
            |kind: &str, rest: &str| (format!("{before}{blanks}{kind}"), format!("{rest}{behind}{after}"));
        if let Some(index) = name.strip_prefix("cuda:").and_then(index_of) {
            let (before, after) = around("", "");
            return Ok(Some(Literal { before, after, index, is_number: false, is_cuda: true }));
        }
        let lower = name.to_ascii_lowercase();
        if let Some(at) = lower.rfind("gpu:")
            && let Some(index) = index_of(&name[at + 4..])
        {
            let (before, after) = around(&name[..at + 4], "");
            return Ok(Some(Literal { before, after, index, is_number: false, is_cuda: false }));
        }
        let digits = name.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = name.split_at(digits);
        let Some(index) = index_of(number) else { return Ok(None) };
        let is_suffix = !is_quoted && is_suffix_of_rust(rest);
        match rest {
            "" => {}
            // A list of one, as Lightning takes it.
            "," if is_quoted => {}
            _ if is_suffix => {}
            _ if is_quoted && rest.starts_with([',', ':', '-']) => {
                return Err("it names several GPUs".to_owned());
            }
            _ => return Ok(None),
        }
        let (before, after) = around("", rest);
        Ok(Some(Literal { before, after, index, is_number: true, is_cuda: false }))
    }

    /// `"cuda:" "1"`, which is one text in two parts.
    pub fn joined(text: &str, written: &str) -> Option<Literal> {
        let index = text.strip_prefix("cuda:").and_then(index_of)?;
        let quote = written.chars().find(|one| matches!(one, '"' | '\''))?.to_string();
        Some(Literal { before: quote.clone(), after: quote, index, is_number: false, is_cuda: true })
    }

    /// The literal that names another GPU.
    pub fn with(&self, device: &str, index: i64) -> String {
        match self.is_cuda {
            true => format!("{}{device}{}", self.before, self.after),
            false => format!("{}{index}{}", self.before, self.after),
        }
    }
}

fn index_of(digits: &str) -> Option<i64> {
    let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then(|| digits.parse().ok())?
}

fn is_suffix_of_rust(rest: &str) -> bool {
    matches!(
        rest.trim_start_matches('_'),
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_first(written: &str) -> Option<String> {
        Some(Literal::read(written).ok()??.with("cuda:0", 0))
    }

    #[test]
    fn quotes_and_words_are_kept() {
        let pairs = [
            ("1", "0"),
            ("1usize", "0usize"),
            ("\"cuda:1\"", "\"cuda:0\""),
            ("r'cuda:12'", "r'cuda:0'"),
            ("'''cuda:1'''", "'''cuda:0'''"),
            ("cuda:1", "cuda:0"),
            ("'gpu:1'", "'gpu:0'"),
            ("\"/device:GPU:1\"", "\"/device:GPU:0\""),
            ("\"1,\"", "\"0,\""),
            ("\" cuda:1 \"", "\" cuda:0 \""),
        ];
        for (written, expected) in pairs {
            assert_eq!(with_first(written).as_deref(), Some(expected), "{written}");
        }
    }

    #[test]
    fn others_are_left_alone() {
        for written in ["\"cuda\"", "\"cuda:\" \"1\"", "f\"cuda:1\"", "GPU", "0x1", "1.5", "b'cuda:1'", ""] {
            assert_eq!(with_first(written), None, "{written}");
        }
        assert!(Literal::read("\"0,1\"").is_err());
        assert!(Literal::read("'0-3'").is_err());
    }
}
