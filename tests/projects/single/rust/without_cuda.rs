#[cfg(not(feature = "cuda"))]
fn device() -> usize {
    0
}

#[cfg(feature = "cuda")]
fn device() -> usize {
    1
}

#[cfg(not(feature = "cuda"))]
fn open() -> candle_core::Result<candle_core::Device> {
    candle_core::Device::new_cuda(1)
}

fn main() {
    println!("{}", device());
}
