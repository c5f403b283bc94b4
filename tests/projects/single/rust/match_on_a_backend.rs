use candle_core::Device;

fn device(name: &str) -> candle_core::Result<Device> {
    match name {
        "cpu" => Ok(Device::Cpu),
        "cuda" => Device::new_cuda(0),
        "second" => Device::new_cuda(1),
        other => panic!("no backend is called {other}"),
    }
}

fn main() {
    let device = device("cpu").unwrap();
    assert!(device.is_cpu());
}
