struct Device(usize);

impl Device {
    fn new_cuda(index: usize) -> Self {
        Device(index)
    }
}

enum Backend {
    Cuda(usize),
}

mod tch {
    pub enum Device {
        Cuda(usize),
    }
}

fn main() {
    let _ = (Device::new_cuda(1), Backend::Cuda(1), tch::Device::Cuda(1));
}
