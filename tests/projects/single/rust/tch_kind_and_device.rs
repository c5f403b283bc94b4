use tch::{Device, Kind, Tensor};

fn main() {
    let x = Tensor::ones([2, 2], (Kind::Float, Device::Cuda(0))); // ~ missing-visible-devices warning
    x.print();
}
