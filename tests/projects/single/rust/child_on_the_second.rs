use std::process::Command;

fn main() -> std::io::Result<()> {
    let gpu = cudarc::driver::CudaContext::new(0); // ~ missing-visible-devices warning
    drop(gpu);
    Command::new("./worker").env("CUDA_VISIBLE_DEVICES", "1").arg("--gpu").spawn()?;
    Ok(())
}
