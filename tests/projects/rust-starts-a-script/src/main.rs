use std::process::Command;

fn main() -> std::io::Result<()> {
    let status = Command::new("python")
        .arg("train.py")
        .args(["--epochs", "3"])
        .env("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
        .env("CUDA_VISIBLE_DEVICES", "0")
        .status()?;
    assert!(status.success(), "cuda failed");
    Ok(())
}
