//! Scripts of csh, tcsh and fish, as far as they set variables and start programs one after the other: `setenv X 1`,
//! `set -x X 1`. What stands in a loop or behind a condition is left out.

use super::super::command_lines::Literal;
use super::super::embedded::Origin;
use super::{Block, Code, Source, Span, add, commands, lines, variable};

/// Words that begin a block, and those that end one.
const BEGIN: &[&str] = &["begin", "for", "foreach", "function", "if", "switch", "while"];
const END: &[&str] = &["end", "endif", "endsw"];

pub fn lower<'s>(source: &'s Source, code: &mut Code<'s>) {
    let mut body: Block<'s> = Vec::new();
    let mut depth = 0_usize;
    for (line, at) in lines(&source.text) {
        let plain = line.trim();
        let start = at + line.len() - line.trim_start().len();
        let first = plain.split_whitespace().next().unwrap_or_default();
        if END.contains(&first) {
            depth = depth.saturating_sub(1);
        } else if BEGIN.contains(&first) {
            // `if ($x == 1) exit` of csh is one line alone.
            let is_whole = first == "if" && plain.starts_with("if (") && !plain.ends_with("then");
            depth += usize::from(!is_whole);
        } else if depth > 0 || plain.is_empty() || plain.starts_with('#') {
        } else if let Some((name, value)) = assignment(plain) {
            let place = |part: &str| start + (part.as_ptr() as usize - plain.as_ptr() as usize);
            body.extend(variable(name, place(name), value, place(value)));
        } else if !first.starts_with("set") && first != "unset" && first != "unsetenv" {
            let literal = Literal { text: plain, origin: Origin::from(start) };
            body.extend(commands(&literal, source, code));
        }
    }
    add(Span::new(0, source.text.find('\n').unwrap_or(source.text.len())), String::new(), body, code);
}

/// `setenv X 1`, and `set -gx X 1` of fish; one value alone, without what runs behind it.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.split(" #").next().unwrap_or(line);
    let line = line.split(';').next().unwrap_or(line).trim_end();
    let (word, rest) = line.split_once(char::is_whitespace)?;
    let rest = match word {
        "setenv" => rest,
        "set" => {
            let mut rest = rest.trim_start();
            let mut is_exported = false;
            while let Some(option) = rest.strip_prefix('-') {
                let (option, behind) = option.split_once(char::is_whitespace)?;
                is_exported |= option == "-export" || !option.starts_with('-') && option.contains('x');
                rest = behind.trim_start();
            }
            if !is_exported {
                return None;
            }
            rest
        }
        _ => return None,
    };
    rest.trim_start().split_once(char::is_whitespace).map(|(name, value)| (name, value.trim_start()))
}
