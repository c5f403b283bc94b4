use tch::{Device, Kind, Tensor};

fn main() {
    let on_the_cpu = Tensor::zeros([2], (Kind::Float, Device::Cpu)).to_device(Device::Cpu);
    let device = Device::Cuda(1); // ~ device-not-allowed warning
    let x = Tensor::from_slice(&[1f32, 2f32]).to_device(device); // ~ missing-visible-devices warning
    x.print();
    on_the_cpu.print();
}
