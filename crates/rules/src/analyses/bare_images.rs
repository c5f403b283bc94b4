//! Images without what their packages need of CUDA: a compiler, or libraries.

use super::builds::installed;
use super::requirements::lists_in;
use crate::code::Host;
use crate::facts::{FileId, Place};
use crate::findings::Severity;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::{Language, file_name_of};

/// Words of an image that speak of a compiler for CUDA, or of a package that needs none.
const COMPILERS: &[&str] = &[
    "nvcc",
    "cuda-toolkit",
    "cuda-compiler",
    "cuda-minimal-build",
    "cuda_",
    "cudatoolkit",
    "SKIP_CUDA_BUILD",
    "CUDA_HOME",
    "cuda-libraries-dev",
    "micromamba",
    "conda",
    "pixi",
    "COPY --from",
];

/// Words that speak of the libraries of CUDA, or of a package that brings them.
const LIBRARIES: &[&str] = &[
    "cudnn",
    "cublas",
    "torch",
    "tensorflow",
    "nvidia-",
    "nvidia_",
    "[cuda",
    "cuda-",
    "cuda_",
    "conda",
    "mamba",
    "COPY --from",
    "LD_LIBRARY_PATH",
    "jax",
    "paddle",
];

/// What is compiled when it is installed, and what is compiled when it is used.
const COMPILED: &[(&str, bool)] = &[("flash-attn", true), ("flash_attn", true), ("deepspeed", false)];

/// What loads cuBLAS and cuDNN, and whether it is of no use without a GPU.
const NEEDING_CUDNN: &[(&str, bool)] =
    &[("onnxruntime-gpu", true), ("faster-whisper", false), ("ctranslate2", false)];

/// `RUN pip install flash-attn` in an image for running alone, which has no `nvcc`.
pub(super) fn without_compiler(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let mut found: Vec<RawFinding> = Vec::new();
    if scope.language() != Language::Dockerfile || COMPILERS.iter().any(|word| text.contains(word)) {
        return found;
    }
    for Installing { command, told, base } in installing(scope) {
        let is_bare = base.starts_with("nvidia/cuda:")
            && (base.contains("-runtime") || base.contains("-base"))
            || base.starts_with("pytorch/pytorch:") && base.contains("-runtime")
            || base.starts_with("python:");
        if !is_bare {
            continue;
        }
        let lists = lists_of(scope, command, &told);
        let package = COMPILED.iter().find_map(|(package, at_once)| {
            named(scope, &told, &lists, package).map(|place| (package.replace('_', "-"), *at_once, place))
        });
        let (package, at_once, place) = match package {
            Some(package) => package,
            None => match installed(scope, command).filter(|setup| has_cuda_code(scope, *setup)) {
                Some(setup) => (scope.program.name_of(setup).to_owned(), true, None),
                None => continue,
            },
        };
        let raw_finding = RawFinding::at(command.site).word("package", package).word("image", base);
        let when = if at_once {
            "is compiled when it is installed"
        } else {
            "compiles its operators when they are first used"
        };
        let raw_finding = raw_finding.word("when", when);
        let raw_finding = beside_list(raw_finding, place);
        let raw_finding = if at_once { raw_finding } else { raw_finding.at_most(Severity::Note) };
        if !found.iter().any(|known| known.place == raw_finding.place) {
            found.push(raw_finding);
        }
    }
    found
}

/// `RUN pip install onnxruntime-gpu` in an image that has no library of CUDA.
pub(super) fn without_libraries(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<RawFinding> = Vec::new();
    if scope.language() != Language::Dockerfile {
        return found;
    }
    let text = without_images(scope.whole_text());
    if LIBRARIES.iter().any(|word| text.contains(word)) {
        return found;
    }
    for Installing { command, told, base } in installing(scope) {
        let is_bare = ["python:", "ubuntu:", "debian:"].iter().any(|image| base.starts_with(image))
            || base.starts_with("nvidia/cuda:") && base.contains("-base");
        let lacks_cudnn = base.starts_with("nvidia/cuda:") && !base.contains("cudnn") && !base.contains("$");
        if !is_bare && !lacks_cudnn {
            continue;
        }
        let lists = lists_of(scope, command, &told);
        let brings = |file: &FileId| {
            let text = &*scope.program.sources.file(*file).text;
            LIBRARIES.iter().any(|word| text.contains(word))
        };
        if lists.iter().any(brings) {
            continue;
        }
        let uses_cuda =
            || scope.program.every_file().any(|(_, file)| file.is_python() && file.text.contains("cuda"));
        let needing_cudnn = NEEDING_CUDNN.iter().find_map(|(package, always)| {
            let place = named(scope, &told, &lists, package).filter(|_| *always || uses_cuda())?;
            Some((*package, place))
        });
        let (package, missing, what, place) = if let Some((package, place)) = needing_cudnn {
            let missing = if is_bare { "cuBLAS and cuDNN" } else { "cuDNN" };
            let what = match package {
                "onnxruntime-gpu" => "sessions run on the CPU, with a line in the log",
                _ => "the first use of the GPU ends with \"Library libcublas is not found\" or one of cuDNN",
            };
            (package, missing.to_owned(), what, place)
        } else if let Some((package, major, place)) = cupy_of(scope, &told, &lists)
            && (is_bare || is_of_other_major(base, major))
        {
            (package, format!("libraries of CUDA {major}"), "it cannot load NVRTC or cuBLAS", place)
        } else {
            continue;
        };
        let raw_finding = RawFinding::at(command.site).word("package", package).word("image", base);
        let raw_finding = raw_finding.word("missing", missing).word("what", what);
        found.push(beside_list(raw_finding, place));
    }
    found
}

