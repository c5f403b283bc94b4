//! What the requirements of a project say about builds for a GPU.

mod architectures;
mod builds;
mod conda_builds;
mod cpu_builds;
mod indexes;
mod labels;
mod line_options;
mod removed;
mod replaced;
mod rivals;
mod unpublished;
mod windows;

pub use architectures::wheels_that_lack_it;
pub use builds::different_builds;
pub use conda_builds::without_cuda;
pub use cpu_builds::of_torch;
pub use indexes::overruled_indexes;
pub use labels::ranges_with_labels;
pub use line_options::options_behind_requirements;
pub use removed::removed_packages;
pub use replaced::replaced_builds;
pub use rivals::rival_builds;
pub use unpublished::unpublished_builds;
pub use windows::without_cuda_on_windows;

use crate::code::{Clause, Grammar, Index, Part, Requirement};
use crate::program::knowledge::tables::Pair;
use crate::rules::files::FileScope;
use crate::sources::Language;

/// A build for a GPU, or for none, by the label behind the version: `cu118`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Build {
    Cuda(Pair),
    /// ROCm, XPU, no GPU at all.
    Other,
}

/// Labels of builds that have no CUDA.
const OTHERS: &[&str] = &["cpu", "rocm", "xpu", "hip"];

impl Build {
    /// What a label such as `cu118` or `cpu.cxx11.abi` says, when it is one of a build.
    fn of_label(label: &str) -> Option<Build> {
        if let Some(rest) = label.strip_prefix("cu") {
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            return Pair::of_label(digits).map(Build::Cuda);
        }
        OTHERS.iter().any(|other| label.starts_with(other)).then_some(Build::Other)
    }

    /// The builds that an index of PyTorch holds: `https://download.pytorch.org/whl/cu118`.
    fn of_address(address: &str) -> Option<Build> {
        let path = address.split_once("download.pytorch.org/whl/")?.1;
        path.split('/').find_map(Build::of_label)
    }

    fn cuda(self) -> Option<Pair> {
        match self {
            Build::Cuda(version) => Some(version),
            Build::Other => None,
        }
    }
}

/// The lists among the words behind `pip install`: `a.txt` of `-r a.txt`.
pub(super) fn lists_in<'t>(told: &'t [&'t str]) -> impl Iterator<Item = &'t str> {
    told.windows(2).filter(|pair| matches!(pair[0], "-r" | "--requirement")).map(|pair| pair[1])
}

/// `cu118` of `==2.0.1+cu118`.
fn label_of(clause: &Clause) -> Option<&str> {
    clause.version.split_once('+').map(|(_, label)| label)
}

/// The build that a requirement names itself: by the label of its one version, or by the only index that is asked.
fn named_build(requirement: &Requirement) -> Option<Build> {
    let clauses = requirement.clauses.as_deref()?;
    let labels = clauses.iter().filter(|clause| matches!(clause.operator.as_str(), "==" | "==="));
    let label = labels.filter_map(label_of).find_map(Build::of_label);
    label.or_else(|| Build::of_address(requirement.index.only.as_deref()?))
}

/// Whether wheels come from PyPI and nowhere else, as far as the file says.
fn is_from_pypi(index: &Index) -> bool {
    let is_default =
        |address: &String| address.contains("//pypi.org/") || address.contains("//pypi.python.org/");
    !index.links && index.only.as_ref().is_none_or(is_default) && index.extra.iter().all(is_default)
}

/// Whether a command may get its wheels from elsewhere than its words say: by variables of the same file, or because it
/// runs on Windows, for which PyPI has other wheels.
fn is_set_elsewhere(requirement: &Requirement, scope: &FileScope<'_>) -> bool {
    const NAMES: &[&str] =
        &["PIP_INDEX", "PIP_EXTRA_INDEX", "PIP_FIND_LINKS", "UV_INDEX", "UV_EXTRA", "UV_DEFAULT", "UV_TORCH"];
    let is_command = matches!(requirement.part, Part::Command(_));
    let on_windows = matches!(scope.language(), Language::PowerShell | Language::Batch);
    is_command && (on_windows || NAMES.iter().any(|name| scope.whole_text().contains(name)))
}

/// Whether a marker leaves Linux on x86-64 in.
fn may_be_linux(marker: &str) -> bool {
    let elsewhere = ["darwin", "win32", "Windows", "Darwin", "aarch64", "arm64", "nt\"", "nt'"];
    !elsewhere.iter().any(|word| marker.contains(word))
}

/// Whether one environment may hold both.
fn meet(one: &Requirement, other: &Requirement) -> bool {
    let parts = match (&one.part, &other.part) {
        (Part::Build | Part::Constraint, _) | (_, Part::Build | Part::Constraint) => false,
        (Part::Main, Part::Group(_)) | (Part::Group(_), Part::Main) => true,
        (part, part_of_other) => part == part_of_other,
    };
    let markers = one.marker.is_empty() || other.marker.is_empty() || one.marker == other.marker;
    let pip = |requirement: &Requirement| requirement.grammar != Grammar::Conda;
    parts && markers && pip(one) && pip(other)
}
