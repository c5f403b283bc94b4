//! `gpulint check`: reads the files, asks the rules, writes the reports.

mod add_ignore;
mod asked;
mod changed_lines;
mod compared;
mod elsewhere;
mod exactly;
mod fix;
mod input;
mod known;
mod settings;
mod shards;
mod unmatched;
mod watch;

use super::memory;
use super::options::{Colour, PolicyOptions, severity};
use super::outputs::{self, Output};
use super::terminals::follows_links;
use super::{FOUND, UNUSABLE, be_quiet, ignoring_closed_pipe, say, settings_of};
use crate::Outcome;
use crate::cache::Cache;
use crate::cache::shards::joined;
use crate::changes::{Base, ComparisonRequest};
use crate::disk;
use crate::findings::{Severity, Status};
use crate::program::Shard;
use crate::report::commands::{Form, harmless};
use crate::report::{
    Format, Report, ShownOn, printable, render, render_statistics, summary_line, unfinished_line,
};
use crate::rules::{Loaded, UnknownSelector};
use crate::settings::{Request, Settings};
use crate::silencing::fault_in;
use crate::sources::Sources;
use anyhow::bail;
pub use asked::{Check, run};
use clap::Args;
use compared::{Compared, Plan};
use exactly::{on_github, write_exactly};
use input::Input;
use known::Baselines;
use shards::{Shards, of_another_check};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// What is checked, whoever says so.
    #[arg(skip)]
    paths: Vec<PathBuf>,
    /// The part that is followed; without one, all.
    #[arg(skip)]
    shard: Option<Shard>,
    /// The shards that are merged.
    #[arg(skip)]
    reports: Vec<PathBuf>,
    /// Output format on standard output: text, concise, compact, json, jsonl, sarif, github, gitlab, junit, rdjson,
    /// checkstyle, azure, markdown, html or correction.
    #[arg(long, value_enum, default_value_t = Format::Text, hide_possible_values = true, value_name = "FORMAT")]
    format: Format,
    /// Also write a report to a file, such as sarif=report.sarif; can be repeated.
    #[arg(long, value_name = "FORMAT=FILE")]
    output: Vec<Output>,
    /// Run only these rules: recommended, strict, all, a family or an id.
    #[arg(long, value_delimiter = ',', value_name = "RULES")]
    select: Vec<String>,
    /// Run these rules as well as those of the policy or --select: strict, all, a family or an id.
    #[arg(long, value_delimiter = ',', value_name = "RULES")]
    extend_select: Vec<String>,
    /// Do not run these rules: a family or an id.
    #[arg(long, value_delimiter = ',', value_name = "RULES")]
    ignore: Vec<String>,
    /// Show findings of this severity and above: note, warning or error.
    #[arg(long, value_parser = severity(), default_value = "warning", hide_possible_values = true,
          value_name = "SEVERITY")]
    min_severity: Severity,
    /// Fail when there are findings of this severity or above.
    #[arg(long, value_parser = severity(), default_value = "warning", hide_possible_values = true,
          value_name = "SEVERITY")]
    fail_on: Severity,
    #[command(flatten)]
    policy: PolicyOptions,
    #[command(flatten)]
    fixes: fix::Options,
    #[command(flatten)]
    known: known::Options,
    /// Add suppression comments for the findings shown, with REASON.
    #[arg(long, value_name = "REASON", conflicts_with = "write_baseline", value_parser = reason)]
    add_ignore: Option<String>,
    /// Check again whenever a file changes, until Ctrl-C.
    #[arg(long, conflicts_with_all = ["add_ignore", "write_baseline", "show_files", "show_settings"])]
    watch: bool,
    /// Do not read or write the cache.
    #[arg(long)]
    no_cache: bool,
    /// Exit with 0 even if there are findings.
    #[arg(long)]
    exit_zero: bool,
    /// Print only findings: no notes and no summary.
    #[arg(long, short)]
    quiet: bool,
    /// Show the number of findings of each rule, instead of the findings in text, concise and compact reports.
    #[arg(long)]
    statistics: bool,
    /// The path of the file on standard input, which decides its policy and its imports.
    #[arg(long, value_name = "FILE")]
    stdin_filename: Option<PathBuf>,
    /// Exclude these files and folders as well as those of the policy: globs relative to the current folder, those
    /// without `/` at any depth.
    #[arg(long, value_delimiter = ',', value_name = "GLOBS")]
    exclude: Vec<String>,
    /// Also exclude files that are named here, if the policy excludes them or a check of the whole project would skip them.
    #[arg(long)]
    force_exclude: bool,
    /// List the files that would be checked, and exit.
    #[arg(long)]
    show_files: bool,
    /// Print the resolved policy, and exit.
    #[arg(long)]
    show_settings: bool,
}

