//! `docker run`, `docker exec` and their like: the options, the image, and what runs inside.

use super::{
    Gpus, Invocation, SeparateEnvironment, Setting, Started, invocation_from, is_assignment, is_variable_name,
};

/// What stands for an image whose name is not known.
pub const SOME_IMAGE: &str = "some-image";

/// Whether a program starts containers of images.
pub fn is_engine(program: Option<&str>) -> bool {
    matches!(program, Some("docker" | "podman" | "nerdctl"))
}

/// Options of `run` and `exec` that take no value.
const FLAGS: &[&str] = &[
    "--detach",
    "--interactive",
    "--tty",
    "--rm",
    "--privileged",
    "--init",
    "--read-only",
    "--publish-all",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--sig-proxy",
    "--disable-content-trust",
    "--help",
    "--quiet",
    "--replace",
    "--rmi",
    "--tls-verify",
    "--env-host",
    "--http-proxy",
    "--latest",
];
/// Letters for flags that may stand together: `-itd`.
const LETTERS: &str = "itdPqz";

/// What a container engine starts; `false` when the words are for none.
pub(super) fn start(words: &[Option<&str>], at: usize, name: &str, invocation: &mut Invocation) -> bool {
    // The wrapper of NVIDIA is docker with all GPUs, as long as no option says less.
    let has_gpus = name == "nvidia-docker";
    if !has_gpus && !matches!(name, "docker" | "podman" | "nerdctl") {
        return false;
    }
    invocation.started = Started::Program(name.to_owned());
    let Some((verb, at)) = verb(words, at + 1) else { return true };
    let run = match verb {
        "run" | "create" => true,
        "exec" => false,
        _ => return true,
    };
    let mut container =
        Container { gpus: if has_gpus { Gpus::All } else { Gpus::None }, ..Container::default() };
    let Some(image) = container.options(words, at, invocation) else { return true };
    let elsewhere = match run {
        true => SeparateEnvironment::Container {
            handed: container.handed,
            env_files: container.env_files,
            gpus: match container.gpus {
                Gpus::None if container.is_open => Gpus::Unknown,
                Gpus::Some if container.has_all_devices => Gpus::All,
                gpus => gpus,
            },
        },
        false => SeparateEnvironment::Running,
    };
    // Assignments behind the image are made inside.
    invocation.elsewhere = Some(elsewhere);
    match container.entry_point {
        Some(program) => {
            let mut inside = words.to_vec();
            inside[image] = words[program].map(|word| word.strip_prefix("--entrypoint=").unwrap_or(word));
            invocation_from(&inside, image, invocation);
        }
        None if image + 1 < words.len() => invocation_from(words, image + 1, invocation),
        // What the image starts by itself is written elsewhere.
        None => invocation.image = words[image].filter(|_| run).map(str::to_owned),
    }
    true
}

/// The command of the engine and the position behind it.
fn verb<'w>(words: &[Option<&'w str>], mut at: usize) -> Option<(&'w str, usize)> {
    loop {
        let word = words.get(at).copied().flatten()?;
        at += 1;
        match word {
            "container" => {}
            "-H" | "--host" | "--context" | "-c" | "--config" | "-l" | "--log-level" => at += 1,
            option if option.starts_with('-') => {}
            verb => return Some((verb, at)),
        }
    }
}

struct Container {
    handed: Vec<String>,
    env_files: Vec<String>,
    gpus: Gpus,
    /// An option may bring GPUs that it does not name.
    is_open: bool,
    /// It is privileged: given any GPUs, it has all of the machine.
    has_all_devices: bool,
    /// The position of the program that runs instead of the image's own.
    entry_point: Option<usize>,
}

impl Default for Container {
    fn default() -> Self {
        Container {
            handed: Vec::new(),
            env_files: Vec::new(),
            gpus: Gpus::None,
            is_open: false,
            has_all_devices: false,
            entry_point: None,
        }
    }
}

impl Container {
    /// Reads the options and returns the position of the image.
    fn options(
        &mut self,
        words: &[Option<&str>],
        mut at: usize,
        invocation: &mut Invocation,
    ) -> Option<usize> {
        while at < words.len() {
            // A word that is not known may be an option as well as the image.
            let word = words[at]?;
            if !word.starts_with('-') {
                return Some(at);
            }
            if word == "--" {
                return Some(at + 1).filter(|at| *at < words.len());
            }
            let (name, attached) = match word.split_once('=') {
                Some((name, value)) if word.starts_with("--") => (name, Some((at, name.len() + 1, value))),
                _ if !word.starts_with("--") && word.len() > 2 && !is_letters(word) => {
                    // `-eX=1`
                    (word.get(..2)?, word.get(2..).map(|value| (at, 2, value)))
                }
                _ => (word, None),
            };
            let is_flag = FLAGS.contains(&name) || is_letters(name);
            if is_flag {
                self.has_all_devices |=
                    name == "--privileged" && attached.is_none_or(|(.., value)| value != "false");
                at += 1;
                continue;
            }
            let value =
                attached.or_else(|| words.get(at + 1).copied().flatten().map(|value| (at + 1, 0, value)));
            self.option(name, value, invocation);
            at += if attached.is_some() { 1 } else { 2 };
        }
        None
    }

    fn option(&mut self, name: &str, value: Option<(usize, usize, &str)>, invocation: &mut Invocation) {
        let Some((word, start, value)) = value else {
            // Somebody chooses which.
            match name {
                "--gpus" => self.give("some"),
                "--runtime" | "--device" | "-e" | "--env" | "--env-file" => self.is_open = true,
                _ => {}
            }
            return;
        };
        match name {
            "-e" | "--env" if is_assignment(value) => {
                if value.starts_with("NVIDIA_VISIBLE_DEVICES=") {
                    let devices = value.split_once('=').map_or("", |(_, value)| value);
                    // Of a value that is not known before it runs, only the name is here: somebody chooses.
                    self.give(if devices.is_empty() { "some" } else { devices });
                }
                invocation.settings.push(Setting { word, range: (start, start + value.len()) });
            }
            "-e" | "--env" if is_variable_name(value) => self.handed.push(value.to_owned()),
            "--env-file" => {
                self.is_open = true;
                self.env_files.push(value.to_owned());
            }
            "--gpus" => self.give(value),
            "--runtime" if value == "nvidia" => self.give("all"),
            "--device" if value.contains("nvidia") => {
                self.give(
                    value.split_once('=').map_or(
                        if value.contains("nvidia.com/gpu") { "all" } else { "some" },
                        |(_, value)| value,
                    ),
                );
            }
            "--runtime" | "--device" | "--volumes-from" => self.is_open = true,
            "-w" | "--workdir" => invocation.folder = Some(value.trim_start_matches('/').to_owned()),
            "--entrypoint" => self.entry_point = Some(word),
            _ => {}
        }
    }

    fn give(&mut self, gpus: &str) {
        let gpus = gpus.trim_matches(['"', '\'']);
        let all = gpus == "all" || gpus == "device=all" || gpus.starts_with("capabilities");
        // The narrower of two choices holds.
        self.gpus = match (all, gpus) {
            (_, "none" | "void" | "") => self.gpus,
            (true, _) if self.gpus != Gpus::Some => Gpus::All,
            _ => Gpus::Some,
        };
    }
}

fn is_letters(word: &str) -> bool {
    word.len() > 1
        && word
            .strip_prefix('-')
            .is_some_and(|letters| letters.chars().all(|letter| LETTERS.contains(letter)))
}
