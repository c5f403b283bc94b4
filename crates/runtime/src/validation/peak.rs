//! What a card could do at most, from its data: an upper bound that no program reaches. It says whether a measured speed can be
//! true, and which part of the card a load uses.

use crate::runtime::management::Limits;

/// The peak of one card. Each is `None` where the driver does not tell what it is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peak {
    /// 10^12 floating-point operations in a second, in single precision.
    pub teraflops: Option<f64>,
    /// 10^9 bytes in a second from the card's memory.
    pub gigabytes: Option<f64>,
}

impl Peak {
    pub fn of(limits: &Limits) -> Peak {
        let product = |one: Option<u32>, other: Option<u32>| {
            let product = f64::from(one?) * f64::from(other?);
            (product > 0.0).then_some(product)
        };
        Peak {
            // Each core multiplies and adds in one cycle.
            teraflops: product(limits.cores, limits.core_clock).map(|cycles| cycles * 2.0 / 1e6),
            // Two bits on each line in each cycle, and eight bits are a byte.
            gigabytes: product(limits.bus, limits.memory_clock).map(|cycles| cycles * 2.0 / 8.0 / 1e3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_of_a_card_is_that_of_its_data() {
        // RTX 3090: 35.6 TFLOP/s and 936 GB/s, as its maker says.
        let limits =
            Limits { cores: Some(10496), core_clock: Some(1695), bus: Some(384), memory_clock: Some(9751) };
        let peak = Peak::of(&limits);
        assert!((peak.teraflops.unwrap() - 35.58).abs() < 0.01, "{peak:?}");
        assert!((peak.gigabytes.unwrap() - 936.1).abs() < 0.1, "{peak:?}");
        assert_eq!(Peak::of(&Limits { cores: None, bus: Some(0), ..limits }), Peak::default());
    }
}
