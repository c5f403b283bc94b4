//! Commands of documents that give a program a mask: `CUDA_VISIBLE_DEVICES=1 python train.py` in a README. They are what
//! people type, and no launcher follows them.

use super::text_questions::TextQuestion;
use super::{MASK, Program};
use crate::facts::FileId;
use crate::sources::Language;

/// A command of a document that starts a program of the project with a mask.
#[derive(Clone, Debug)]
pub struct Documented {
    pub document: FileId,
    pub mask: String,
    pub starts: FileId,
}

impl Program<'_> {
    /// The commands of all documents that give a program a mask.
    pub fn documented_masks(&self) -> &[Documented] {
        self.note_question(|| TextQuestion::GivingMasks);
        self.documented.get_or_init(|| {
            let documents = self.all_files().filter(|&file| self.language_of(file) == Language::Markdown);
            documents.flat_map(|file| self.documented_in(file)).collect()
        })
    }

    fn documented_in(&self, document: FileId) -> Vec<Documented> {
        let text = &self.sources.file(document).text;
        if !text.contains(MASK) {
            return Vec::new();
        }
        let commands = text.replace("\\\n", " ");
        let found = commands.lines().filter_map(|line| {
            let command = command_with_mask(line)?;
            let starts = match command.program {
                Started::File(path) => self.launched_file(document, None, path)?,
                Started::Module(dotted) => self.launched_module(document, None, dotted)?,
            };
            Some(Documented { document, mask: command.mask.to_owned(), starts })
        });
        found.collect()
    }
}

struct Command<'t> {
    mask: &'t str,
    program: Started<'t>,
}

enum Started<'t> {
    File(&'t str),
    Module(&'t str),
}

/// A line that begins with a mask, behind prompts and other variables, and starts a program of Python.
fn command_with_mask(line: &str) -> Option<Command<'_>> {
    let line =
        line.trim_start_matches([' ', '\t', '$', '>', '%', '!', '`', '-', '*']).trim_end_matches(['`', ' ']);
    let mut words = line.split_whitespace();
    let mut mask = None;
    let mut first = words.next()?;
    while let Some((name, value)) = first.split_once('=') {
        if name == MASK {
            mask = Some(value.trim_matches(['"', '\'']));
        }
        first = words.next()?;
    }
    let mask = mask?;
    let mut before = first;
    for word in words {
        if before == "-m" && !word.starts_with("torch.") && !word.starts_with("accelerate.") {
            return Some(Command { mask, program: Started::Module(word) });
        }
        if word.ends_with(".py") {
            return Some(Command { mask, program: Started::File(word) });
        }
        before = word;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Started, command_with_mask};

    #[test]
    fn a_line_of_a_document_gives_a_program_a_mask() {
        let read = |line: &str| {
            let command = command_with_mask(line)?;
            let (Started::File(program) | Started::Module(program)) = command.program;
            Some(format!("{} {program}", command.mask))
        };
        for line in [
            "CUDA_VISIBLE_DEVICES=1 python train.py",
            "$ OMP_NUM_THREADS=4 CUDA_VISIBLE_DEVICES='1' python -u train.py --lr 1",
            "`CUDA_VISIBLE_DEVICES=1 torchrun --nproc_per_node 1 train.py`",
            "CUDA_VISIBLE_DEVICES=1 python -m torch.distributed.launch train.py",
        ] {
            assert_eq!(read(line).as_deref(), Some("1 train.py"), "{line}");
        }
        assert_eq!(read("CUDA_VISIBLE_DEVICES=0,1 python -m a.b x.py").as_deref(), Some("0,1 a.b"));
        for line in ["python train.py", "set CUDA_VISIBLE_DEVICES=1", "CUDA_VISIBLE_DEVICES=1 bash a.sh", ""]
        {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
