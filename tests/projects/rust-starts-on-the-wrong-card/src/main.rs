use std::process::Command;

const CARD: usize = 1;

fn main() {
    let mut child = Command::new("python3")
        .args(&["train.py"])
        .env("CUDA_VISIBLE_DEVICES", CARD.to_string()) // ~ wrong-visible-devices error, missing-device-order error
        .env_remove("LD_PRELOAD")
        .spawn()
        .expect("python is there");
    child.wait().unwrap();
}
