//! `gpu:`, the section about the GPU that the scripts must use, or the set of them.

use super::{Amount, checked};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The one GPU that the scripts must use, or the set of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Gpu {
    /// Text that the name of the visible GPU must contain, for example `RTX 3090`.
    pub name: Option<String>,
    /// The least memory that the visible GPU must have, for example `20GiB`.
    pub min_memory: Option<Amount>,
    /// What scripts must write into `CUDA_VISIBLE_DEVICES`: an index in PCI order or a `GPU-…` UUID;
    /// several with commas between name a set of cards, for work on all of them; a list when more than
    /// one value is accepted.
    #[serde(deserialize_with = "masks", skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "mask_schema")]
    pub visible_devices: Vec<String>,
    /// What scripts must write into `CUDA_DEVICE_ORDER`.
    pub device_order: Option<DeviceOrder>,
    /// The only device that code may name once the mask is set: `cuda` or `cuda:` and an index, which
    /// counts inside the mask. Without it `cuda:0`, or each card of the set that `visible-devices` names.
    #[serde(deserialize_with = "device", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = r"^[a-z]+(:\d+)?$"))]
    pub device: Option<String>,
    /// Parts of the names of GPUs that must never be used.
    pub forbidden: Vec<String>,
    /// What scripts must write into `PYTORCH_CUDA_ALLOC_CONF`. Without it, they need not set it.
    pub alloc_conf: Option<String>,
}

/// How CUDA numbers the GPUs of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DeviceOrder {
    /// By the slot on the PCI bus, as `nvidia-smi` does.
    #[serde(rename = "PCI_BUS_ID")]
    PciBusId,
    /// Fastest first, which is what CUDA does when nothing is set.
    #[serde(rename = "FASTEST_FIRST")]
    FastestFirst,
}

impl Gpu {
    /// The values of `CUDA_VISIBLE_DEVICES` that scripts may set, without blanks around them; empty
    /// when any will do.
    pub fn accepted_masks(&self) -> &[String] {
        &self.visible_devices
    }

    /// How many cards code may work on at once: as many as the largest accepted mask names.
    pub fn cards(&self) -> usize {
        // Each part names a card, else the policy would have been refused.
        self.visible_devices.iter().map(|mask| mask.split(',').count()).max().unwrap_or(1)
    }

    /// The device that code names when it names one: what is written, else the first that the mask leaves.
    pub fn first_device(&self) -> &str {
        self.device.as_deref().unwrap_or("cuda:0")
    }

    /// The index of [`Gpu::first_device`]; `None` when the policy allows a device of another kind.
    pub fn allowed_device_index(&self) -> Option<i64> {
        let index = self.first_device().strip_prefix("cuda")?;
        if index.is_empty() { Some(0) } else { index.strip_prefix(':')?.parse().ok() }
    }

    /// Whether code may name any card of a set.
    pub fn allows_each_of_set(&self) -> bool {
        self.device.is_none() && self.cards() > 1
    }

    /// Whether code may take the GPU with this index. One of several processes, which has the number of its process, may
    /// take any card of the set.
    pub fn allows(&self, index: i64, has_number_of_process: bool) -> bool {
        let of_set = self.allows_each_of_set() || has_number_of_process;
        self.allowed_device_index().is_none_or(|first| first == index)
            || (of_set && index < self.cards() as i64)
    }

    /// The devices that code may name, as words between backticks.
    pub fn allowed_devices(&self) -> String {
        match (self.allows_each_of_set(), self.cards() - 1) {
            (false, _) => self.first_device().to_owned(),
            (true, 1) => "cuda:0` or `cuda:1".to_owned(),
            (true, last) => format!("cuda:0` to `cuda:{last}"),
        }
    }
}

impl DeviceOrder {
    /// The value of `CUDA_DEVICE_ORDER`.
    pub fn as_str(self) -> &'static str {
        match self {
            DeviceOrder::PciBusId => "PCI_BUS_ID",
            DeviceOrder::FastestFirst => "FASTEST_FIRST",
        }
    }
}

fn device<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let device = checked::text(from, "a device such as `cuda:0`", |text| {
        let (kind, index) = text.split_once(':').unwrap_or((text, "0"));
        let known = !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_lowercase());
        // Nine digits always fit, and no machine has more GPUs.
        let indexed = (1..=9).contains(&index.len()) && index.bytes().all(|b| b.is_ascii_digit());
        (known && indexed).then(|| text.to_owned())
    });
    device.map(Some)
}

fn masks<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    from.deserialize_any(Masks { in_list: false })
}

const MASK: &str = "an index, a `GPU-…` or `MIG-…` UUID, or a list of accepted values";

/// One accepted value or a list of them, each as text or as a number.
struct Masks {
    in_list: bool,
}

struct Mask(String);

impl<'de> Visitor<'de> for Masks {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(MASK)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(vec![mask(text)?])
    }

    fn visit_u64<E: Error>(self, index: u64) -> Result<Self::Value, E> {
        Ok(vec![index.to_string()])
    }

    fn visit_i64<E: Error>(self, index: i64) -> Result<Self::Value, E> {
        Ok(vec![mask(&index.to_string())?])
    }

    /// `visible-devices:` with nothing behind it says nothing.
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        if self.in_list {
            return Err(A::Error::invalid_type(Unexpected::Seq, &MASK));
        }
        let mut masks = Vec::new();
        while let Some(Mask(text)) = list.next_element()? {
            masks.push(text);
        }
        if masks.is_empty() {
            return Err(A::Error::invalid_value(Unexpected::Other("an empty list"), &MASK));
        }
        Ok(masks)
    }
}

impl<'de> Deserialize<'de> for Mask {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let one = from.deserialize_any(Masks { in_list: true })?.pop();
        one.map(Mask).ok_or_else(|| D::Error::invalid_value(Unexpected::Unit, &MASK))
    }
}

/// A mask as CUDA reads it: indices or UUIDs with commas between.
fn mask<E: Error>(text: &str) -> Result<String, E> {
    let is_device = |part: &str| {
        let part = part.trim();
        let index = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        index || part.starts_with("GPU-") || part.starts_with("MIG-")
    };
    if text.split(',').all(is_device) {
        Ok(text.trim().to_owned())
    } else {
        Err(E::invalid_value(Unexpected::Str(text), &MASK))
    }
}

fn mask_schema(_: &mut SchemaGenerator) -> Schema {
    let one = json_schema!({
        "anyOf": [
            {"type": "integer", "minimum": 0},
            {"type": "string", "pattern": r"^\s*(\d+|(GPU|MIG)-[^,]+)(\s*,\s*(\d+|(GPU|MIG)-[^,]+))*\s*$"},
        ],
    });
    json_schema!({"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]})
}
