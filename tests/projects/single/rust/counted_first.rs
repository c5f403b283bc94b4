use cudarc::driver::CudaContext;

fn main() -> Result<(), cudarc::driver::DriverError> {
    std::env::set_var("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    std::env::set_var("CUDA_VISIBLE_DEVICES", std::env::args().nth(1).unwrap());
    if CudaContext::device_count()? > 1 {
        let _second = CudaContext::new(1)?;
    }
    Ok(())
}
