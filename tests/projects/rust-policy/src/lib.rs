//! A library: whoever calls it chooses.

pub fn device(index: usize) -> candle_core::Result<candle_core::Device> {
    candle_core::Device::new_cuda(index)
}

pub fn second() -> candle_core::Result<candle_core::Device> {
    device(1) // ~ device-not-allowed error
}
