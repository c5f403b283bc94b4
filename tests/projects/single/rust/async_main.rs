#[tokio::main]
async fn main() {
    serve().await;
}

async fn serve() {
    let device = tokio::task::spawn_blocking(|| candle_core::Device::new_cuda(0)).await; // ~ missing-visible-devices warning
    drop(device);
}
