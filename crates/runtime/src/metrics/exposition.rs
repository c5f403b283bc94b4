//! The text format of Prometheus, version 0.0.4: HELP and TYPE of a family once, before its samples, which stand together.

use std::fmt::Write;

#[derive(Clone, Copy)]
pub enum Kind {
    Counter,
    Gauge,
}

/// A page of samples that share some labels.
pub(crate) struct Exposition {
    text: String,
    /// As they are written, without braces.
    common: String,
    /// To which the last sample belongs.
    family: &'static str,
}

impl Exposition {
    pub fn of(labels: Vec<(&'static str, String)>) -> Exposition {
        let labels = labels.iter().map(|(name, value)| (*name, value.as_str()));
        Exposition { text: String::new(), common: written(labels), family: "" }
    }

    /// A sample with labels of its own. Those of one family come one after the other.
    pub fn one(
        &mut self,
        family: &'static str,
        kind: Kind,
        help: &str,
        labels: &[(&'static str, &str)],
        value: f64,
    ) {
        // Writing to a text does not fail.
        if self.family != family {
            self.family = family;
            let kind = match kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
            };
            let _ = writeln!(self.text, "# HELP {family} {help}\n# TYPE {family} {kind}");
        }
        let own = written(labels.iter().copied());
        let separator = if self.common.is_empty() || own.is_empty() { "" } else { "," };
        let _ = match (&self.common, &own) {
            (common, own) if common.is_empty() && own.is_empty() => write!(self.text, "{family}"),
            (common, own) => write!(self.text, "{family}{{{common}{separator}{own}}}"),
        };
        let _ = writeln!(self.text, " {}", number(value));
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
        self.text
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
