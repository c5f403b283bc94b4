use tch::Device;

fn place(index: usize) -> Device {
    Device::Cuda(index)
}

fn main() {
    let index = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    println!("{:?}", place(index));
}
