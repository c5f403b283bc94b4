//! The text format of Prometheus, version 0.0.4: HELP and TYPE of a family once, before its samples, which stand together.

use std::fmt::Write;

#[derive(Clone, Copy)]
pub enum Kind {
    Counter,
    Gauge,
}

/// A page of samples that share some labels.
pub(crate) struct Exposition {
    /// In the order of their first samples. They are a few dozen.
    families: Vec<Family>,
    /// As they are written, without braces.
    common: String,
}

struct Family {
    name: &'static str,
    /// Its header and its samples.
    text: String,
}

impl Exposition {
    /// `stage` is the command of gpulint that writes it. Their pages have families in common, and the node exporter, which reads them
    /// all, refuses two samples with the same labels.
    pub fn of(stage: &str, labels: &[(&'static str, String)]) -> Exposition {
        let labels = labels.iter().map(|(name, value)| (*name, value.as_str()));
        Exposition { families: Vec::new(), common: written([("stage", stage)].into_iter().chain(labels)) }
    }

    /// A sample with labels of its own, put to those of its family.
    pub fn one(
        &mut self,
        family: &'static str,
        kind: Kind,
        help: &str,
        labels: &[(&'static str, &str)],
        value: f64,
    ) {
        let at = self.families.iter().position(|known| known.name == family).unwrap_or_else(|| {
            let kind = match kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
            };
            let text = format!("# HELP {family} {help}\n# TYPE {family} {kind}\n");
            self.families.push(Family { name: family, text });
            self.families.len() - 1
        });
        let own = written(labels.iter().copied());
        let parts = [self.common.as_str(), own.as_str()].into_iter().filter(|part| !part.is_empty());
        let labels = parts.collect::<Vec<_>>().join(",");
        let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
        // Writing to a text does not fail.
        let _ = writeln!(self.families[at].text, "{family}{labels} {}", number(value));
    }

    pub fn plain(&mut self, family: &'static str, kind: Kind, help: &str, value: f64) {
        self.one(family, kind, help, &[], value);
    }

    /// Nothing, if it is not known.
    pub fn known(&mut self, family: &'static str, kind: Kind, help: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.plain(family, kind, help, value);
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.families.into_iter().map(|family| family.text).collect()
    }
}

fn written<'l>(labels: impl Iterator<Item = (&'static str, &'l str)>) -> String {
    let mut text = String::new();
    for (name, value) in labels {
        let separator = if text.is_empty() { "" } else { "," };
        let value = value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
        let _ = write!(text, "{separator}{name}=\"{value}\"");
    }
    text
}

fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        value => value.to_string(),
    }
}