fn beside_list(raw_finding: RawFinding, place: Option<Place>) -> RawFinding {
    match place {
        Some(place) => raw_finding.beside(place, "it is listed here"),
        None => raw_finding,
    }
}

/// CuPy built for one major version of CUDA, without the extra that brings its libraries.
fn cupy_of(
    scope: &FileScope<'_>,
    told: &[&str],
    lists: &[FileId],
) -> Option<(&'static str, u32, Option<Place>)> {
    const BUILDS: &[(&str, u32)] = &[("cupy-cuda11x", 11), ("cupy-cuda12x", 12), ("cupy-cuda13x", 13)];
    let brings = |text: &str| text.contains("[ctk");
    let has_extra = told.iter().any(|word| brings(word))
        || lists.iter().any(|list| brings(&scope.program.sources.file(*list).text));
    let mut builds = BUILDS.iter().filter(|_| !has_extra);
    builds.find_map(|(package, major)| Some((*package, *major, named(scope, told, lists, package)?)))
}

/// `nvidia/cuda:11.8.0-runtime-ubuntu22.04` for CuPy of CUDA 12.
fn is_of_other_major(image: &str, major: u32) -> bool {
    let tag = image.strip_prefix("nvidia/cuda:");
    let of_image = tag.and_then(|tag| tag.split('.').next()?.parse::<u32>().ok());
    of_image.is_some_and(|of_image| of_image != major)
}

/// A Dockerfile without its lines `FROM`, whose names say what an image has.
fn without_images(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().to_ascii_uppercase().starts_with("FROM "));
    lines.collect::<Vec<_>>().join("\n")
}

/// A command of an image that installs with pip.
struct Installing<'a> {
    command: &'a RunCommand,
    /// The words behind `pip install`.
    told: Vec<&'a str>,
    /// The image below it.
    base: &'a str,
}

fn installing<'a>(scope: &'a FileScope<'_>) -> impl Iterator<Item = Installing<'a>> {
    let text = scope.whole_text();
    let commands = scope.own_commands().filter(|command| command.host == Host::NoGpu);
    commands.filter_map(|command| {
        let told = command.told_pip_install()?;
        let before = &text[..command.site.span.range().start];
        let base = before.lines().rev().find_map(|line| line.trim().strip_prefix("FROM "))?;
        let base = base.split_whitespace().find(|word| !word.starts_with("--"))?;
        Some(Installing { command, told, base })
    })
}

/// The lists of packages that a command reads. What an image has copied elsewhere is found by its name, where the project has one of it.
pub(super) fn lists_of(scope: &FileScope<'_>, command: &RunCommand, told: &[&str]) -> Vec<FileId> {
    let by_name = |list: &str| {
        let name = file_name_of(list);
        let is_same = |file: &FileId| file_name_of(scope.program.name_of(*file)) == name;
        let mut same = scope.program.every_file().map(|(file, _)| file).filter(is_same);
        let only = same.next()?;
        same.next().is_none().then_some(only)
    };
    let files = lists_in(told)
        .filter_map(|list| scope.program.file_beside(command, None, list).or_else(|| by_name(list)));
    files.collect()
}

/// Whether a command installs a package from its source, with the place of the list that names it.
pub(super) fn named(
    scope: &FileScope<'_>,
    told: &[&str],
    lists: &[FileId],
    package: &str,
) -> Option<Option<Place>> {
    if told.iter().any(|word| is_it(word, package)) {
        return Some(None);
    }
    lists.iter().find_map(|&file| {
        let text = &*scope.program.sources.file(file).text;
        text.lines().any(|line| is_it(line.trim(), package)).then(|| {
            let asked = scope.program.code(file).requirements.iter();
            let mut asked = asked.filter(|asked| asked.name == package.replace('_', "-"));
            asked.next().map(|asked| Place { file, span: asked.span })
        })
    })
}

/// `deepspeed==0.12`, `git+https://…#egg=deepspeed`; a wheel by its address has been built.
fn is_it(word: &str, package: &str) -> bool {
    let rest = word.trim_matches(['"', '\'']).strip_prefix(package);
    let is_name = rest
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', '>', '<', '~', '!', '[', ' ', ';']));
    (is_name || word.ends_with(&format!("egg={package}"))) && !word.contains(".whl")
}

fn has_cuda_code(scope: &FileScope<'_>, setup: FileId) -> bool {
    let text = &*scope.program.sources.file(setup).text;
    text.contains("CUDAExtension(")
        && !["is_available", "CUDA_HOME", "environ", "getenv"].iter().any(|word| text.contains(word))
}
