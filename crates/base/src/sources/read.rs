//! Reads the text of one file, or says in one clause why not.

use super::language::Language;
use super::walk::{ReadReason, reason};
use crate::disk::{Bounds, Refused, refused};
use aho_corasick::AhoCorasick;
use std::io::{self, Read};
use std::path::Path;
use std::sync::LazyLock;

/// Larger files are data, whatever their names say.
const MAX_BYTES: u64 = 16 << 20;

/// Notebooks hold the pictures that they drew.
const MAX_NOTEBOOK_BYTES: u64 = 256 << 20;

/// A longer first line is no shebang that a system would accept.
const SHEBANG_BYTES: u64 = 256;

/// Larger files of data hold no settings.
const MAX_DATA_BYTES: u64 = 1 << 20;

const NOT_READ: &str = "not a language that gpulint reads, by its name or its first line";

/// The text of a file and its language; `None` for a file below a named folder that turns out to be
/// something else, or data that has nothing to do with GPUs.
pub fn file(bounds: &Bounds, path: &Path, wanted: ReadReason) -> Result<Option<(Language, String)>, String> {
    let named = wanted == ReadReason::Named;
    let language = Language::of_name(path);
    let expected = language.is_some() || named;
    let (open, length) = match bounds.open(path) {
        Ok(opened) => opened,
        Err(_) if !expected => return Ok(None),
        Err(error) => return Err(refused(&error).map_or_else(|| reason(&error), |why| words(why).to_owned())),
    };
    if language == Some(Language::Cache) {
        return Ok(Some((Language::Cache, String::new())));
    }
    if language.is_some() && length > most_bytes(language) {
        return Err(too_large(language));
    }
    let is_data = language.is_some_and(Language::is_data);
    if is_data && !named && length > MAX_DATA_BYTES {
        return Ok(None);
    }
    match bytes_of(open, language, length) {
        Ok(Some((_, bytes))) if !named && !may_matter(path, language, &bytes) => Ok(None),
        Ok(Some((language, bytes))) => Ok(Some((language, decoded(bytes, language)?))),
        Ok(None) if named => Err(not_read(path)),
        Ok(None) => Ok(None),
        Err(_) if !expected => Ok(None),
        Err(error) => Err(reason(&error)),
    }
}

/// Why a file is not opened, in one clause.
pub fn words(refused: Refused) -> &'static str {
    match refused {
        Refused::Outside => "a link that leads outside of the project",
        Refused::NotRegular => "not a regular file",
    }
}

/// The same of a file with these bytes.
pub fn bytes(path: &Path, wanted: ReadReason, bytes: &[u8]) -> Result<Option<(Language, String)>, String> {
    let named = wanted == ReadReason::Named;
    let by_name = Language::of_name(path);
    let Some(language) = by_name.or_else(|| Language::of_shebang(bytes)) else {
        return if named { Err(not_read(path)) } else { Ok(None) };
    };
    if language == Language::Cache {
        return Ok(Some((language, String::new())));
    }
    if !named && !may_matter(path, by_name, bytes) {
        return Ok(None);
    }
    Ok(Some((language, decoded(bytes.to_vec(), language)?)))
}

/// Whether what is in a file can have to do with GPUs, by what it holds where that is data.
fn may_matter(path: &Path, language: Option<Language>, bytes: &[u8]) -> bool {
    if !language.is_some_and(Language::is_data) {
        return true;
    }
    bytes.len() as u64 <= MAX_DATA_BYTES
        && (starts_programs(path)
            || says_project(path)
            || asks_for_crate(path, bytes)
            || says_how_to_start(language, bytes)
            || runs_containers(bytes)
            || language == Some(Language::Yaml) && names_server(bytes)
            || mentions_gpu(bytes)
            || language == Some(Language::Yaml) && names_defaults(bytes)
            || language == Some(Language::Requirements) && asks_for_build(bytes))
}

/// Whether settings are put together from other files, as those of Hydra are: `defaults:` with a list.
fn names_defaults(bytes: &[u8]) -> bool {
    let lists = |at: usize| {
        let rest = &bytes[at + "defaults:".len()..];
        let mut words = rest.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        words.next() == Some(b"-")
    };
    memchr::memmem::find_iter(bytes, b"defaults:").any(|at| (at == 0 || bytes[at - 1] == b'\n') && lists(at))
}

/// Whether a list for pip asks for the build without a GPU of what has another one, or for what needs CUDA from elsewhere.
fn asks_for_build(bytes: &[u8]) -> bool {
    let names = [
        "onnxruntime",
        "faiss",
        "paddlepaddle",
        "tensorflow",
        "spacy",
        "lightgbm",
        "faster-whisper",
        "ctranslate2",
        "flash-attn",
        "flash_attn",
        "deepspeed",
        "dgl",
        "fastembed",
        "insightface",
        "jax",
        "llama-cpp-python",
        "mxnet",
        "optimum",
        "rembg",
    ];
    has_any(bytes, &names)
}

fn has_any(bytes: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| memchr::memmem::find(bytes, word.as_bytes()).is_some())
}

/// Whether commands in a file of tasks or services start containers, whose GPUs are theirs to give.
fn runs_containers(bytes: &[u8]) -> bool {
    let words = ["docker run", "docker compose run", "podman run", "singularity exec", "apptainer exec"];
    has_any(bytes, &words)
}

