use tch::{Cuda, Device, Kind, Tensor};

fn main() {
    println!("CUDA is there: {}", Cuda::is_available());
    let device = if Cuda::cudnn_is_available() { Device::Cuda(1) } else { Device::Cpu }; // ~ device-not-allowed warning
    let x = Tensor::zeros(&[2, 2], (Kind::Float, device)); // ~ missing-visible-devices warning
    x.print();
}
