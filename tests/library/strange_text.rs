//! Whatever stands in a file, it is read to its end or refused, and findings lie inside of it.

use gpulint::check;
use gpulint::rules::RuleSet;
use gpulint::settings::Settings;
use gpulint::sources::{Language, Source, Sources};

/// Numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

#[test]
fn no_yaml_is_too_strange() {
    let seeds = [
        "on: push\njobs:\n  a:\n    runs-on: [self-hosted, gpu]\n    env: {X: '1', CUDA_VISIBLE_DEVICES: \"0\"}\n    steps:\n      - run: |\n          export A='${{ matrix.b }}'\n          python train.py >> \"$GITHUB_ENV\"\n      - uses: ./x\n    strategy: {matrix: {b: [1, 2]}}\n",
        "services:\n  a: &a\n    image: x\n    environment:\n      - CUDA_VISIBLE_DEVICES=\"0\"\n    command: sh -c \"python 'train.py' ${X:-1}\"\n  b:\n    <<: *a\n    env_file: [a.env]\n    extends: a\n",
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  spec:\n    containers:\n    - name: ä\n      command: [python, -c, \"import os\\nprint('$(X)')\"]\n      env: [{name: X, value: >-\n        1}]\n",
        "# gpulint: ignore\na:\n  - device: cuda:1  # gpulint: ignore[x] y\n    gpu_id: 1\n  - ? k\n    : !!str |+\n      x\n\n",
    ];
    let splices = [
        "\u{feff}", "\r", "\t", "ä", "'", "\"", "|", ">", "&a ", "*a", "<<: ", "[", "}", "${{", "\0", "\n",
        "- ", ": ", "#", "\\", "\u{2028}",
    ];
    let mut numbers = Numbers(7);
    for round in 0..400 {
        let mut text: Vec<char> = seeds[round % seeds.len()].chars().collect();
        for _ in 0..=numbers.below(6) {
            let at = numbers.below(text.len());
            match numbers.below(3) {
                0 => drop(text.drain(at..(at + numbers.below(20)).min(text.len()))),
                1 => {
                    let splice = splices[numbers.below(splices.len())];
                    text.splice(at..at, splice.chars());
                }
                _ => text.truncate(at + 1),
            }
        }
        let name = ["a.yml", ".gitlab-ci.yml", "docker-compose.yml", "action.yml"][numbers.below(4)];
        let text: String = text.into_iter().collect();
        let source = Source::new(None, name.to_owned(), Language::Yaml, text);
        let sources = Sources { files: vec![source], ..Sources::default() };
        let found = check(&sources, &Settings::default(), RuleSet::embedded()).expect("rules that exist");
        for finding in &found.findings {
            // Where it is can be said.
            let position = sources.position(finding.place);
            assert!(position.end_line >= position.line, "{}", sources.text(finding.place));
        }
    }
}
