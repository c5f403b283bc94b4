use candle as c;

fn main() -> c::Result<()> {
    let device = c::Device::cuda_if_available(2)?; // ~ missing-visible-devices warning, device-not-allowed warning
    println!("{:?}", device.location());
    Ok(())
}
