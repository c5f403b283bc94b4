//! `gpulint completions` and `gpulint man`: what shells and manuals are told, made from the command line itself, so that
//! it is never out of date.

use super::{Cli, ignoring_closed_pipe};
use crate::rules::RuleSet;
use clap::builder::PossibleValuesParser;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;

#[derive(Args)]
pub struct Completions {
    /// The shell to generate completions for.
    #[arg(value_enum)]
    shell: Shell,
}

pub fn completions(arguments: &Completions, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut with_rules(Cli::command()), "gpulint", &mut script);
    ignoring_closed_pipe(out.write_all(&script))?;
    Ok(0)
}

/// The command line with the rules that can be named in it. A project's own ones are not among them: the script is
/// written once and used in all projects.
fn with_rules(command: clap::Command) -> clap::Command {
    let rules = RuleSet::embedded();
    let ids: Vec<String> = rules.rules().iter().map(|rule| rule.id.clone()).collect();
    let selectors = rules.selectors();
    let among = |words: &[String]| PossibleValuesParser::new(words.to_vec());
    let with_selectors = |mut command: clap::Command, options: &[&'static str]| {
        for option in options {
            command = command.mut_arg(option, |argument| argument.value_parser(among(&selectors)));
        }
        command
    };
    command
        .mut_subcommand("check", |check| {
            with_selectors(check, &["select", "extend_select", "ignore", "fixable"])
        })
        .mut_subcommand("server", |server| with_selectors(server, &["select", "ignore"]))
        .mut_subcommand("rule", |rule| rule.mut_arg("id", |id| id.value_parser(among(&ids))))
}

/// One page about gpulint and all its commands.
pub fn manual(out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    let main = clap_mangen::Man::new(command.clone()).manual("gpulint");
    main.render_title(&mut page)?;
    main.render_name_section(&mut page)?;
    main.render_synopsis_section(&mut page)?;
    main.render_description_section(&mut page)?;
    main.render_options_section(&mut page)?;
    for part in command.get_subcommands().filter(|part| part.get_name() != "help" && !part.is_hide_set()) {
        of_command(part, &mut page)?;
        for below in part.get_subcommands().filter(|below| below.get_name() != "help") {
            of_command(below, &mut page)?;
        }
    }
    page.extend_from_slice(EXIT_STATUS.as_bytes());
    // Not every roff reads more than ASCII; all know characters by their numbers.
    let text = String::from_utf8_lossy(&page);
    let in_ascii = text.chars().map(|c| match c.is_ascii() {
        true => c.to_string(),
        false => format!("\\[u{:04X}]", u32::from(c)),
    });
    ignoring_closed_pipe(out.write_all(in_ascii.collect::<String>().as_bytes()))?;
    Ok(0)
}

/// What a command does, how it is written, and its options.
fn of_command(command: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_uppercase();
    writeln!(page, ".SH \"{name}\"")?;
    let part = clap_mangen::Man::new(command.clone());
    // The headings of a page of its own become paragraphs below that of the command.
    let mut sections = Vec::new();
    part.render_description_section(&mut sections)?;
    part.render_synopsis_section(&mut sections)?;
    part.render_options_section(&mut sections)?;
    let text = String::from_utf8_lossy(&sections).into_owned();
    let below = text.lines().map(|line| match line.strip_prefix(".SH ") {
        Some("DESCRIPTION") => ".PP".to_owned(),
        Some(heading) => format!(".SS {heading}"),
        None => line.to_owned(),
    });
    below.into_iter().try_for_each(|line| writeln!(page, "{line}"))
}

const EXIT_STATUS: &str = r#".SH "EXIT STATUS"
.TP
.B 0
Nothing was found at or above the failing severity, or what was asked for is done.
.TP
.B 1
There are findings at or above the failing severity.
.TP
.B 2
Bad usage, a bad policy, or nothing that can be read.
.TP
.B 3
A fault of gpulint itself.
.SH FILES
.TP
.I gpulint.yaml
The policy, looked for upwards from the checked paths; or the table [tool.gpulint] of
.IR pyproject.toml .
.TP
.I gpulint\-baseline.json
Findings that are known and do not fail a run.
"#;
