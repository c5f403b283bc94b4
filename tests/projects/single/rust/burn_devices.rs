use burn::backend::libtorch::LibTorchDevice;
use burn_cuda::CudaDevice;

fn train(device: CudaDevice) {
    println!("{device:?}");
}

fn main() {
    train(CudaDevice::new(1)); // ~ device-not-allowed warning
    let other = LibTorchDevice::Cuda(2); // ~ device-not-allowed warning
    println!("{other:?}");
}
