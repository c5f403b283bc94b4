use trainer::device;

fn main() -> candle_core::Result<()> {
    let device = device(false)?; // ~ missing-visible-devices warning
    println!("{device:?}");
    Ok(())
}
