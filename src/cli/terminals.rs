//! What a terminal can do, as far as its environment says.

/// Whether the terminal makes links of addresses that come with escape sequences (OSC 8). The others would show them as
/// noise, so only those count that are known to. `variable` gives the value of a variable of the environment.
pub fn follows_links(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    /// What these are set to by terminals that do.
    const PROGRAMS: &[&str] = &["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "zed"];
    const TERMS: &[&str] = &["xterm-kitty", "alacritty", "foot", "xterm-ghostty"];
    if let Some(forced) = variable("FORCE_HYPERLINK") {
        return forced != "0";
    }
    let is_among = |name, known: &[&str]| variable(name).is_some_and(|value| known.contains(&value.as_str()));
    // The libraries that GNOME's and others' terminals are made of can since 0.50.
    let vte = variable("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
    is_among("TERM_PROGRAM", PROGRAMS)
        || is_among("TERM", TERMS)
        || vte.is_some_and(|version| version >= 5000)
        || ["WT_SESSION", "KONSOLE_VERSION", "DOMTERM"].iter().any(|name| variable(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::follows_links;

    #[test]
    fn only_terminals_that_are_known_to() {
        let follows =
            |name: &str, value: &str| follows_links(&|asked| (asked == name).then(|| value.to_owned()));
        assert!(follows("TERM_PROGRAM", "vscode") && follows("VTE_VERSION", "7600"));
        assert!(follows("WT_SESSION", "1") && follows("FORCE_HYPERLINK", "1"));
        assert!(!follows("TERM", "xterm-256color") && !follows("TERM_PROGRAM", "Apple_Terminal"));
        assert!(!follows("VTE_VERSION", "4900") && !follows("FORCE_HYPERLINK", "0"));
    }
}