fn run_with(
    arguments: &Arguments,
    shards: Option<Shards>,
    colour: Colour,
    out: &mut dyn Write,
) -> anyhow::Result<u8> {
    if let Some(fault) = arguments.fixes.fault().map(str::to_owned).or_else(|| shards::fault(arguments)) {
        bail!("{fault}");
    }
    if arguments.quiet {
        be_quiet();
    }
    let input = Input::of(arguments)?;
    outputs::distinct(&arguments.output)?;
    let mut request = arguments.policy.clone().request(input.paths().to_vec());
    request.select = arguments.select.clone();
    request.extend_select = arguments.extend_select.clone();
    request.ignore = arguments.ignore.clone();
    request.exclude = arguments.exclude.clone();
    if !arguments.watch {
        memory::keep();
        return once(arguments, &input, &request, (shards, colour), out);
    }
    let own: Vec<PathBuf> = arguments.output.iter().map(|output| disk::absolute(output.file())).collect();
    watch::watch(&request, &own, out, |out| once(arguments, &input, &request, (None, colour), out))
}

fn once(
    arguments: &Arguments,
    input: &Input,
    request: &Request,
    (shards, colour): (Option<Shards>, Colour),
    out: &mut dyn Write,
) -> anyhow::Result<u8> {
    let plan = Plan::of(arguments, request)?;
    plan.can_write(arguments)?;
    if plan.is_idle {
        if !arguments.quiet {
            ignoring_closed_pipe(writeln!(out, "Nothing that is staged has to do with GPUs."))?;
        }
        return Ok(0);
    }
    let request = &plan.request;
    let (mut settings, extent) = settings_of(request)?;
    // Fixes check the project again and again.
    settings.process_ends = !arguments.watch && !arguments.fixes.are_wanted();
    settings.min_severity = Some(arguments.min_severity);
    if arguments.show_settings {
        if let Ok(sources) = input.read(&settings.root, extent, &settings.excluded(false)) {
            settings.find_others(&sources)?;
        }
        ignoring_closed_pipe(settings::show(&settings, out))?;
        return Ok(0);
    }
    let changed_lines = arguments.known.changed_lines.clone();
    let changed_lines =
        changed_lines.map(|reference| ComparisonRequest { option: "--changed-lines", reference });
    let lines_since = changed_lines.map(|asked| Base::of(&settings.root, &asked)).transpose()?;
    let whole = Input::Paths(vec![settings.root.clone()]);
    let input = if plan.is_whole { &whole } else { input };
    let excluded = settings.excluded(arguments.force_exclude);
    // The rules are read while the files are.
    let (sources, rules) =
        rayon::join(|| input.read(&settings.root, extent, &excluded), || Loaded::of(&settings));
    let (sources, mut rules) = (sources?, rules?);
    let mut sources = sources.within(settings.disk.bounds());
    settings.find_others(&sources)?;
    settings.leave_out(&mut sources, input.paths(), arguments.force_exclude);
    if settings.others_have_rules() {
        rules = Loaded::of(&settings)?;
    }
    let known = Baselines::of(&arguments.known, &settings)?;
    let mut cache = if arguments.no_cache { None } else { Cache::of_user() };
    let compared = match plan.states {
        None => None,
        Some(states) if plan.compares => {
            let paths = input.paths().to_vec();
            let compared = Compared::new(arguments, request, paths, states, sources, cache.take());
            sources = compared.present();
            Some(compared)
        }
        Some(states) => {
            sources = sources.in_state(&states.present, &|_| false);
            None
        }
    };
    if arguments.show_files {
        return show_files(&sources, out);
    }
    if let Some(shard) = arguments.shard {
        let written = shards::write(shard, arguments, cache.as_ref(), (&sources, &settings, &rules), out)?;
        return written.map_err(|unknown| unknown_selector(&unknown, arguments, &settings));
    }
    let fixable = arguments.fixes.fixable(&rules)?;
    let settled = |outcome: &mut Outcome, sources: &Sources, last: bool| {
        if let Some(known) = &known {
            let least = arguments.min_severity.min(arguments.fail_on);
            known.apply(outcome, (sources, &settings), input.paths(), least, last)?;
        }
        if let Some(base) = &lines_since {
            changed_lines::mark_unchanged(&mut outcome.findings, sources, base)?;
        }
        if let Some(compared) = &compared {
            compared.settle(&mut outcome.findings, sources);
        }
        if let Some(fixable) = &fixable {
            let others = outcome.findings.iter_mut().filter(|finding| !fixable.contains(&finding.rule));
            others.for_each(|finding| finding.fix = None);
        }
        anyhow::Ok(())
    };
    let named = |unknown: UnknownSelector| unknown_selector(&unknown, arguments, &settings);
    let checked = match (&compared, cache, shards) {
        (None, cache, Some(Shards { check, earlier, .. })) => {
            let whole = joined(cache.as_ref(), &sources, &settings, &rules, (check, earlier));
            whole.transpose().ok_or_else(of_another_check)?
        }
        (Some(compared), ..) => compared.check(&sources, &settings, &rules),
        (None, Some(cache), None) => cache.check(&sources, &settings, &rules),
        (None, None, None) => crate::check(&sources, &settings, &rules),
    };
    let mut outcome = checked.map_err(named)?;
    let is_last = arguments.add_ignore.is_none() && !arguments.fixes.writes();
    settled(&mut outcome, &sources, is_last)?;
    let (mut corrections, mut own_output) = (None, None);
    if arguments.fixes.are_wanted() {
        let wanted = arguments.fixes.wanted(arguments.min_severity, fixable.as_ref());
        let options = (&arguments.fixes, wanted);
        let standard = input.standard();
        let carried =
            fix::carry_out(sources, outcome, options, (&settings, &rules), standard).map_err(named)?;
        (sources, outcome, corrections) = (carried.sources, carried.outcome, Some(carried.corrections));
        own_output = carried.output;
        if arguments.fixes.writes() {
            settled(&mut outcome, &sources, true)?;
        }
    }
    if let Some(reason) = &arguments.add_ignore {
        let added = add_ignore::add(&sources, &outcome, arguments.min_severity, reason, (&settings, &rules));
        (sources, outcome) = added.map_err(named)?;
        settled(&mut outcome, &sources, true)?;
    }
    unmatched::warn_about_entry_points(&sources, &settings);
    if known.is_none() && compared.is_none() && lines_since.is_none() {
        elsewhere::name_others(&outcome, &sources);
    }
    outcome.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    let report = Report {
        sources: &sources,
        rules: &rules,
        findings: &outcome.findings,
        checked: outcome.checked.len(),
        skipped: &outcome.skipped,
        unfinished: &outcome.unfinished,
        min_severity: arguments.min_severity,
        has_policy: settings.has_policy(),
        fail_on: arguments.fail_on,
        colour: false,
        shown_on: ShownOn::Paper,
        is_quiet: arguments.quiet,
        below_repository: &below_repository(&settings.root),
        on_github: on_github(),
        corrections: corrections.as_ref(),
        fixed: compared.as_ref().map(Compared::fixed),
    };
    // Files first: whoever reads standard output may stop reading.
    if !outputs::write_all(&report, &arguments.output) {
        return Ok(UNUSABLE);
    }
    if arguments.fixes.fix_only {
        if let Some(text) = own_output {
            ignoring_closed_pipe(out.flush().and_then(|()| write_exactly(&text)))?;
        }
        let is_partial = corrections.is_some_and(|corrections| corrections.is_partial);
        return Ok(if is_partial { UNUSABLE } else { 0 });
    }
    // The stream itself removes colours where they are not wanted.
    let shown_on = match arguments.format {
        Format::Text | Format::Concise => shown_on(),
        _ => ShownOn::Paper,
    };
    let report = Report { colour: !matches!(colour, Colour::Never), shown_on, ..report };
    match own_output {
        None => ignoring_closed_pipe(print(&report, arguments, out))?,
        // The report goes beside it.
        Some(text) => {
            ignoring_closed_pipe(out.flush().and_then(|()| write_exactly(&text)))?;
            match arguments.fixes.diff {
                true => say(summary_line(&report)),
                false => print(
                    &Report { colour: false, shown_on: ShownOn::Paper, ..report },
                    arguments,
                    &mut io::stderr(),
                )?,
            }
        }
    }
    if corrections.is_some_and(|corrections| corrections.is_partial) {
        return Ok(UNUSABLE);
    }
    if outcome.checked.is_empty() {
        return Ok(nothing_checked(outcome.skipped.len()));
    }
    let fails = |f: &crate::findings::Finding| f.status == Status::Active && f.severity >= arguments.fail_on;
    let failed = outcome.findings.iter().any(fails) && !arguments.exit_zero;
    Ok(if failed { FOUND } else { 0 })
}

