//! The library of the package.

pub fn device(cpu: bool) -> candle_core::Result<candle_core::Device> {
    if cpu { Ok(candle_core::Device::Cpu) } else { candle_core::Device::new_cuda(0) }
}
