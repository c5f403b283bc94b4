use cudarc::driver::CudaContext;
use std::sync::{Arc, LazyLock};

static CONTEXT: LazyLock<Arc<CudaContext>> = LazyLock::new(|| CudaContext::new(1).unwrap()); // ~ device-not-allowed warning, missing-visible-devices warning

fn main() {
    let stream = CONTEXT.default_stream();
    stream.synchronize().unwrap();
}
