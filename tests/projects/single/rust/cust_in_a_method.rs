use cust::prelude::*;

struct Worker {
    gpu: u32,
}

impl Worker {
    fn new(gpu: u32) -> Self {
        Self { gpu }
    }

    fn start(&self) -> cust::error::CudaResult<()> {
        cust::init(CudaFlags::empty())?; // ~ missing-visible-devices warning
        let device = Device::get_device(self.gpu)?;
        println!("{}", device.name()?);
        Ok(())
    }
}

fn main() {
    let worker = Worker::new(3); // ~ device-not-allowed warning
    worker.start().unwrap();
}
