//! `gpulint init`: writes the policy, and with it what runs gpulint at commits and on pull requests.

use super::{CLEAN, ignoring_closed_pipe, say};
use crate::atomic_write::replace;
use crate::disk::{self, Disk};
use crate::init::evidence::Evidence;
use crate::init::fleet::{Engine, Fleet, image};
use crate::init::peers::{ImportedSettings, Tool, gpu_code};
use crate::init::runner::Runner;
use crate::init::{
    Cpu, Gpu, PRE_COMMIT, PolicyDraft, import_test, machine, monitoring, of_home, policy_text, standards,
    workflow,
};
use crate::policy::{self, Amount, DeviceOrder, Policy};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// The project folder.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Part of the GPU's name, such as "RTX 3090".
    #[arg(long, value_name = "NAME")]
    gpu_name: Option<String>,
    /// What scripts must set CUDA_VISIBLE_DEVICES to: an index in PCI order, or a GPU-… UUID.
    #[arg(long, value_name = "MASK", value_parser = mask)]
    visible_devices: Option<String>,
    /// What scripts must set CUDA_DEVICE_ORDER to: PCI_BUS_ID or FASTEST_FIRST.
    #[arg(long, value_name = "ORDER", value_parser = order)]
    device_order: Option<DeviceOrder>,
    /// The GPU's minimum memory, such as 20GiB.
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    min_memory: Option<Amount>,
    /// Part of the names of GPUs that must never be used.
    #[arg(long, value_name = "NAME")]
    forbidden: Vec<String>,
    /// The project, or these modules of it, must run without a GPU.
    #[arg(long, value_name = "MODULES", num_args = 0.., value_delimiter = ',', require_equals = true,
          value_parser = module)]
    cpu: Option<Vec<String>>,
    /// Take over the settings of other tools, or of these, and say what each becomes: bans of imports (ruff's TID251 and TID253,
    /// contracts of import-linter), and what is decided about rules (torch-preflight, TorchFix).
    #[arg(long, value_name = "TOOLS", num_args = 0.., value_delimiter = ',', require_equals = true)]
    from: Option<Vec<Tool>>,
    /// Write .pre-commit-config.yaml, or print the entry to add if there is one already.
    #[arg(long)]
    pre_commit: bool,
    /// Write .github/workflows/gpulint.yml; it needs --repository.
    #[arg(long)]
    workflow: bool,
    /// Write .github/workflows/gpulint-gpu.yml, which validates on the runner with these labels, such as
    /// self-hosted,linux,x64,gpu,rtx3090. With --fleet github it is one of several.
    #[arg(long, value_name = "LABELS")]
    runner: Vec<Runner>,
    /// Write a file that validates many machines and merges the reports: .github/workflows/gpulint-fleet.yml with a job for
    /// each --runner, gpulint-fleet.sbatch (an array of Slurm), gpulint-fleet.yaml (a Job of Kubernetes), or gpulint_fleet.py (tasks
    /// of Ray).
    #[arg(long, value_name = "KIND")]
    fleet: Option<Engine>,
    /// How many cards --fleet slurm or kubernetes validates.
    #[arg(long, value_name = "N", requires = "fleet", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    cards: Option<u32>,
    /// The image of the containers of --fleet kubernetes: gpulint on PATH, and the project in its working directory.
    #[arg(long, value_name = "IMAGE", requires = "fleet", value_parser = image)]
    image: Option<String>,
    /// The repository whose action the workflows use, such as team/gpulint; without it that of --runner runs the gpulint
    /// that the runner has.
    #[arg(long, value_name = "OWNER/NAME", value_parser = repository)]
    repository: Option<String>,
    /// Write the project's GPU standard, a Markdown page made from the policy, to FILE.
    #[arg(long, value_name = "FILE")]
    standards: Option<PathBuf>,
    /// Write a pytest test that importing the project's packages, or these modules, leaves the GPU alone: no variable of it is
    /// changed, and CUDA is not started.
    #[arg(long, value_name = "MODULES", num_args = 0.., value_delimiter = ',', require_equals = true,
          value_parser = importable)]
    import_test: Option<Vec<String>>,
    /// Write gpulint-dashboard.json, a dashboard for Grafana, and gpulint-alerts.yml, alert rules for Prometheus, into FOLDER. They
    /// show and watch the metrics that validate, exec and report merge write.
    #[arg(long, value_name = "FOLDER")]
    monitoring: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    force: bool,
}

