fn main() -> candle_core::Result<()> {
    let device = trainer::device(true)?;
    println!("{device:?}");
    Ok(())
}
