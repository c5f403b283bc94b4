//! One requirement: `torch[opt] >=2.0,<3 ; python_version < "3.12"` of PEP 508, and the versions of Poetry and conda
//! in the same words.

use crate::code::{Clause, Grammar, Part, Requirement};
use crate::facts::Span;

/// A requirement of PEP 508 that begins at byte `start` of the file; `None` for a path, an address, or anything else.
pub fn read(text: &str, start: usize, part: Part) -> Option<Requirement> {
    let text = text.trim_end();
    let lead = text.len() - text.trim_start().len();
    let (start, text) = (start + lead, &text[lead..]);
    let length = name_length(text);
    let name = normalised(text.get(..length).filter(|name| !name.is_empty())?);
    let rest = text[length..].trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']')?.1.trim_start(),
        None => rest,
    };
    // What pip takes for the one package, `--hash=…`, and what it passes over there: `--index-url`.
    let rest = before_options(rest);
    let (rest, marker) = match rest.strip_prefix('@') {
        Some(address) => address.split_once(" ;").unwrap_or((address, "")),
        None => rest.split_once(';').unwrap_or((rest, "")),
    };
    let is_address = text[length..].trim_start().trim_start_matches(|c| c != '@').starts_with('@')
        && !rest.starts_with(['<', '>', '=', '~', '!', '(']);
    let clauses = if is_address {
        wheel_version(rest).map(|version| vec![exact(version)])
    } else {
        let rest = rest.trim();
        if !(rest.is_empty() || rest.starts_with(['<', '>', '=', '~', '!', '('])) {
            return None;
        }
        let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(rest);
        clauses(inner)
    };
    let shown = before_options(text).len();
    Some(Requirement {
        span: Span::new(start, start + shown),
        name,
        clauses,
        grammar: Grammar::Pep508,
        marker: marker.trim().to_owned(),
        part,
        index: Default::default(),
    })
}

/// What people write behind a requirement.
const OPTIONS: &[&str] = &[
    "--hash",
    "--config-settings",
    "--global-option",
    "--index-url",
    "--extra-index-url",
    "--find-links",
    "-i",
    "-f",
];

/// A text up to the first option behind it.
fn before_options(text: &str) -> &str {
    let text = text.split(" --").next().unwrap_or(text).trim_end();
    let mut at = 0;
    for word in text.split([' ', '\t']) {
        if OPTIONS.iter().any(|option| word.split('=').next() == Some(option)) {
            return text[..at].trim_end();
        }
        at += word.len() + 1;
    }
    text
}

fn name_length(text: &str) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let length = text.bytes().take_while(is_part).count();
    // `./folder` and `-e .` are no names.
    if text.starts_with(|first: char| first.is_ascii_alphanumeric()) { length } else { 0 }
}

/// As package indexes spell a name.
pub fn normalised(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for letter in name.trim().chars() {
        match letter {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            letter => normal.push(letter.to_ascii_lowercase()),
        }
    }
    normal
}

/// `>=2.0,<3` of PEP 440; `None` for what is none, templates above all.
pub fn clauses(text: &str) -> Option<Vec<Clause>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(clause).collect()
}

fn clause(text: &str) -> Option<Clause> {
    let length = text.bytes().take_while(|byte| b"<>=!~".contains(byte)).count();
    let (operator, version) = (&text[..length], text[length..].trim());
    let known = matches!(operator, "==" | "!=" | ">=" | "<=" | ">" | "<" | "~=" | "===");
    (known && is_version(version))
        .then(|| Clause { operator: operator.to_owned(), version: version.to_owned() })
}

fn is_version(text: &str) -> bool {
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".*+!-_".contains(&byte))
}

fn exact(version: String) -> Clause {
    Clause { operator: "==".to_owned(), version }
}

/// The version in the name of a wheel: `torch-2.0.1%2Bcu118-cp311-cp311-linux_x86_64.whl`.
fn wheel_version(address: &str) -> Option<String> {
    let file = address.trim().split(['#', '?']).next()?.rsplit('/').next()?;
    let version = file.strip_suffix(".whl")?.split('-').nth(1)?.replace("%2B", "+").replace("%2b", "+");
    is_version(&version).then_some(version)
}

/// Versions of Poetry: `^2.0`, `~2.0`, `2.*`, `>=2,<3`, and a bare version, which is that one.
pub fn poetry(text: &str) -> Option<Vec<Clause>> {
    let text = text.trim();
    if matches!(text, "" | "*") {
        return Some(Vec::new());
    }
    let mut all = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        if let Some(version) = part.strip_prefix('^') {
            all.extend(up_to(version.trim(), |numbers| numbers.iter().position(|&number| number > 0))?);
        } else if let Some(version) = part.strip_prefix('~').filter(|rest| !rest.starts_with('=')) {
            all.extend(up_to(version.trim(), |numbers| Some(numbers.len().min(2) - 1))?);
        } else if is_version(part) {
            all.push(exact(part.to_owned()));
        } else {
            all.push(clause(part)?);
        }
    }
    Some(all)
}

/// From a version up to the next one in which the number that `raised` names is one higher.
fn up_to(version: &str, raised: impl Fn(&[u32]) -> Option<usize>) -> Option<[Clause; 2]> {
    let release = version.split(|c: char| !(c.is_ascii_digit() || c == '.')).next()?;
    let numbers: Vec<u32> = release.split('.').map_while(|part| part.parse().ok()).collect();
    let last = numbers.len().checked_sub(1)?;
    let at = raised(&numbers).unwrap_or(last).min(last);
    let mut upper = numbers[..=at].to_vec();
    upper[at] = upper[at].checked_add(1)?;
    let upper: Vec<String> = upper.iter().map(u32::to_string).collect();
    let bound = |operator: &str, version: &str| {
        is_version(version).then(|| Clause { operator: operator.to_owned(), version: version.to_owned() })
    };
    Some([bound(">=", version)?, bound("<", &upper.join("."))?])
}

