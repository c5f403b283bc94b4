//! What NVIDIA's hardware is: which architecture a compute capability belongs to, what a product with a name has, and
//! from which capability on there is a feature. The facts are tables under `rules/tables/`; nothing here asks a device.

use crate::program::knowledge::tables::Pair;
use gpulint_rule_files::FILES;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::sync::LazyLock;

/// A compute capability: 8.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Capability {
    pub major: u8,
    pub minor: u8,
}

impl Capability {
    /// `8.6`, of a text.
    pub fn parse(text: &str) -> Option<Capability> {
        let (major, minor) = text.split_once('.')?;
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if major.is_empty() || major.len() > 2 || minor.len() != 1 || !digits(major) || !digits(minor) {
            return None;
        }
        Some(Capability { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }

    /// `86` or `120`, as compilers and many programs write it.
    pub fn of_number(number: i64) -> Option<Capability> {
        let in_range = (20..200).contains(&number);
        in_range.then_some(Capability { major: (number / 10) as u8, minor: (number % 10) as u8 })
    }

    /// Some architecture has it.
    pub fn is_known(self) -> bool {
        architecture_of(self).is_some()
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

impl<'de> Deserialize<'de> for Capability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Capability, D::Error> {
        let text = String::deserialize(deserializer)?;
        Capability::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is no compute capability")))
    }
}

/// The name of a card without its maker: `NVIDIA GeForce RTX 3090` → `RTX 3090`.
pub fn short_name(name: &str) -> &str {
    let name = name.strip_prefix("NVIDIA ").unwrap_or(name);
    name.strip_prefix("GeForce ").unwrap_or(name)
}

/// A generation of GPUs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    pub name: String,
    /// How it is called, in lower case.
    pub words: Vec<String>,
    pub capabilities: Vec<Capability>,
}

/// A card, or a series of cards.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Product {
    pub name: String,
    pub capability: Capability,
    /// The sizes that it is sold with, in GB; none where they are not known.
    #[serde(default)]
    pub memory_gb: Vec<u32>,
    /// Other sizes that it is found with.
    #[serde(default)]
    pub also: Vec<u32>,
}

/// Something that hardware can do.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    pub name: String,
    /// How it is called, in lower case.
    pub words: Vec<String>,
    /// No capability below this one has it.
    pub minimum: Capability,
    /// Words beside which it is something else, which older hardware can do.
    #[serde(default)]
    pub unless: Vec<String>,
    /// The capabilities that have it for sure, where not all from the lowest on do.
    #[serde(default)]
    pub surely: Vec<Capability>,
    /// Capabilities above the lowest that do not have it.
    #[serde(default)]
    pub lacking: Vec<Capability>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Capabilities {
    #[allow(dead_code)]
    sources: Vec<String>,
    architectures: Vec<Architecture>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Products {
    #[allow(dead_code)]
    sources: Vec<String>,
    products: Vec<Product>,
    series: Vec<Product>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Features {
    #[allow(dead_code)]
    sources: Vec<String>,
    features: Vec<Feature>,
}

/// A table, by its path below `rules/`. They are part of the program: a test proves that they can be read.
fn table<T: DeserializeOwned>(path: &str) -> T {
    let (_, text, _) = FILES.iter().find(|(known, ..)| *known == path).expect("a table");
    serde_json::from_str(text).expect("a valid table")
}

static CAPABILITIES: LazyLock<Capabilities> = LazyLock::new(|| table("tables/capabilities.yaml"));
static PRODUCTS: LazyLock<Products> = LazyLock::new(|| table("tables/products.yaml"));
static FEATURES: LazyLock<Features> = LazyLock::new(|| table("tables/features.yaml"));

/// All of them, in the order in which they appeared.
pub fn architectures() -> &'static [Architecture] {
    &CAPABILITIES.architectures
}

/// The architecture of a capability, by its place in [`architectures`].
pub fn architecture_of(capability: Capability) -> Option<usize> {
    architectures().iter().position(|one| one.capabilities.contains(&capability))
}

/// Every capability that an architecture has, ascending.
pub fn capabilities() -> Vec<Capability> {
    let mut all: Vec<Capability> = architectures().iter().flat_map(|one| one.capabilities.clone()).collect();
    all.sort();
    all
}

/// Cards by their names.
pub fn products() -> &'static [Product] {
    &PRODUCTS.products
}

/// Series of cards: `RTX 30`.
pub fn series() -> &'static [Product] {
    &PRODUCTS.series
}

