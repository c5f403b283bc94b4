use cudarc::driver::CudaContext;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = CudaContext::new(0)?; // ~ missing-visible-devices warning
    context.default_stream().synchronize()?;
    Ok(())
}
