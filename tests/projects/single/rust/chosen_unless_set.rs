use candle_core::Device;
use std::env;

fn main() -> candle_core::Result<()> {
    if env::var_os("CUDA_VISIBLE_DEVICES").is_none() {
        unsafe { env::set_var("CUDA_VISIBLE_DEVICES", "GPU-4f0c") };
    }
    if let Err(_) = env::var("CUDA_DEVICE_ORDER") {
        unsafe { env::set_var("CUDA_DEVICE_ORDER", "PCI_BUS_ID") };
    }
    let _device = Device::new_cuda(0)?;
    Ok(())
}