/// The words that a comment gives as its reason.
fn reason(text: &str) -> Result<String, String> {
    match fault_in(text) {
        Some(fault) => Err(format!("the reason {fault}")),
        None => Ok(text.to_owned()),
    }
}

/// The root of the project as seen from the top of the repository that a workflow or pipeline has checked out:
/// `app/`. Empty at its top, outside of it, and outside of workflows.
fn below_repository(root: &Path) -> String {
    /// Where GitHub, GitLab and Azure say that it is.
    const CHECKED_OUT: [&str; 3] = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY"];
    let Some(workspace) = CHECKED_OUT.into_iter().find_map(std::env::var_os) else { return String::new() };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (root, workspace) = (real(root), real(Path::new(&workspace)));
    let Ok(below) = root.strip_prefix(&workspace) else { return String::new() };
    below.components().map(|part| format!("{}/", part.as_os_str().to_string_lossy())).collect()
}

/// Where standard output is shown. What a service keeps as the log of a job is no screen, also where it looks like one.
fn shown_on() -> ShownOn {
    match io::stdout().is_terminal() && std::env::var_os("CI").is_none() {
        true => ShownOn::Screen { links: follows_links(&|name| std::env::var(name).ok()) },
        false => ShownOn::Paper,
    }
}

fn print(report: &Report, arguments: &Arguments, out: &mut dyn Write) -> io::Result<()> {
    let for_people = matches!(arguments.format, Format::Text | Format::Concise | Format::Compact);
    if for_people && arguments.statistics {
        return render_statistics(report, out);
    }
    let left_out = render(report, arguments.format, out)?;
    if !for_people && !arguments.quiet {
        // What a program reads comes first, so that both streams on one terminal stay readable.
        out.flush()?;
        left_out.into_iter().for_each(|left_out| say(format_args!("note: {left_out}")));
        if arguments.statistics {
            render_statistics(&Report { colour: false, ..*report }, &mut io::stderr())?;
        } else {
            unfinished_line(report).into_iter().for_each(say);
            say(summary_line(report));
        }
    }
    Ok(())
}

