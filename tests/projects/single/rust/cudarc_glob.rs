use cudarc::driver::*;

fn open(ordinal: usize) -> std::sync::Arc<CudaContext> {
    CudaContext::new(ordinal).expect("a GPU") // ~ missing-visible-devices warning
}

fn main() {
    let first = open(0);
    let second = open(1); // ~ device-not-allowed warning
    drop((first, second));
}
