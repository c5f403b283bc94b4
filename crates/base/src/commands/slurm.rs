//! `#SBATCH` lines of a script: what it asks for when it runs as a job of Slurm.

/// The words of the `#SBATCH` lines, each with the place where it begins. A comment ends its line.
pub fn directives(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(options) = line.strip_prefix("#SBATCH").filter(|rest| rest.starts_with([' ', '\t'])) {
            words_of(options, start + "#SBATCH".len(), &mut words);
        }
        start += line.len();
    }
    words
}

fn words_of<'t>(options: &'t str, start: usize, words: &mut Vec<(usize, &'t str)>) {
    let mut rest = options;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() || rest.starts_with('#') {
            return;
        }
        let mut quote = None;
        let end = rest.find(|c: char| match quote {
            Some(open) => {
                quote = quote.filter(|_| c != open);
                false
            }
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                false
            }
            None => c.is_whitespace(),
        });
        let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
        words.push((start + options.len() - rest.len(), word));
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::directives;

    #[test]
    fn the_words_of_directives_have_their_places() {
        let text = "#!/bin/bash\n#SBATCH -N 2 # nodes\n\n# a remark\n#SBATCH --comment=\"a b\"\n##SBATCH -n 4\nsrun x\n";
        let found = directives(text);
        assert_eq!(found.iter().map(|(_, word)| *word).collect::<Vec<_>>(), ["-N", "2", "--comment=\"a b\""]);
        assert!(found.iter().all(|(at, word)| text[*at..].starts_with(word)));
    }
}
