use anyhow::Result;
use candle_core::{DType, Device, Tensor};

const ORDINAL: usize = 1; // ~ device-not-allowed warning

fn device() -> Result<Device> {
    Ok(Device::new_cuda(ORDINAL)?) // ~ missing-visible-devices warning
}

fn main() -> Result<()> {
    let tensor = Tensor::zeros((2, 3), DType::F32, &device()?)?;
    println!("{tensor}");
    Ok(())
}