/// A file that is to be written.
struct Page {
    file: PathBuf,
    text: String,
    /// It may be written over what is there.
    replaces: bool,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<u8> {
    let folder = &arguments.folder;
    if !folder.is_dir() {
        bail!("{} is no folder; name that of the project", folder.display());
    }
    let repository = arguments.repository.as_deref();
    let on_requests = repository.or(of_home()).map(workflow);
    if arguments.workflow && on_requests.is_none() {
        bail!(
            "--workflow needs --repository OWNER/NAME, the repository whose action it uses: the machines of GitHub have no \
             gpulint"
        );
    }
    let existing = policy::discover(&Disk::default(), folder)?
        .filter(|(file, _)| file.parent() == Some(disk::absolute(folder).as_path()));
    let asks_for_policy = arguments.asks_for_policy();
    let fleet = arguments.fleet()?;
    let runner = arguments.runner.first().filter(|_| fleet.is_none());
    let asks_for_a_workflow = arguments.workflow || runner.is_some() || fleet.is_some();
    let asks_for_a_page = arguments.standards.is_some() || arguments.import_test.is_some();
    let asks_for_what_runs_it = arguments.pre_commit || asks_for_a_workflow || asks_for_a_page;
    let asks_for_more = asks_for_what_runs_it || arguments.monitoring.is_some();
    let mut pages = Vec::new();
    let mut told = String::new();
    let mut in_force = existing.as_ref().map(|(_, policy)| policy.clone());
    // What watches the metrics is of no project.
    let needs_policy = existing.is_none() && (asks_for_what_runs_it || !asks_for_more);
    if needs_policy || asks_for_policy || !asks_for_more {
        if let Some((file, _)) = &existing
            && !arguments.force
        {
            bail!("{} has a policy already; change it there, or replace it with --force", shown(file));
        }
        let (wishes, words) = arguments.wishes()?;
        told = words;
        let text = policy_text(&wishes);
        let file = folder.join("gpulint.yaml");
        in_force = Some(policy::read(&file, &text)?);
        pages.push(Page { file, text, replaces: false });
    }
    let policy = in_force.unwrap_or_default();
    let mut snippets = Vec::new();
    let hooks = folder.join(".pre-commit-config.yaml");
    if arguments.pre_commit && !hooks.exists() {
        pages.push(Page { file: hooks, text: PRE_COMMIT.to_owned(), replaces: false });
    } else if std::fs::read_to_string(&hooks).is_ok_and(|text| names_hook(&text)) {
        if arguments.pre_commit {
            if !told.is_empty() {
                told.push('\n');
            }
            told.push_str(&format!("{} runs gpulint already.", shown(&hooks)));
        }
    } else if arguments.pre_commit || !asks_for_more {
        snippets.push((".pre-commit-config.yaml", PRE_COMMIT.to_owned()));
    }
    if let Some(text) = on_requests {
        let name = ".github/workflows/gpulint.yml";
        if arguments.workflow {
            pages.push(Page { file: folder.join(name), text, replaces: false });
        } else if !asks_for_more {
            snippets.push((name, text));
        }
    }
    if let Some(runner) = runner {
        let file = folder.join(".github/workflows/gpulint-gpu.yml");
        pages.push(Page { file, text: runner.workflow(repository), replaces: false });
    }
    if let Some(fleet) = &fleet {
        pages.push(Page { file: folder.join(fleet.file()), text: fleet.text(), replaces: false });
    }
    if let Some(file) = &arguments.standards {
        pages.push(standards_page(file, &policy));
    }
    if let Some(modules) = &arguments.import_test {
        pages.push(import_test_page(folder, modules)?);
    }
    if let Some(folder) = &arguments.monitoring {
        pages.extend(monitoring::FILES.map(|(name, text)| Page {
            file: folder.join(name),
            text: text.to_owned(),
            replaces: false,
        }));
    }
    // All of it or nothing.
    if let Some(page) = pages.iter().find(|page| page.file.exists() && !page.replaces && !arguments.force) {
        bail!("{} exists; replace it with --force", shown(&page.file));
    }
    if !told.is_empty() {
        ignoring_closed_pipe(writeln!(out, "{told}"))?;
    }
    for page in &pages {
        write(page)?;
        ignoring_closed_pipe(writeln!(out, "Wrote {}.", shown(&page.file)))?;
    }
    for (file, snippet) in snippets {
        ignoring_closed_pipe(write!(out, "\nFor {file}:\n\n{snippet}"))?;
    }
    let next = match arguments.monitoring {
        Some(_) => {
            "import the dashboard into Grafana, and name the alerts under `rule_files` of prometheus.yml"
        }
        None => "`gpulint check`",
    };
    ignoring_closed_pipe(writeln!(out, "\nNext: {next}."))?;
    Ok(CLEAN)
}

/// Whether a `.pre-commit-config.yaml` has a hook of gpulint.
fn names_hook(text: &str) -> bool {
    text.lines().filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix("id:")).any(|id| {
        let id = id.split('#').next().unwrap_or_default();
        id.trim().trim_matches(['"', '\'']).starts_with("gpulint")
    })
}

