//! Arguments of pytest.

/// Arguments of pytest that are files or folders.
pub(super) fn test_paths(words: &[Option<&str>], mut at: usize) -> Vec<String> {
    const WITH_VALUE: &[&str] = &[
        "-k",
        "-m",
        "-n",
        "-p",
        "-c",
        "-o",
        "-W",
        "-r",
        "--maxfail",
        "--durations",
        "--timeout",
        "--junitxml",
        "--junit-xml",
        "--cov",
        "--cov-report",
        "--rootdir",
        "--ignore",
        "--deselect",
        "--tb",
        "--dist",
        "--log-cli-level",
        "--basetemp",
        "--html",
        "--reruns",
        "--num-processes",
        "--splits",
        "--group",
    ];
    let mut paths = Vec::new();
    while let Some(word) = words.get(at) {
        match word {
            Some(option) if option.starts_with('-') => {
                at += usize::from(WITH_VALUE.contains(option));
            }
            Some(path) => paths.push(path.split("::").next().unwrap_or(path).to_owned()),
            None => {}
        }
        at += 1;
    }
    paths
}
