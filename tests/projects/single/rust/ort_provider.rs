use ort::execution_providers::{CPUExecutionProvider, CUDAExecutionProvider};
use ort::session::Session;

fn session() -> ort::Result<Session> {
    Session::builder()?
        .with_execution_providers([
            CUDAExecutionProvider::default().with_device_id(1).build(), // ~ device-not-allowed note, provider-fails-softly note
            CPUExecutionProvider::default().build(),
        ])?
        .commit_from_file("model.onnx")
}
