//! Imports that were watched, and what they say about a module: `runs` in `rules/packages/`.

use super::packages::{ContactIn, DriverContact, PackageModule};
use crate::versions::{Range, release};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// One import in a fresh process that was watched, as `scripts/regenerate_packages.py` writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Run {
    /// The version of the package.
    pub version: String,
    /// Packages that were installed though it does not require them.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Variables that decide what it does, and had these values.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// GPU libraries that were imported when it was done.
    #[serde(default)]
    pub imports: Vec<String>,
    pub contact: DriverContact,
    /// Environment variables that it asked for.
    #[serde(default)]
    pub reads: Vec<String>,
    /// Environment variables that it set.
    #[serde(default)]
    pub sets: BTreeMap<String, String>,
    // What people read, and no rule asks for.
    #[allow(dead_code)]
    date: IgnoredAny,
    #[allow(dead_code)]
    command: IgnoredAny,
    #[allow(dead_code)]
    with: Option<IgnoredAny>,
    #[allow(dead_code)]
    starts: Option<IgnoredAny>,
    #[allow(dead_code)]
    seconds: IgnoredAny,
}

impl PackageModule {
    /// The row with what its runs say.
    ///
    /// The newest version speaks for all that were not run and are not older than every one that was. An older one, and what lies between two that did the same, speaks for
    /// itself where it reached the driver in another way. A run beside a package says what changes when that is installed, and one
    /// under variables that it reaches the driver only then.
    pub(super) fn with_runs(mut self, package: &str) -> Result<PackageModule> {
        let (runs, under): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.runs).into_iter().partition(|run| run.env.is_empty());
        let Some(fewest) = runs.iter().map(|run| run.beside.len()).min() else { return Ok(self) };
        let mut dated = Vec::new();
        for run in &runs {
            let version = release(&run.version);
            dated.push((version.with_context(|| format!("`{}` is no version", run.version))?, run));
        }
        dated.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut plain = dated
            .iter()
            .filter(|(_, run)| run.beside.len() == fewest)
            .map(|(_, run)| *run)
            .collect::<Vec<_>>();
        let Some(newest) = plain.pop() else { return Ok(self) };
        if plain.iter().any(|run| run.beside != newest.beside) {
            bail!("{}: one version was run beside other packages than another", self.module);
        }
        for group in plain.chunk_by(|one, other| one.contact == other.contact) {
            if let [first, ..] = group
                && first.contact != newest.contact
            {
                self.contact_in.push(contact_in(package, &self.module, group)?);
            }
        }
        if newest.contact == DriverContact::CudaInit {
            let oldest = plain.first().map_or(&newest.version, |run| &run.version);
            self.contact_in.extend(never_run(package, oldest));
        }
        for (_, run) in &dated {
            let [added] =
                &run.beside.iter().filter(|one| !newest.beside.contains(one)).collect::<Vec<_>>()[..]
            else {
                continue;
            };
            if run.version != newest.version {
                if run.contact == DriverContact::CudaInit {
                    let mut one = contact_in(package, &self.module, &[run])?;
                    let any = Range::read("").context("no version is too old")?;
                    one.requires.insert((*added).clone(), any);
                    self.contact_in.push(one);
                }
                continue;
            }
            if run.contact != newest.contact {
                self.contact_if_installed.insert((*added).clone(), run.contact);
            }
            let more =
                run.imports.iter().filter(|one| !newest.imports.contains(one)).cloned().collect::<Vec<_>>();
            if !more.is_empty() {
                self.imports_if_installed.insert((*added).clone(), more);
            }
        }
        self.imports.clone_from(&newest.imports);
        self.sets.clone_from(&newest.sets);
        self.contact = newest.contact;
        let under = under.iter().filter(|run| run.version == newest.version).collect::<Vec<_>>();
        // What depends on a variable is not said of all.
        self.imports.retain(|brought| under.iter().all(|run| run.imports.contains(brought)));
        self.sets.retain(|name, value| under.iter().all(|run| run.sets.get(name) == Some(value)));
        let reaches = |run: &&&Run| run.contact == DriverContact::CudaInit;
        if let Some(run) = under.iter().find(reaches).filter(|_| newest.contact != DriverContact::CudaInit) {
            self.contact = run.contact;
            self.if_env.clone_from(&run.env);
        }
        // The library behind numpy asks for its threads when numpy is loaded. Only GPU libraries were looked for.
        if newest.reads.iter().any(|name| name == "OPENBLAS_NUM_THREADS") && self.module != "numpy" {
            self.imports.push("numpy".to_owned());
        }
        self.version = Some(newest.version.clone());
        Ok(self)
    }
}

