//! Images for other accelerators than NVIDIA's, and for none: no program in them meets a CUDA device.

/// Words in the name of a Dockerfile or an image that say what it is for.
const OTHERS: &[&str] = &[
    "amd",
    "ascend",
    "cann",
    "cpu",
    "gaudi",
    "habana",
    "habanalabs",
    "hpu",
    "intel",
    "neuron",
    "neuronx",
    "npu",
    "oneapi",
    "openvino",
    "rocm",
    "tpu",
    "xpu",
];
/// Words that speak of NVIDIA all the same.
const NVIDIA: &[&str] = &["cuda", "gpu", "nvidia"];

/// Whether a file named like this, built on this image, is for another accelerator, or for none.
pub fn have_no_cuda(path: &str, image: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let image = image.to_ascii_lowercase();
    let names = [file.as_str(), image.as_str()];
    let is_other = |name: &&str| {
        name.split(|next: char| !next.is_ascii_alphanumeric()).any(|word| OTHERS.contains(&word))
    };
    let is_nvidia = |name: &&str| NVIDIA.iter().any(|word| name.contains(word));
    names.iter().any(is_other) && !names.iter().any(is_nvidia)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_an_image_is_for() {
        assert!(have_no_cuda("docker/Dockerfile.cpu", "ubuntu:24.04"));
        assert!(have_no_cuda("Dockerfile_gaudi", "vault.habana.ai/gaudi-docker/pytorch"));
        assert!(have_no_cuda("Dockerfile", "rocm/dev-ubuntu-22.04:6.3.1"));
        assert!(!have_no_cuda("cpu/Dockerfile", "ubuntu:24.04"));
        assert!(!have_no_cuda("Dockerfile", "amd64/ubuntu:24.04"));
        assert!(!have_no_cuda("Dockerfile.cpu-gpu", "python:3.12"));
        assert!(!have_no_cuda("Dockerfile.intel", "nvidia/cuda:12.8.0-base-ubuntu24.04"));
    }
}
