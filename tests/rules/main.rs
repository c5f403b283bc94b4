//! Every example of every rule is one test, named `rule-id: title of the example`; so is the form of every rule
//! file. `cargo test --test rules missing-device-order` runs those of one rule.
//! So is every labelled project, see [`projects`].

mod projects;
mod respelled;

use gpulint::examples::complaints;
use gpulint::rules::{Example, Rule, RuleSet};
use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn main() {
    let mut trials = vec![Trial::test("every file below rules/ is a rule or knowledge", no_stray_files)];
    trials.push(Trial::test("the rule in CONTRIBUTING.md", || the_rule_in("CONTRIBUTING.md", "rules/")));
    trials.push(Trial::test("the rule in docs/own-rules.md", || {
        the_rule_in("docs/own-rules.md", "gpu-rules/")
    }));
    for rule in RuleSet::embedded().rules() {
        trials.push(Trial::test(format!("{}: the file", rule.id), || form_of(rule)));
        for example in rule.examples.iter() {
            let name = format!("{}: {}", rule.id, example.title);
            trials.push(Trial::test(name, || does_what_it_says(example, rule, RuleSet::embedded())));
        }
    }
    trials.extend(projects::trials());
    trials.extend(respelled::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// `bad` is found, on the lines that the example names; `good` and `fixed` are silent.
fn does_what_it_says(example: &Example, rule: &Rule, rules: &RuleSet) -> Result<(), Failed> {
    let complaints = complaints(example, rule, rules);
    let lines: Vec<String> =
        complaints.iter().map(|(kind, complaint)| format!("{kind}: {complaint}")).collect();
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n").into()) }
}

fn form_of(rule: &Rule) -> Result<(), Failed> {
    let file = PathBuf::from(format!("rules/{}/{}.yaml", rule.family, rule.id));
    let mut wrong = Vec::new();
    let mut must = |holds: bool, what: &str| {
        if !holds {
            wrong.push(what.to_owned());
        }
    };
    must(absolute(&file).is_file(), "the name of the file is not the id");
    let is_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    must(rule.id.chars().all(is_id), "the id has other characters than a-z, 0-9 and -");
    must(
        !rule.summary.contains('\n') && !rule.summary.ends_with('.'),
        "the summary is not one line without a stop",
    );
    must(!rule.summary.trim().is_empty(), "the summary is empty");
    must(!rule.why.trim().is_empty(), "`why` is empty");
    must(!rule.languages.is_empty(), "there is no language");
    must(!rule.sources.is_empty(), "there is no source");
    must(
        rule.sources.iter().all(|source| source.starts_with("https://")),
        "a source is not an https:// address",
    );
    must(rule.examples.iter().any(|example| example.bad.is_some()), "there is no `bad` example");
    must(rule.examples.iter().any(|example| example.good.is_some()), "there is no `good` example");
    for example in rule.examples.iter() {
        let title = &example.title;
        must(!title.trim().is_empty(), "an example has no title");
        must(example.bad.is_some() || example.good.is_some(), &format!("{title}: neither `bad` nor `good`"));
        let of_bad = example.fixed.is_some() || !example.lines.is_empty();
        must(example.bad.is_some() || !of_bad, &format!("{title}: `fixed` or `lines` without `bad`"));
    }
    let titles: BTreeSet<&str> = rule.examples.iter().map(|example| example.title.as_str()).collect();
    must(titles.len() == rule.examples.len(), "two examples have the same title");
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}:\n{}", file.display(), wrong.join("\n")).into()) }
}

/// What a newcomer copies must work, together with what is known about libraries.
fn the_rule_in(page: &str, folder: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(absolute(Path::new(page)))?.replace("\r\n", "\n");
    let start = format!("```yaml\n# {folder}");
    let (_, rest) = text.split_once(&start).ok_or(format!("no block that begins with `# {folder}`"))?;
    let (path, rest) = rest.split_once('\n').ok_or("no rule after its path")?;
    let (rule, _) = rest.split_once("```").ok_or("the block does not end")?;
    let torch = std::fs::read_to_string(absolute(Path::new("rules/effects/torch.yaml")))?;
    let package = std::fs::read_to_string(absolute(Path::new("rules/packages/torch.yaml")))?;
    let in_family = if path.contains('/') { path.to_owned() } else { format!("own/{path}") };
    let files =
        [(in_family.as_str(), rule), ("effects/torch.yaml", &torch), ("packages/torch.yaml", &package)];
    let rules = RuleSet::read(files).map_err(|error| format!("{error:#}"))?;
    let rule = rules.rules().first().ok_or("no rule")?;
    if in_family != format!("{}/{}.yaml", rule.family, rule.id) {
        return Err(format!("the id is {}, the file {path}", rule.id).into());
    }
    rule.examples.iter().try_for_each(|example| does_what_it_says(example, rule, &rules))
}

/// A file that the build does not take up, such as a `.yml`, would be a rule that never runs.
fn no_stray_files() -> Result<(), Failed> {
    let rules = RuleSet::embedded().rules();
    let known: BTreeSet<PathBuf> =
        rules.iter().map(|rule| PathBuf::from(format!("rules/{}/{}.yaml", rule.family, rule.id))).collect();
    let mut stray = Vec::new();
    for folder in std::fs::read_dir(absolute(Path::new("rules")))?.collect::<Result<Vec<_>, _>>()? {
        let folder_name = folder.file_name();
        let holds_knowledge =
            ["commands", "effects", "packages", "tables"].iter().any(|known| folder_name == *known);
        if !folder.path().is_dir() {
            // What makes a package of the folder.
            let is_known = ["environment.yaml", "measured.yaml", "Cargo.toml", "embed.rs", "embedded.rs"]
                .iter()
                .any(|known| folder_name == *known);
            if !is_known {
                stray.push(Path::new("rules").join(&folder_name));
            }
            continue;
        }
        for file in std::fs::read_dir(folder.path())?.collect::<Result<Vec<_>, _>>()? {
            let name = Path::new("rules").join(&folder_name).join(file.file_name());
            let is_yaml = name.extension().is_some_and(|extension| extension == "yaml");
            if !(known.contains(&name) || holds_knowledge && is_yaml) {
                stray.push(name);
            }
        }
    }
    if stray.is_empty() { Ok(()) } else { Err(format!("neither rule nor knowledge: {stray:?}").into()) }
}

fn absolute(path: &Path) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
