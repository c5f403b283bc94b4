use rustacuda::prelude::*;
use std::env;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    rustacuda::init(CudaFlags::empty())?;
    unsafe {
        env::set_var("CUDA_DEVICE_ORDER", "PCI_BUS_ID"); // ~ pin-after-cuda-init error
        env::set_var("CUDA_VISIBLE_DEVICES", "0"); // ~ pin-after-cuda-init error
    }
    let device = Device::get_device(0)?;
    println!("{}", device.name()?);
    Ok(())
}