/// Whether a file says how others are started that touch a GPU: by a server that forks, by several workers of pytest, or with
/// options of Slurm that stand in a document only.
fn says_how_to_start(language: Option<Language>, bytes: &[u8]) -> bool {
    match language {
        Some(Language::Ini) => has_any(bytes, &["[uwsgi]", "[pytest]"]),
        Some(Language::Markdown) => has_any(bytes, &["sbatch "]),
        _ => false,
    }
}

/// Whether a manifest names the image of a server that is made for a GPU.
fn names_server(bytes: &[u8]) -> bool {
    let images =
        ["lmsysorg/sglang", "text-embeddings-inference", "text-generation-inference", "vllm/vllm-openai"];
    has_any(bytes, &images)
}

/// Whether a manifest of Rust names a crate that has CUDA only where a feature or the linker says so.
fn asks_for_crate(path: &Path, bytes: &[u8]) -> bool {
    let names = ["candle", "tch", "ort "];
    path.file_name().is_some_and(|name| name == "Cargo.toml") && has_any(bytes, &names)
}

/// The text that came from standard input in the place of the file `path`; without one it is Python.
pub fn text_of(path: Option<&Path>, bytes: Vec<u8>) -> Result<(Language, String), String> {
    let language = match path {
        Some(path) => Language::of_name(path).or_else(|| Language::of_shebang(&bytes)),
        None => Some(Language::of_shebang(&bytes).unwrap_or(Language::Python)),
    };
    match (language, path) {
        (Some(language), _) => Ok((language, decoded(bytes, language)?)),
        (None, path) => Err(path.map_or_else(|| NOT_READ.to_owned(), not_read)),
    }
}

/// `None` for a file whose name does not say a language, and whose first line does not either.
fn bytes_of(
    mut open: impl Read,
    language: Option<Language>,
    length: u64,
) -> io::Result<Option<(Language, Vec<u8>)>> {
    let mut bytes = Vec::new();
    let language = match language {
        Some(language) => language,
        None => {
            (&mut open).take(SHEBANG_BYTES).read_to_end(&mut bytes)?;
            let Some(language) = Language::of_shebang(&bytes) else { return Ok(None) };
            language
        }
    };
    let most = most_bytes(Some(language));
    bytes.reserve_exact((length.min(most) as usize + 1).saturating_sub(bytes.len()));
    // One byte more, so that a file that is too large, or has grown, is noticed.
    open.take(most + 1).read_to_end(&mut bytes)?;
    Ok(Some((language, bytes)))
}

/// Whether a file of data is known, by its name, to start programs: what it does not set matters too.
fn starts_programs(path: &Path) -> bool {
    let name = path.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
    name.contains("compose")
        || matches!(&*name, ".gitlab-ci.yml" | "action.yml" | "action.yaml" | "launch.json")
        || path.components().any(|part| part.as_os_str() == ".github")
}

/// Whether a file of data says that its folder is a project, and which commands it installs.
fn says_project(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "pyproject.toml" || name == "setup.cfg")
}

pub fn mentions_gpu(bytes: &[u8]) -> bool {
    static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        // The last one stands in the settings of accelerate.
        let settings = ["cuda", "gpu", "device", "nvidia", "hip_", "rocr_", "torch", "distributed_type"];
        // What only names cards, their generations and what they can do says something of hardware too.
        let hardware = [
            "a100",
            "ampere",
            "bf16",
            "blackwell",
            "capacidad de c",
            "capacité de calcul",
            "compute cap",
            "fp8",
            "geforce",
            "hopper",
            "lovelace",
            "rtx",
            "tf32",
        ];
        let words = settings.into_iter().chain(hardware);
        AhoCorasick::builder().ascii_case_insensitive(true).build(words).expect("fixed words")
    });
    WORDS.is_match(bytes)
}

fn decoded(bytes: Vec<u8>, language: Language) -> Result<String, String> {
    if bytes.len() as u64 > most_bytes(Some(language)) {
        return Err(too_large(Some(language)));
    }
    // Windows PowerShell writes UTF-16, and the shells of Windows read it.
    let may_be_wide = matches!(language, Language::Batch | Language::PowerShell | Language::Requirements);
    match may_be_wide.then(|| wide(&bytes)).flatten() {
        Some(text) => text.ok_or_else(|| "not valid UTF-16".to_owned()),
        None => String::from_utf8(bytes).map_err(|_| "not valid UTF-8".to_owned()),
    }
}

/// The text of a file that begins with the mark of UTF-16, which stays; `None` inside where it is not valid.
fn wide(bytes: &[u8]) -> Option<Option<String>> {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2)? {
        [0xff, 0xfe] => u16::from_le_bytes,
        [0xfe, 0xff] => u16::from_be_bytes,
        _ => return None,
    };
    let pairs = bytes.chunks_exact(2);
    let is_whole = pairs.remainder().is_empty();
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    let text: Option<String> = char::decode_utf16(units).map(Result::ok).collect();
    Some(text.filter(|_| is_whole))
}

fn too_large(language: Option<Language>) -> String {
    format!("larger than {} MiB", most_bytes(language) >> 20)
}

pub fn most_bytes(language: Option<Language>) -> u64 {
    if language == Some(Language::Notebook) { MAX_NOTEBOOK_BYTES } else { MAX_BYTES }
}

fn not_read(path: &Path) -> String {
    match path.extension() {
        Some(extension) if extension == "pyi" => "a type stub, which no program runs".to_owned(),
        _ => NOT_READ.to_owned(),
    }
}
