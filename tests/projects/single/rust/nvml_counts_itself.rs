use nvml_wrapper::Nvml;

fn main() -> Result<(), nvml_wrapper::error::NvmlError> {
    let nvml = Nvml::init()?;
    let device = nvml.device_by_index(1)?;
    println!("{}", device.name()?);
    Ok(())
}
