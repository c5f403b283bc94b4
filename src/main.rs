use gpulint::rules::RuleSet;
use gpulint::sources::*;
fn walk(d: &std::path::Path, root: &std::path::Path, out: &mut Sources) {
    let mut es: Vec<_> = std::fs::read_dir(d).unwrap().map(|e| e.unwrap().path()).collect();
    es.sort();
    for p in es {
        if p.is_dir() {
            walk(&p, root, out)
        } else if p.extension().is_some_and(|e| e == "py") {
            if let Ok(t) = std::fs::read_to_string(&p) {
                let n = p.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                out.files.push(Source::new(Some(p.clone()), n, Language::Python, t));
            }
        }
    }
}
fn main() {
    let mut s = Sources::default();
    let root = std::path::PathBuf::from(std::env::args().nth(1).unwrap());
    walk(&root, &root, &mut s);
    rayon::ThreadPoolBuilder::new().stack_size(64 << 20).build_global().unwrap();
    let t = std::time::Instant::now();
    let o = gpulint::check(&s, &Default::default(), RuleSet::embedded()).unwrap();
    eprintln!("{} files {} findings {:?}", s.files.len(), o.findings.len(), t.elapsed());
    for f in &o.findings {
        let p = s.position(f.place);
        println!(
            "{}:{}: {:?}/{:?} [{}] {}",
            s.file(f.place.file).name,
            p.line,
            f.severity,
            f.confidence,
            f.rule,
            f.message
        );
    }
    for k in &o.skipped {
        println!("SKIP {} {}", k.path, k.reason);
    }
}