impl Arguments {
    /// What is asked for with `--fleet`, with all that it needs and nothing else.
    fn fleet(&self) -> anyhow::Result<Option<Fleet<'_>>> {
        let Some(engine) = self.fleet else {
            if self.runner.len() > 1 {
                bail!("several --runner go with --fleet github, which validates on all of them");
            }
            return Ok(None);
        };
        let takes = match engine {
            Engine::Github => ["--runner", ""],
            Engine::Slurm => ["--cards", ""],
            Engine::Kubernetes => ["--cards", "--image"],
            Engine::Ray => ["", ""],
        };
        let given = [
            ("--runner", !self.runner.is_empty()),
            ("--cards", self.cards.is_some()),
            ("--image", self.image.is_some()),
            ("--repository", self.repository.is_some() && !self.workflow),
        ];
        if let Some((option, _)) =
            given.iter().find(|(option, is_given)| *is_given && !takes.contains(option))
        {
            bail!("{option} says nothing to --fleet {}: leave it out", named(engine));
        }
        Ok(Some(match (engine, self.cards, &self.image) {
            (Engine::Github, ..) if self.runner.is_empty() => {
                bail!("--fleet github needs --runner LABELS, once for each machine")
            }
            (Engine::Github, ..) => Fleet::Github(&self.runner),
            (Engine::Slurm | Engine::Kubernetes, None, _) => {
                bail!("--fleet {} needs --cards N, how many cards there are to validate", named(engine))
            }
            (Engine::Slurm, Some(cards), _) => Fleet::Slurm(cards),
            (Engine::Kubernetes, _, None) => {
                bail!("--fleet kubernetes needs --image IMAGE, which has gpulint and the project")
            }
            (Engine::Kubernetes, Some(cards), Some(image)) => Fleet::Kubernetes(cards, image),
            (Engine::Ray, ..) => Fleet::Ray,
        }))
    }

    fn names_a_gpu(&self) -> bool {
        let by_words =
            self.gpu_name.is_some() || self.visible_devices.is_some() || !self.forbidden.is_empty();
        by_words || self.device_order.is_some() || self.min_memory.is_some()
    }

    fn asks_for_policy(&self) -> bool {
        self.names_a_gpu() || self.cpu.is_some() || self.from.is_some()
    }

    /// What the policy is to say, and what is told of the settings of other tools.
    fn wishes(&self) -> anyhow::Result<(PolicyDraft, String)> {
        let mut moved =
            self.from.as_deref().map(|tools| ImportedSettings::from(tools, &self.folder)).transpose()?;
        let gpu = match (self.names_a_gpu(), &self.cpu) {
            (true, _) => Some(Gpu {
                name: self.gpu_name.clone(),
                min_memory: self.min_memory,
                visible_devices: self.visible_devices.clone(),
                device_order: self.device_order.or_else(|| self.order_of_index()),
                forbidden: self.forbidden.clone(),
                ..Gpu::default()
            }),
            // Such a project may have no GPU at all.
            (false, Some(_)) => None,
            (false, None) => match machine::cards() {
                Ok(cards) if cards.is_empty() => {
                    say("note: `nvidia-smi` lists no GPU, so the policy names none yet");
                    None
                }
                Ok(cards) => Gpu::of_machine(&cards),
                Err(reason) => {
                    say(format_args!(
                        "note: the policy names no GPU yet, because {reason}; write its name under `gpu`"
                    ));
                    None
                }
            },
        };
        let cpu = self.cpu.clone().map(|entry_points| Cpu { entry_points, ..Cpu::default() });
        let mut wishes = PolicyDraft { gpu, cpu, ..PolicyDraft::default() };
        if let Some(moved) = &mut moved {
            moved.add_to(&mut wishes, |modules| gpu_code(&self.folder, modules));
        }
        // What is said counts, else what is there.
        if !self.names_a_gpu() && self.cpu.is_none() {
            wishes = wishes.with(&Evidence::of(&self.folder));
        }
        Ok((wishes, moved.map(|moved| moved.words()).unwrap_or_default()))
    }

    /// An index says nothing without an order.
    fn order_of_index(&self) -> Option<DeviceOrder> {
        let mask = self.visible_devices.as_ref()?;
        mask.starts_with(|first: char| first.is_ascii_digit()).then_some(DeviceOrder::PciBusId)
    }
}