/// A requirement of conda: `pytorch::pytorch=2.3=*cuda*`, `numpy >=1.26,<2`.
pub fn conda(text: &str, start: usize) -> Option<Requirement> {
    let text = text.trim_end();
    let lead = text.len() - text.trim_start().len();
    let (start, text) = (start + lead, &text[lead..]);
    let body = text.rsplit_once("::").map_or(text, |(_, body)| body);
    let length = name_length(body);
    let name = normalised(body.get(..length).filter(|name| !name.is_empty())?);
    // The one package that everybody knows by another name.
    let name = if matches!(name.as_str(), "pytorch" | "pytorch-gpu") { "torch".to_owned() } else { name };
    let rest = body[length..].trim();
    // `pytorch=2.4=cpu*` names the build for the CPU, as a label does.
    let build = rest.strip_prefix('=').and_then(|rest| rest.split('=').nth(1)).unwrap_or_default();
    if build.trim_start_matches('*').starts_with("cpu")
        && let Some(version) = rest[1..].split('=').next().filter(|version| is_version(version))
    {
        let clause = Clause { operator: "==".to_owned(), version: format!("{version}+cpu") };
        return Some(Requirement {
            span: Span::new(start, start + text.len()),
            name,
            clauses: Some(vec![clause]),
            grammar: Grammar::Conda,
            marker: String::new(),
            part: Part::Main,
            index: Default::default(),
        });
    }
    let versions = match rest.strip_prefix('=').filter(|rest| !rest.starts_with('=')) {
        // `=2.3` stands for all that begins so; a build may follow, which says nothing of the version.
        Some(fuzzy) => {
            let version = fuzzy.split(['=', ' ']).next().unwrap_or_default().trim_end_matches(".*");
            is_version(version)
                .then(|| vec![Clause { operator: "==".to_owned(), version: format!("{version}.*") }])
        }
        None => {
            clauses(rest.split(' ').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ").as_str())
        }
    };
    Some(Requirement {
        span: Span::new(start, start + text.len()),
        name,
        clauses: versions,
        grammar: Grammar::Conda,
        marker: String::new(),
        part: Part::Main,
        index: Default::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<String> {
        let read = read(text, 0, Part::Main)?;
        let clauses = read.clauses.map(|clauses| shown(&clauses));
        Some(format!("{}|{}|{}", read.name, clauses.unwrap_or("?".into()), read.marker))
    }

    fn shown(clauses: &[Clause]) -> String {
        let each = clauses.iter().map(|clause| format!("{}{}", clause.operator, clause.version));
        each.collect::<Vec<_>>().join(",")
    }

    #[test]
    fn requirements_are_taken_apart() {
        let cases = [
            ("torch", "torch||"),
            ("Torch_Audio.x >= 2.0 , <3", "torch-audio-x|>=2.0,<3|"),
            ("jax[cuda12,k8s]==0.4.*; python_version < '3.12'", "jax|==0.4.*|python_version < '3.12'"),
            ("torch (>=2.0)", "torch|>=2.0|"),
            ("torch==2.0.0+cu118 --hash=sha256:abc", "torch|==2.0.0+cu118|"),
            ("torch --index-url https://x", "torch||"),
            ("torch==2.0 -f https://x", "torch|==2.0|"),
            ("torch; -f=https://x; sys_platform == 'linux'", "torch||"),
            ("torch @ https://x/torch-2.0.1%2Bcu118-cp311-cp311-linux_x86_64.whl", "torch|==2.0.1+cu118|"),
            ("torch @ git+https://x/torch.git ; sys_platform == 'linux'", "torch|?|sys_platform == 'linux'"),
            ("torch=={{ version }}", "torch|?|"),
        ];
        for (text, expected) in cases {
            assert_eq!(said(text).as_deref(), Some(expected), "{text}");
        }
        for text in
            ["./folder", "https://x/y.whl", "-e .", "", "torch is needed", "python --version", "a:b", "é"]
        {
            assert_eq!(said(text), None, "{text}");
        }
    }

    #[test]
    fn versions_of_poetry_are_those_of_pep_440() {
        let cases = [
            ("^2.1.3", ">=2.1.3,<3"),
            ("^0.2.3", ">=0.2.3,<0.3"),
            ("^0.0", ">=0.0,<0.1"),
            ("~2.1.3", ">=2.1.3,<2.2"),
            ("~2", ">=2,<3"),
            ("2.1.0", "==2.1.0"),
            ("2.*", "==2.*"),
            (">=2,<3", ">=2,<3"),
            ("*", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(poetry(text).as_deref().map(shown).as_deref(), Some(expected), "{text}");
        }
        assert!(poetry("2 || 3").is_none() && poetry("^x").is_none() && poetry("^4294967295").is_none());
    }

    #[test]
    fn requirements_of_conda_are_taken_apart() {
        let cases = [
            ("pytorch=2.3", "torch|==2.3.*"),
            ("pytorch::pytorch=2.3.1=*cuda*", "torch|==2.3.1.*"),
            ("cudatoolkit==11.8", "cudatoolkit|==11.8"),
            ("numpy >=1.26,<2", "numpy|>=1.26,<2"),
            ("pip", "pip|"),
        ];
        for (text, expected) in cases {
            let read = conda(text, 0).expect("a requirement");
            let clauses = read.clauses.map(|clauses| shown(&clauses));
            assert_eq!(format!("{}|{}", read.name, clauses.unwrap_or("?".into())), expected, "{text}");
        }
    }
}