/// What older versions did, given in their order.
fn contact_in(package: &str, module: &str, runs: &[&Run]) -> Result<ContactIn> {
    let (first, last) = (&runs[0].version, &runs[runs.len() - 1].version);
    let (text, seen) = match first == last {
        true => (format!("=={first}"), first.clone()),
        false => (format!(">={first},<={last}"), format!("{first} to {last}")),
    };
    let range = Range::read(&text).with_context(|| format!("`{text}` is no range"))?;
    let contact = runs[0].contact;
    let does = match contact {
        DriverContact::None => "reaches no driver",
        DriverContact::Nvml => "asks NVML",
        DriverContact::CudaInit => "initialises CUDA",
    };
    let note = format!("{package} {seen} {does} when {module} is imported");
    Ok(ContactIn { requires: BTreeMap::from([(package.to_owned(), range)]), contact, note })
}

/// Versions that are older than each that was run: nobody has seen them reach the driver.
fn never_run(package: &str, oldest: &str) -> Option<ContactIn> {
    let range = Range::read(&format!("<{oldest}"))?;
    let note = format!("{package} was not run before {oldest}");
    let requires = BTreeMap::from([(package.to_owned(), range)]);
    Some(ContactIn { requires, contact: DriverContact::None, note })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What runs of a package say, each given as its version, what it was beside, what it imported, and its contact.
    fn row(runs: &[(&str, &[&str], &[&str], &str)]) -> Result<PackageModule> {
        let mut text = "{module: detector, gpu-library: true, note: why, runs: [".to_owned();
        for (version, beside, imports, contact) in runs {
            text += &format!(
                "{{version: \"{version}\", date: 2026-03-01, command: run, seconds: 1.5, reads: [CUDA_VISIBLE_DEVICES], \
                 with: {{\"torch\": \"2.1.0\"}}, starts: {{\"threads\": 1}}, sets: {{\"OMP_NUM_THREADS\": \"1\"}}, \
                 beside: [{}], imports: [{}], contact: {contact}}},",
                beside.join(", "),
                imports.join(", "),
            );
        }
        let row: PackageModule = serde_yaml::from_str(&(text + "]}")).unwrap();
        row.with_runs("detector")
    }

    #[test]
    fn the_newest_version_speaks_for_all_others() {
        let row = row(&[("1.10.0", &[], &["torch"], "nvml"), ("1.9.0", &[], &["cupy"], "nvml")]).unwrap();
        assert_eq!(row.imports, ["torch"]);
        assert_eq!(row.contact, DriverContact::Nvml);
        assert_eq!(row.version.as_deref(), Some("1.10.0"));
        assert_eq!(row.sets["OMP_NUM_THREADS"], "1");
        assert_eq!(row.note.as_deref(), Some("why"));
        assert!(
            row.contact_in.is_empty()
                && row.contact_if_installed.is_empty()
                && row.imports_if_installed.is_empty()
        );
    }

    #[test]
    fn older_versions_speak_for_themselves_and_what_lies_between_them() {
        let runs =
            ["0.4.0", "0.5.0", "0.6.0", "0.7.0"].into_iter().zip(["none", "cuda-init", "cuda-init", "none"]);
        let runs = runs.map(|(version, contact)| (version, &[][..], &[][..], contact)).collect::<Vec<_>>();
        let row = row(&runs).unwrap();
        let [one] = &row.contact_in[..] else { panic!("{:?}", row.contact_in) };
        assert_eq!(one.contact, DriverContact::CudaInit);
        assert_eq!(one.requires["detector"], Range::read(">=0.5.0,<=0.6.0").unwrap());
        assert_eq!(one.note, "detector 0.5.0 to 0.6.0 initialises CUDA when detector is imported");
    }

    #[test]
    fn an_older_version_may_have_done_less() {
        let row = row(&[("1.0", &[], &[], "none"), ("2.0", &[], &[], "cuda-init")]).unwrap();
        assert_eq!(row.contact, DriverContact::CudaInit);
        assert_eq!(row.contact_in[0].contact, DriverContact::None);
        assert_eq!(row.contact_in[0].requires["detector"], Range::read("==1.0").unwrap());
    }

    #[test]
    fn nothing_is_known_of_versions_before_the_first_that_was_run() {
        let row = row(&[("2.3.1", &[], &[], "cuda-init"), ("2.8.1", &[], &[], "cuda-init")]).unwrap();
        assert_eq!(row.contact, DriverContact::CudaInit);
        let [one] = &row.contact_in[..] else { panic!("{:?}", row.contact_in) };
        assert_eq!(one.contact, DriverContact::None);
        assert_eq!(one.requires["detector"], Range::read("<2.3.1").unwrap());
    }

    #[test]
    fn a_run_beside_a_package_says_what_that_changes() {
        let runs: &[(&str, &[&str], &[&str], &str)] = &[
            ("1.0", &[], &["cupy"], "none"),
            ("1.0", &["torch"], &["cupy", "torch"], "cuda-init"),
            ("1.0", &["einops"], &["cupy"], "none"),
            ("0.9", &["jax"], &["jax"], "cuda-init"),
            ("0.8", &["jax"], &["jax"], "none"),
        ];
        let row = row(runs).unwrap();
        assert_eq!((row.contact, &row.imports[..]), (DriverContact::None, &["cupy".to_owned()][..]));
        assert_eq!(row.contact_if_installed, BTreeMap::from([("torch".to_owned(), DriverContact::CudaInit)]));
        assert_eq!(
            row.imports_if_installed,
            BTreeMap::from([("torch".to_owned(), vec!["torch".to_owned()])])
        );
    }

    #[test]
    fn one_that_was_only_run_beside_another_speaks_for_that() {
        let row = row(&[("1.0", &["torch"], &["torch"], "cuda-init")]).unwrap();
        assert_eq!((row.contact, &row.imports[..]), (DriverContact::CudaInit, &["torch".to_owned()][..]));
        assert!(row.contact_if_installed.is_empty());
    }

    #[test]
    fn numpy_is_known_by_the_variable_that_its_library_asks_for() {
        let text = "{module: detector, runs: [{version: \"1.0\", date: 2026-03-01, command: run, seconds: 1, contact: none, \
                    imports: [torch], reads: [OPENBLAS_NUM_THREADS]}]}";
        let row: PackageModule = serde_yaml::from_str(text).unwrap();
        let row = row.with_runs("detector").unwrap();
        assert_eq!(row.imports, ["torch", "numpy"]);
    }

    #[test]
    fn a_run_under_a_variable_says_when_it_reaches_the_driver() {
        let run = "version: \"1.0\", date: 2026-03-01, command: run, seconds: 1";
        let text = format!(
            "{{module: detector, runs: [{{{run}, beside: [jax], imports: [jax, pynvml], contact: none, sets: {{\"A\": \"1\"}}}}, \
             {{{run}, beside: [torch], env: {{\"BACKEND\": \"torch\"}}, imports: [torch, pynvml], contact: cuda-init}}]}}"
        );
        let row: PackageModule = serde_yaml::from_str(&text).unwrap();
        let row = row.with_runs("detector").unwrap();
        assert_eq!((row.contact, &row.imports[..]), (DriverContact::CudaInit, &["pynvml".to_owned()][..]));
        assert!(row.sets.is_empty());
        assert_eq!(row.if_env, BTreeMap::from([("BACKEND".to_owned(), "torch".to_owned())]));
    }

    #[test]
    fn what_is_no_version_is_named() {
        let error = row(&[("new", &[], &[], "none")]).unwrap_err();
        assert_eq!(error.to_string(), "`new` is no version");
    }
}
