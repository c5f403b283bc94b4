//! What a GPU is called and what it has, whoever tells it.

use crate::architectures::{self, Capability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One GPU of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Card {
    /// `GPU-` and 32 hexadecimal digits in five groups; `MIG-…` for a slice of one.
    pub uuid: String,
    pub name: String,
    /// Bytes of memory, those that the driver keeps for itself included.
    pub memory: u64,
    /// As text: `00000000:01:00.0`.
    #[schemars(with = "String")]
    pub pci: PciAddress,
    /// Major and minor.
    pub capability: Option<(u8, u8)>,
}

impl Card {
    pub fn compute_capability(&self) -> Option<Capability> {
        self.capability.map(|(major, minor)| Capability { major, minor })
    }

    /// Whether both are the same card, or the same slice of one.
    pub fn is(&self, other: &Card) -> bool {
        is_same(&self.uuid, &other.uuid)
    }

    /// Whether it is a part of a card that is divided (MIG).
    pub fn is_slice(&self) -> bool {
        self.uuid.starts_with("MIG-")
    }

    /// The name without the maker: `RTX 3090`.
    pub fn short_name(&self) -> &str {
        architectures::short_name(&self.name)
    }
}

/// Whether two UUIDs name the same card. CUDA's driver tells the digits alone, so that one that it shows is not known to be a slice.
pub fn is_same(left: &str, right: &str) -> bool {
    let digits = |uuid: &str| uuid.split_once('-').map_or(uuid, |(_, digits)| digits).to_ascii_lowercase();
    digits(left) == digits(right)
}

/// The name, and as much of the UUID as tells two cards apart.
impl fmt::Display for Card {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ENOUGH: usize = "GPU-01234567".len();
        match self.uuid.get(..ENOUGH) {
            Some(beginning) if self.uuid.len() > ENOUGH => write!(formatter, "{} ({beginning}…)", self.name),
            _ => write!(formatter, "{} ({})", self.name, self.uuid),
        }
    }
}

/// Where a card sits. Cards are numbered by it when CUDA_DEVICE_ORDER is PCI_BUS_ID, and by `nvidia-smi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PciAddress {
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
}

impl fmt::Display for PciAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:08x}:{:02x}:{:02x}.0", self.domain, self.bus, self.device)
    }
}

/// Not of the form `0000:01:00.0`.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is no PCI address such as 00000000:01:00.0")]
pub struct NoPciAddress(String);

impl FromStr for PciAddress {
    type Err = NoPciAddress;

    /// With four or eight digits of the domain, with or without the function.
    fn from_str(text: &str) -> Result<PciAddress, NoPciAddress> {
        let wrong = || NoPciAddress(text.to_owned());
        let part = |digits: &str| u32::from_str_radix(digits, 16).map_err(|_| wrong());
        let mut parts = text.trim().split(':');
        let (Some(domain), Some(bus), Some(last), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        let device = last.split_once('.').map_or(last, |(device, _)| device);
        Ok(PciAddress { domain: part(domain)?, bus: part(bus)?, device: part(device)? })
    }
}

impl From<PciAddress> for String {
    fn from(address: PciAddress) -> String {
        address.to_string()
    }
}

impl TryFrom<String> for PciAddress {
    type Error = NoPciAddress;

    fn try_from(text: String) -> Result<PciAddress, NoPciAddress> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_any_length() {
        let address: PciAddress = "0000:0A:1f.0".parse().unwrap();
        assert_eq!(address, PciAddress { domain: 0, bus: 10, device: 31 });
        assert_eq!(address.to_string(), "00000000:0a:1f.0");
        assert_eq!("00000000:0a:1f".parse(), Ok(address));
        assert!("0a:1f.0".parse::<PciAddress>().is_err());
        assert!("0000:0a:xx.0".parse::<PciAddress>().is_err());
    }

    #[test]
    fn a_slice_is_the_same_under_either_prefix() {
        assert!(is_same("MIG-0a-1", "GPU-0A-1") && !is_same("GPU-0a-1", "GPU-0a-2"));
    }

    #[test]
    fn the_name_without_the_maker() {
        let card = |name: &str| Card {
            uuid: "GPU-0".into(),
            name: name.into(),
            memory: 0,
            pci: PciAddress { domain: 0, bus: 1, device: 0 },
            capability: Some((8, 6)),
        };
        assert_eq!(card("NVIDIA GeForce RTX 3090").short_name(), "RTX 3090");
        assert_eq!(card("NVIDIA H200").short_name(), "H200");
        assert_eq!(card("NVIDIA H200").compute_capability().unwrap().to_string(), "8.6");
    }
}