fn named(engine: Engine) -> String {
    engine.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn standards_page(file: &Path, policy: &Policy) -> Page {
    let before = fs::read_to_string(file).unwrap_or_default();
    // A page that was made here is made again; one that somebody wrote is not touched.
    let replaces = before.replace("\r\n", "\n").starts_with(standards::MARK);
    Page { file: file.to_owned(), text: standards::page(policy), replaces }
}

/// A test that importing these modules leaves the GPU alone; of the project's packages where none is named.
fn import_test_page(folder: &Path, modules: &[String]) -> anyhow::Result<Page> {
    let modules = match modules {
        [] => import_test::packages(folder),
        named => named.to_vec(),
    };
    if modules.is_empty() {
        bail!(
            "{} has no package at its top or in src: name modules with --import-test=NAME",
            folder.display()
        );
    }
    let file = folder.join(import_test::file(folder));
    Ok(Page { file, text: import_test::text(&modules), replaces: false })
}

fn write(page: &Page) -> anyhow::Result<()> {
    let written = match page.file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => fs::create_dir_all(folder),
        _ => Ok(()),
    };
    let written = written.and_then(|()| replace(&page.file, page.text.as_bytes()));
    written.with_context(|| format!("cannot write {}", shown(&page.file)))
}

fn shown(file: &Path) -> String {
    let cwd = std::env::current_dir().unwrap_or_default();
    disk::absolute(file).strip_prefix(cwd).unwrap_or(file).display().to_string()
}

fn repository(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_owner = |owner: &str| {
        owner.starts_with(|first: char| first.is_ascii_alphanumeric()) && owner.chars().all(is_plain)
    };
    let is_name =
        |name: &str| !matches!(name, "" | "." | "..") && name.chars().all(|c| is_plain(c) || c == '.');
    match text.split_once('/') {
        Some((owner, name)) if is_owner(owner) && is_name(name) => Ok(text.to_owned()),
        _ => Err("it is a repository on GitHub, such as team/gpulint".to_owned()),
    }
}

fn mask(text: &str) -> Result<String, String> {
    value("gpu.visible-devices", text).map(|()| text.trim().to_owned())
}

fn order(text: &str) -> Result<DeviceOrder, String> {
    value("gpu.device-order", text)?;
    Ok(if text == DeviceOrder::PciBusId.as_str() { DeviceOrder::PciBusId } else { DeviceOrder::FastestFirst })
}

fn amount(text: &str) -> Result<Amount, String> {
    let policy = applied("gpu.min-memory", text)?;
    policy.gpu.and_then(|gpu| gpu.min_memory).ok_or_else(|| "an amount of memory such as `20GiB`".to_owned())
}

fn module(text: &str) -> Result<String, String> {
    let quoted = serde_json::Value::from(text).to_string();
    applied("cpu.entry-points", &format!("[{quoted}]"))?;
    Ok(text.to_owned())
}

/// The name of a module, without patterns.
fn importable(text: &str) -> Result<String, String> {
    let is_name = |part: &str| {
        part.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    match text.split('.').all(is_name) {
        true => Ok(text.to_owned()),
        false => Err("it is a module that can be imported, such as app.models".to_owned()),
    }
}

fn value(key: &str, text: &str) -> Result<(), String> {
    applied(key, &serde_json::Value::from(text).to_string()).map(drop)
}

/// A policy with this one key, or what is wrong with its value in the words of the policy.
fn applied(key: &str, value: &str) -> Result<Policy, String> {
    let applied = policy::apply_overrides(Policy::default(), &[format!("{key}={value}")]);
    applied.map_err(|error| error.message)
}