/// What hardware can do from some capability on.
pub fn features() -> &'static [Feature] {
    &FEATURES.features
}

/// The compute capability of the GPUs with a name that contains `name`, when they all have the same.
pub fn capability_of(name: &str) -> Option<Capability> {
    let name = words(name);
    let holds = |outer: &[String], inner: &[String]| {
        !inner.is_empty() && outer.windows(inner.len()).any(|part| part == inner)
    };
    let products: Vec<(Vec<String>, Capability)> =
        products().iter().map(|one| (words(&one.name), one.capability)).collect();
    // `3090` stands for every RTX 3090; `NVIDIA GeForce RTX 3090 Ti` names more than the table does.
    let longest = products.iter().filter(|(product, _)| holds(&name, product));
    let longest = longest.map(|(product, _)| product.len()).max();
    let meant = |product: &Vec<String>| match longest {
        Some(length) => product.len() == length && holds(&name, product),
        None => holds(product, &name),
    };
    let mut found = products.iter().filter(|(product, _)| meant(product)).map(|(_, capability)| *capability);
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

fn words(name: &str) -> Vec<String> {
    let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_ascii_lowercase).collect()
}

impl From<Capability> for Pair {
    fn from(capability: Capability) -> Pair {
        Pair { major: capability.major.into(), minor: capability.minor.into() }
    }
}

impl Feature {
    /// Whether hardware of a capability has it; `None` where the table does not say.
    pub fn is_in(&self, capability: Capability) -> Option<bool> {
        if capability < self.minimum || self.lacking.contains(&capability) {
            return Some(false);
        }
        let sure = capability.is_known() && (self.surely.is_empty() || self.surely.contains(&capability));
        sure.then_some(true)
    }
}

impl Product {
    /// Its architecture, by its place in [`architectures`].
    pub fn architecture(&self) -> Option<usize> {
        architecture_of(self.capability)
    }

    /// Whether a card of this name may have so much memory. Tools report a little less than is printed on the box.
    pub fn may_have(&self, gb: f64) -> bool {
        let near = |size: &u32| (gb - f64::from(*size)).abs() <= f64::from(*size) * 0.12;
        self.memory_gb.is_empty() || self.memory_gb.iter().chain(&self.also).any(near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Capability, architecture; one line each.
    const VECTORS: &str = include_str!("../../../tests/vectors/architectures.txt");

    #[test]
    fn capabilities_belong_to_architectures() {
        for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
            let (capability, name) = line.split_once(' ').unwrap();
            let capability = Capability::parse(capability).unwrap();
            let found = architecture_of(capability).map_or("-", |one| architectures()[one].name.as_str());
            assert_eq!(found, name, "{capability}");
        }
    }

    #[test]
    fn every_product_has_a_known_capability() {
        for product in products().iter().chain(series()) {
            assert!(product.capability.is_known(), "{}", product.name);
        }
        for feature in features() {
            assert!(feature.minimum.is_known(), "{}", feature.name);
            for capability in feature.surely.iter().chain(&feature.lacking) {
                assert!(capability.is_known() && *capability >= feature.minimum, "{}", feature.name);
            }
        }
    }

    #[test]
    fn capabilities_are_written_in_two_ways() {
        assert_eq!(Capability::parse("12.0"), Capability::of_number(120));
        for text in ["8", "8.", ".6", "8.66", "8.x", "123.4", "a.b"] {
            assert_eq!(Capability::parse(text), None, "{text}");
        }
        assert_eq!(Capability::of_number(9), None);
    }

    #[test]
    fn memory_is_what_cards_are_sold_with() {
        let named = |name: &str| products().iter().find(|one| one.name == name).unwrap();
        assert!(
            named("A100").may_have(40.0) && named("A100").may_have(80.0) && !named("A100").may_have(24.0)
        );
        assert!(named("T4").may_have(15.0) && !named("RTX 3090").may_have(16.0));
        assert!(named("B200").may_have(7.0));
    }
}
