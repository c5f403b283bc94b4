//! What is known of a card by its compute capability and its name.

use super::{Advice, CUDA_NOTES, Level, shares_memory, shown};
use crate::architectures::{self, Capability, Product};
use crate::program::knowledge::tables::{Pair, Tables};
use crate::rules::RuleSet;
use crate::runtime::cards::Card;
use serde::Serialize;

/// What the tables say of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArchitectureFacts {
    /// `8.6`
    pub capability: Option<String>,
    /// `Ampere`; `None` where no table of products knows the capability.
    pub architecture: Option<&'static str>,
    pub features: Vec<FeatureFact>,
    /// The GPU uses the memory of the processor.
    pub shares_memory: bool,
    pub remarks: Vec<Advice>,
}

/// Whether a card has a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeatureFact {
    pub name: &'static str,
    /// `None` where nothing certain is known.
    pub present: Option<bool>,
    /// No capability below it has the feature.
    pub minimum: String,
    pub text: String,
}

const PRODUCTS: &str = "https://developer.nvidia.com/cuda-gpus";

impl ArchitectureFacts {
    pub fn of(card: &Card) -> ArchitectureFacts {
        let tables = &RuleSet::embedded().knowledge.tables;
        let mut remarks = Vec::new();
        let Some(capability) = card.compute_capability() else {
            return ArchitectureFacts {
                capability: None,
                architecture: None,
                features: Vec::new(),
                shares_memory: false,
                remarks,
            };
        };
        let architecture = architectures::architecture_of(capability)
            .and_then(|one| architectures::architectures().get(one))
            .map(|one| one.name.as_str());
        if architecture.is_none() {
            let text = format!("no table of NVIDIA's products knows the compute capability {capability}");
            remarks.push(Advice::sourced(Level::Note, text, PRODUCTS));
        }
        remarks.extend(by_name(card, capability));
        remarks.extend(of_precisions(capability));
        remarks.extend(of_wheels(capability, tables));
        let shares_memory = shares_memory(capability);
        if shares_memory {
            let text = "this GPU uses the memory of the processor: what other programs take is missing here";
            remarks.push(Advice::sourced(Level::Note, text, PRODUCTS));
        }
        ArchitectureFacts {
            capability: Some(capability.to_string()),
            architecture,
            features: features(capability),
            shares_memory,
            remarks,
        }
    }
}

fn features(capability: Capability) -> Vec<FeatureFact> {
    let facts = architectures::features().iter().map(|feature| {
        let present = feature.is_in(capability);
        let text = match present {
            Some(true) => format!("{} is there", feature.name),
            Some(false) if capability < feature.minimum => {
                format!(
                    "{} is not there: it begins with compute capability {}",
                    feature.name, feature.minimum
                )
            }
            Some(false) => {
                format!(
                    "{} is not there, although compute capability {} has it",
                    feature.name, feature.minimum
                )
            }
            None => format!(
                "whether {} is there is not certain: {capability} is not {}",
                feature.name, feature.minimum
            ),
        };
        FeatureFact { name: &feature.name, present, minimum: feature.minimum.to_string(), text }
    });
    facts.collect()
}

/// Whether the driver and the name of the card tell the same story.
fn by_name(card: &Card, capability: Capability) -> Vec<Advice> {
    let mut remarks = Vec::new();
    let named = architectures::capability_of(&card.name);
    if let Some(named) = named.filter(|named| *named != capability) {
        let text = format!(
            "cards named {} have compute capability {named}, and this one tells {capability}",
            card.short_name()
        );
        remarks.push(Advice::sourced(Level::Warning, text, PRODUCTS));
    }
    if let Some(product) = product_of(card.short_name()) {
        let gigabytes = card.memory as f64 / f64::from(1 << 30);
        let sizes: Vec<String> = product.memory_gb.iter().map(u32::to_string).collect();
        if card.memory > 0 && !product.may_have(gigabytes) {
            let (size, sizes) = (shown(card.memory), sizes.join(" or "));
            let text =
                format!("cards named {} are sold with {sizes} GB, and this one tells {size}", product.name);
            remarks.push(Advice::sourced(Level::Note, text, PRODUCTS));
        }
    }
    remarks
}

/// The product of exactly this name.
fn product_of(name: &str) -> Option<&'static Product> {
    architectures::products().iter().find(|product| product.name.eq_ignore_ascii_case(name))
}

/// What torch makes of narrow numbers on this hardware, which many take to be otherwise.
fn of_precisions(capability: Capability) -> Vec<Advice> {
    const QUERIES: &str = "https://github.com/pytorch/pytorch/blob/main/torch/cuda/__init__.py";
    const AUTOCAST: &str = "https://docs.pytorch.org/docs/stable/amp.html";
    let has = |name: &str| {
        let mut features = architectures::features().iter();
        features.find(|feature| feature.name == name).and_then(|feature| feature.is_in(capability))
    };
    let mut remarks = Vec::new();
    if has("TF32") == Some(true) {
        remarks.push(Advice::sourced(
            Level::Note,
            "TF32 is off for matrix products until `torch.set_float32_matmul_precision(\"high\")`, and on for convolutions",
            CUDA_NOTES,
        ));
    }
    if has("BF16") == Some(false) {
        remarks.push(Advice::sourced(
            Level::Note,
            "`torch.cuda.is_bf16_supported()` may say yes because torch emulates BF16 here: ask with \
             `including_emulation=False`",
            QUERIES,
        ));
    }
    if has("FP8") == Some(true) {
        remarks.push(Advice::sourced(
            Level::Note,
            "FP8 is not reached by `torch.autocast`, which knows float16 and bfloat16: libraries such as torchao or \
             Transformer Engine use it",
            AUTOCAST,
        ));
    }
    remarks
}

/// Whether the wheels that `pip install torch` brings have code for the card.
fn of_wheels(capability: Capability, tables: &Tables) -> Option<Advice> {
    let newest = tables.wheels.pypi.last()?;
    let rows = || tables.wheels.architectures.iter();
    let serve = |row: &&crate::program::knowledge::tables::Architectures| row.serve(capability.into());
    if !capability.is_known() || rows().filter(|row| row.cuda.contains(&newest.cuda)).any(|row| serve(&row)) {
        return None;
    }
    let others: Vec<String> = rows().filter(serve).flat_map(|row| &row.cuda).map(Pair::to_string).collect();
    let way_out = match others.last() {
        Some(cuda) => format!("; wheels for CUDA {cuda} do"),
        None => String::new(),
    };
    let text = format!(
        "the newest wheels of torch on PyPI, for CUDA {} on x86-64, have no code for compute capability \
         {capability}{way_out}",
        newest.cuda
    );
    Some(Advice::sourced(Level::Warning, text, "https://pypi.org/project/torch/"))
}
