//! Images that are published for the CPU and with CUDA, and that only their tags tell apart.

/// How the tag of an image says which build it is.
enum Tags {
    /// Those of the CPU are these.
    Cpu(&'static [&'static str]),
    /// Those that have one of these words are for GPUs, and all others for the CPU.
    Gpu(&'static [&'static str]),
}

/// Images whose project says so, without the registry.
const IMAGES: &[(&str, Tags)] = &[
    ("ggerganov/llama.cpp", Tags::Cpu(&["full", "light", "server"])),
    ("ggml-org/llama.cpp", Tags::Cpu(&["full", "light", "server"])),
    ("immich-app/immich-machine-learning", Tags::Gpu(&["-cuda", "-rocm", "-openvino", "-armnn", "-rknn"])),
    ("localai/localai", Tags::Gpu(&["gpu", "aio", "cuda", "hipblas", "vulkan", "l4t", "sycl"])),
    ("onerahmet/openai-whisper-asr-webservice", Tags::Gpu(&["gpu"])),
    ("open-webui/open-webui", Tags::Cpu(&["main", "latest"])),
    ("tensorflow/tensorflow", Tags::Gpu(&["gpu", "devel", "nightly", "custom-op", "build"])),
];

/// Whether an image is the build for the CPU. Of one whose tag is not known, or that is named by its digest, that is not known.
pub fn is_for_cpu(image: &str) -> bool {
    if image.contains(['$', '{', '@']) {
        return false;
    }
    let (name, tag) = match image.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, tag),
        _ => (image, "latest"),
    };
    let known = IMAGES.iter().find(|(known, _)| {
        name.strip_suffix(known).is_some_and(|registry| registry.is_empty() || registry.ends_with('/'))
    });
    known.is_some_and(|(_, tags)| match tags {
        Tags::Cpu(tags) => tags.contains(&tag),
        Tags::Gpu(words) => !words.iter().any(|word| tag.contains(word)),
    })
}

#[cfg(test)]
mod tests {
    use super::is_for_cpu;

    #[test]
    fn the_tag_says_which_build_it_is() {
        let cpu =
            ["tensorflow/tensorflow", "tensorflow/tensorflow:2.18.0", "ghcr.io/open-webui/open-webui:main"];
        let others = [
            "tensorflow/tensorflow:latest-gpu",
            "ghcr.io/open-webui/open-webui:cuda",
            "ghcr.io/open-webui/open-webui:${TAG}",
            "ghcr.io/ggml-org/llama.cpp:server-cuda",
            "registry:5000/tensorflow/tensorflow:2.18.0-gpu",
            "my-tensorflow/tensorflow",
            "nginx",
        ];
        assert!(cpu.iter().all(|image| is_for_cpu(image)));
        assert!(!others.iter().any(|image| is_for_cpu(image)));
    }
}
