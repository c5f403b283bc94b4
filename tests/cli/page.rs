//! The page of `--format html`: what it begins with, addresses in it, and findings that say the same.

use crate::project::Project;
use std::collections::BTreeSet;

const POLICY: &str = "rules: {severity: {missing-device-order: warning}}\n";
const TYPO: &str = "\
import os
os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"all\"
import torch
torch.cuda.init()
";

fn page(project: &Project) -> String {
    let answer = project.run("check --format html --min-severity note");
    assert_eq!(answer.code, Some(1), "{answer:?}");
    answer.stdout
}

/// What stands between two marks, each time.
fn between<'t>(text: &'t str, from: &'t str, to: &'t str) -> Vec<&'t str> {
    text.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
}

#[test]
fn a_page_says_first_how_many_findings_each_rule_and_each_folder_has() {
    let project = Project::new().file("gpulint.yaml", POLICY).file("x.py", TYPO);
    let project = (0..6)
        .fold(project, |project, n| project.file(&format!("tools/run{n}.py"), crate::INDEX_WITHOUT_ORDER));
    let page = page(&project);
    let overview = between(&page, "<section class=\"overview\">", "</section>")[0];
    let rows: Vec<String> = between(overview, "<tr><td>", "</tr>")
        .into_iter()
        .map(|row| {
            let words =
                row.split('<').flat_map(|part| part.split('>').nth(1)).filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert!(rows.iter().any(|row| row == "missing-device-order 6"), "{rows:?}");
    assert!(rows.iter().any(|row| row == "tools/ 6"), "{rows:?}");
    assert!(rows.iter().any(|row| row.starts_with("./ ")), "{rows:?}");

    // Each address leads to one thing.
    let ids = between(&page, " id=\"", "\"");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    let targets = between(&page, "href=\"#", "\"");
    assert!(targets.len() >= 10 && targets.iter().all(|target| ids.contains(target)), "{targets:?}");

    // Three of the six are open, and nothing is lost.
    let folded = between(&page, "<details", "</details>");
    assert_eq!(folded.len(), 1, "{folded:?}");
    assert!(
        folded[0].contains("<summary>3 more: ") && folded[0].matches("<article").count() == 3,
        "{folded:?}"
    );
    assert_eq!(page.matches("data-rule=\"missing-device-order\"").count(), 6);
}

#[test]
fn few_findings_have_no_overview() {
    let page = page(&Project::new().file("a.py", crate::INDEX_WITHOUT_ORDER));
    assert!(!page.contains("class=\"overview\"") && !page.contains("<details"), "{page}");
    assert_eq!(page.matches("<article").count(), 1);
}