fn nothing_checked(skipped: usize) -> u8 {
    match skipped {
        0 => {
            say("note: the named paths hold no file to check");
            0
        }
        1 => {
            say("error: the only file could not be checked");
            UNUSABLE
        }
        skipped => {
            say(format_args!("error: none of the {skipped} files could be checked"));
            UNUSABLE
        }
    }
}

/// Says where the word stands: in an option, or in a line of the policy.
fn unknown_selector(unknown: &UnknownSelector, arguments: &Arguments, settings: &Settings) -> anyhow::Error {
    let word = &unknown.word;
    let place = if arguments.extend_select.contains(word) {
        "--extend-select".to_owned()
    } else if settings.select.contains(word) {
        "--select".to_owned()
    } else if settings.ignore.contains(word) {
        "--ignore".to_owned()
    } else {
        return settings.fault("rules", word, unknown.to_string()).into();
    };
    anyhow::anyhow!("{place}: {unknown}")
}

fn show_files(sources: &Sources, out: &mut dyn Write) -> anyhow::Result<u8> {
    let names = sources.files.iter().filter(|source| source.reported).map(|source| &source.name);
    let mut count = 0;
    for name in names {
        count += 1;
        ignoring_closed_pipe(writeln!(out, "{}", harmless(&printable(name), Form::Plain)))?;
    }
    for skipped in &sources.skipped {
        say(format_args!("skipped {}: {}", skipped.path, skipped.reason));
    }
    Ok(if count == 0 { nothing_checked(sources.skipped.len()) } else { 0 })
}
