//! Terminals that go on by themselves, and other machines: `screen`, `tmux`, `ssh`.

use super::{Dialect, Invocation, SeparateEnvironment, Started, has_blank, invocation_from};

/// What a session starts; `false` when the words are for none.
pub(super) fn start(words: &[Option<&str>], at: usize, name: &str, invocation: &mut Invocation) -> bool {
    match name {
        "ssh" => ssh(words, at + 1, invocation),
        "screen" => screen(words, at + 1, invocation),
        "tmux" => tmux(words, at + 1, invocation),
        _ => return false,
    }
    true
}

/// `ssh host command`: the words behind the host are read by a shell there.
fn ssh(words: &[Option<&str>], at: usize, invocation: &mut Invocation) {
    const WITH_VALUE: &str = "BbcDEeFIiJLlmOopQRSWw";
    let at = behind_options(words, at, WITH_VALUE);
    invocation.elsewhere = Some(SeparateEnvironment::Machine);
    match words.get(at + 1) {
        None => invocation.started = Started::ShellInput(Dialect::Bourne),
        Some(_) => code_or_words(words, at + 1, invocation),
    }
}

/// `screen -dmS name command`, `screen -S name -X stuff 'command\n'`
fn screen(words: &[Option<&str>], at: usize, invocation: &mut Invocation) {
    const WITH_VALUE: &str = "ScehpstT";
    if let Some(stuff) = words[at.min(words.len())..].iter().position(|word| *word == Some("stuff")) {
        invocation.elsewhere = Some(SeparateEnvironment::Running);
        invocation.started = Started::ShellCode(Dialect::Bourne, at + stuff + 1);
        return;
    }
    let at = behind_options(words, at, WITH_VALUE);
    match at < words.len() {
        true => invocation_from(words, at, invocation),
        false => invocation.started = Started::Program("screen".to_owned()),
    }
}

/// `tmux new-session -d -s name 'command'`, `tmux send-keys -t name 'command' Enter`
fn tmux(words: &[Option<&str>], at: usize, invocation: &mut Invocation) {
    invocation.started = Started::Program("tmux".to_owned());
    let at = behind_options(words, at, "Lfcs");
    let Some(Some(verb)) = words.get(at) else { return };
    let (with_value, keys) = match *verb {
        "new-session" | "new" | "new-window" | "neww" | "split-window" | "splitw" | "respawn-pane" => {
            ("sncFfltxyep", false)
        }
        "send-keys" | "send" => ("tN", true),
        _ => return,
    };
    let at = behind_options(words, at + 1, with_value);
    if at >= words.len() {
        return;
    }
    // A pane has the environment of the server, and what was typed into it before.
    invocation.elsewhere = keys.then_some(SeparateEnvironment::Running);
    match keys {
        true => invocation.started = Started::ShellCode(Dialect::Bourne, at),
        false => code_or_words(words, at, invocation),
    }
}

/// One word with blanks is code; several are a command.
fn code_or_words(words: &[Option<&str>], at: usize, invocation: &mut Invocation) {
    match words.get(at).copied().flatten() {
        Some(word) if has_blank(word) => invocation.started = Started::ShellCode(Dialect::Bourne, at),
        _ => invocation_from(words, at, invocation),
    }
}

/// Skips options; the last of the letters behind a `-` may take the next word.
fn behind_options(words: &[Option<&str>], mut at: usize, with_value: &str) -> usize {
    while let Some(Some(word)) = words.get(at) {
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else { break };
        if letters == "-" {
            return at + 1;
        }
        let last = letters.chars().next_back().unwrap_or(' ');
        // `-p22` has its value behind the letter.
        let first = letters.chars().next().unwrap_or(' ');
        let takes_next = with_value.contains(last) && (letters.len() == 1 || !with_value.contains(first));
        at += 1 + usize::from(takes_next && !letters.starts_with('-'));
    }
    at
}
