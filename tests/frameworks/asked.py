"""What `scripts/ask_frameworks` asks: statements, imports, masks and settings, by library."""

TORCH_CALLS = """
torch.cuda.is_available()
torch.cuda.device_count()
torch.cuda.current_device()
torch.cuda.get_device_name(0)
torch.cuda.get_device_properties(0)
torch.cuda.get_device_capability()
torch.cuda.mem_get_info()
torch.cuda.memory_summary()
torch.cuda.synchronize()
torch.cuda.ipc_collect()
torch.cuda.reset_peak_memory_stats()
torch.cuda.reset_accumulated_memory_stats()
torch.cuda.set_per_process_memory_fraction(0.5)
torch.cuda.set_device(0)
torch.cuda.Stream()
torch.cuda.current_stream()
torch.cuda.default_stream()
torch.cuda.stream(None)
torch.cuda.CUDAGraph()
torch.cuda.is_current_stream_capturing()
torch.cuda.init()
torch.cuda.is_bf16_supported()
torch.cuda.is_tf32_supported()
torch.cuda.can_device_access_peer(0, 0)
torch.cuda.initial_seed()
torch.cuda.get_rng_state()
torch.cuda.cudart()
torch.cuda.is_initialized()
torch.cuda.memory_allocated()
torch.cuda.max_memory_allocated(0)
torch.cuda.memory_reserved()
torch.cuda.memory_stats()
torch.cuda.memory_snapshot()
torch.cuda.empty_cache()
torch.cuda.manual_seed(0)
torch.cuda.manual_seed_all(0)
torch.cuda.seed()
torch.manual_seed(0)
torch.cuda.device(0)
torch.cuda.Event()
torch.cuda.get_arch_list()
torch.cuda.get_gencode_flags()
torch.cuda.get_allocator_backend()
torch.cuda.nccl.version()
torch.cuda.nvtx.range_push("a")
torch.accelerator.is_available()
torch.accelerator.current_accelerator()
torch.accelerator.current_accelerator(check_available=True)
torch.accelerator.device_count()
torch.accelerator.current_device_index()
torch.accelerator.set_device_index(0)
torch.accelerator.synchronize()
torch.device("cuda")
torch.device("cuda", 0)
torch.device(0)
torch.zeros(3)
torch.zeros(3, device="cuda")
torch.empty(0, device="cuda")
torch.tensor([1.0], device="cuda:0")
torch.zeros(3).cuda()
torch.zeros(3).to("cuda")
torch.zeros(3).to("cpu")
torch.zeros(3).pin_memory()
torch.zeros(3, pin_memory=True)
torch.zeros(3).is_pinned()
torch.nn.Linear(2, 2).cuda()
torch.nn.Linear(2, 2).to("cuda")
torch.nn.Linear(2, 2, device="cuda")
torch.nn.CrossEntropyLoss().cuda()
torch.Generator(device="cuda")
torch.Generator()
torch.cuda.FloatTensor(3)
torch.set_default_device("cuda")
torch.get_default_device()
torch.ones(2, requires_grad=True).sum().backward()
torch.autograd.grad(torch.ones(2, requires_grad=True).sum(), [torch.ones(2, requires_grad=True)], allow_unused=True)
torch.func.grad(lambda x: x.sum())(torch.ones(2))
torch.utils.checkpoint.checkpoint(lambda x: x, torch.ones(2, requires_grad=True), use_reentrant=False)
torch.profiler.profile()
torch.backends.cudnn.version()
torch.backends.cudnn.is_available()
torch.backends.cuda.is_built()
torch.autocast("cuda")
torch.autocast("cpu")
torch.autocast("cuda", enabled=False)
torch.amp.autocast("cuda")
torch.cuda.amp.autocast()
torch.amp.GradScaler()
torch.amp.GradScaler("cuda", enabled=False)
torch.cuda.amp.GradScaler()
torch.nn.DataParallel(torch.nn.Linear(2, 2))
with torch.random.fork_rng(): pass
torch.backends.cuda.cufft_plan_cache.max_size
torch.is_autocast_available("cuda")
torch.get_autocast_dtype("cuda")
torch.distributed.is_available()
torch.distributed.is_nccl_available()
torch.set_float32_matmul_precision("high")
torch.use_deterministic_algorithms(True)
torch.compile(lambda x: x)
torch.compile(lambda x: x + 1)(torch.ones(2))
torch.jit.script(torch.nn.Linear(2, 2))
torch.nn.functional.scaled_dot_product_attention(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2))
torch.optim.Adam([torch.nn.Parameter(torch.ones(2))])
torch.utils.data.DataLoader([1, 2], pin_memory=True)
list(torch.utils.data.DataLoader([1, 2], pin_memory=True))
list(torch.utils.data.DataLoader([1, 2]))
torch.version.cuda
torch.__config__.show()
torch.__config__.parallel_info()
with torch.random.fork_rng(devices=[]): pass
torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
"""

STEPS = """
model = torch.nn.Linear(2, 2); optimizer = torch.optim.{0}(model.parameters()); model.weight.grad = torch.ones(2, 2); optimizer.step()
"""

JAX_CALLS = """
jax.devices()
jax.devices("cpu")
jax.local_devices()
jax.device_count()
jax.local_device_count()
jax.default_backend()
jax.process_index()
jax.process_count()
jax.numpy.zeros(3)
jax.numpy.float32
jax.numpy.array([1.0])
jax.numpy.float32(1.0)
jax.random.PRNGKey(0)
jax.random.key(0)
jax.device_put(1.0)
jax.jit(lambda x: x)
jax.jit(lambda x: x)(1.0)
jax.grad(lambda x: x)
jax.grad(lambda x: x * x)(1.0)
jax.vmap(lambda x: x)
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)
jax.eval_shape(lambda x: x, jax.ShapeDtypeStruct((3,), "float32"))
jax.make_jaxpr(lambda x: x + 1)(1.0)
jax.tree_util.tree_map(lambda x: x, [1])
jax.clear_caches()
jax.live_arrays()
jax.distributed.is_initialized()
jax.named_scope("a")
jax.numpy.dtype("float32")
jax.numpy.finfo("float32")
jax.numpy.result_type("float32", "int8")
jax.numpy.shape([1])
jax.numpy.vectorize(lambda x: x)
jax.numpy.set_printoptions(precision=3)
jax.numpy.int32(1)
jax.numpy.cumsum(__import__("numpy").ones(3))
jax.numpy.sqrt(2.0)
jax.numpy.linalg.norm(__import__("numpy").ones(3))
jax.lax.add(1.0, 2.0)
jax.lax.cond(True, lambda: 1.0, lambda: 2.0)
jax.lax.Precision.HIGHEST
jax.lax.scan(lambda a, b: (a, b), 0.0, __import__("numpy").ones(3))
jax.lax.fori_loop(0, 2, lambda i, x: x, 1.0)
jax.lax.while_loop(lambda x: x < 1, lambda x: x + 1, 0.0)
jax.lax.switch(0, [lambda: 1.0])
jax.lax.map(lambda x: x, __import__("numpy").ones(3))
jax.nn.relu(1.0)
jax.nn.initializers.normal()
jax.nn.initializers.normal()(jax.random.key(0), (3,))
jax.random.normal(jax.random.key(0))
jax.value_and_grad(lambda x: x * x)(1.0)
jax.vmap(lambda x: x)(__import__("numpy").ones(3))
jax.block_until_ready([1.0])
jax.device_get(1.0)
jax.checkpoint(lambda x: x)
jax.disable_jit()
jax.pmap(lambda x: x)
jax.local_devices(backend="cpu")
jax.device_count("cpu")
jax.make_mesh((1,), ("x",))
jax.sharding.PartitionSpec("x")
jax.default_device("cpu")
jax.print_environment_info()
jax.scipy.special.erf(1.0)
"""

CUPY_CALLS = """
cupy.is_available()
cupy.cuda.is_available()
cupy.cuda.runtime.getDeviceCount()
cupy.cuda.runtime.driverGetVersion()
cupy.cuda.runtime.runtimeGetVersion()
cupy.get_default_memory_pool()
cupy.get_default_memory_pool().used_bytes()
cupy.get_default_memory_pool().free_all_blocks()
cupy.get_default_pinned_memory_pool().free_all_blocks()
cupy.cuda.Device(0)
cupy.cuda.Device()
cupy.cuda.Device(0).use()
cupy.cuda.runtime.setDevice(0)
cupy.cuda.Stream()
cupy.random.seed(0)
cupy.zeros(3)
cupy.array([1.0])
cupy.asarray([1.0])
cupy.random.rand(3)
cupy.float32
cupy.RawKernel("extern \\"C\\" __global__ void a() {}", "a")
cupy.ElementwiseKernel("float32 x", "float32 y", "y = x", "a")
cupy.get_array_module([1])
cupy.cuda.Event()
cupy.show_config()
"""

TRITON_CALLS = """
triton.runtime.driver.active.get_current_device()
triton.cdiv(3, 2)
triton.next_power_of_2(3)
"""

NVML_CALLS = """
pynvml.nvmlInit()
pynvml.nvmlInit(); pynvml.nvmlDeviceGetCount()
"""

TRANSFORMERS_CALLS = """
transformers.is_torch_available()
transformers.set_seed(0)
transformers.AutoConfig.for_model("bert")
transformers.TrainingArguments(output_dir="out")
transformers.utils.is_torch_bf16_gpu_available()
transformers.utils.is_torch_cuda_available()
transformers.utils.is_flash_attn_2_available()
transformers.BertModel(transformers.BertConfig(num_hidden_layers=1, hidden_size=12))
"""

ACCELERATE_CALLS = """
accelerate.Accelerator()
accelerate.PartialState()
accelerate.Accelerator(cpu=True)
accelerate.utils.set_seed(0)
accelerate.utils.get_max_memory()
accelerate.utils.is_cuda_available()
accelerate.utils.is_bf16_available()
with accelerate.init_empty_weights(): pass
"""

LIGHTNING_CALLS = """
pytorch_lightning.seed_everything(0)
pytorch_lightning.Trainer(logger=False)
pytorch_lightning.Trainer(accelerator="gpu", devices=1, logger=False)
pytorch_lightning.Trainer(accelerator="cpu", logger=False)
"""

ONNXRUNTIME_CALLS = """
onnxruntime.get_available_providers()
onnxruntime.get_device()
"""


def lines(text):
    return [line for line in text.splitlines() if line]


CALLS = {
    "import torch": lines(TORCH_CALLS) + [STEPS.strip().format(name) for name in ("Adam", "AdamW", "RMSprop", "SGD")],
    "import jax": lines(JAX_CALLS),
    "import cupy": lines(CUPY_CALLS),
    "import triton": lines(TRITON_CALLS),
    "import pynvml": lines(NVML_CALLS),
    "import transformers": lines(TRANSFORMERS_CALLS),
    "import accelerate": lines(ACCELERATE_CALLS),
    "import pytorch_lightning": lines(LIGHTNING_CALLS),
    "import onnxruntime": lines(ONNXRUNTIME_CALLS),
}

IMPORTS = """
accelerate botorch chex cupy cuda.bindings cuda.core diffrax e3nn einops equinox flax flax.linen flax.nnx gpytorch h5py huggingface_hub jax jax.numpy
jax.experimental jaxtyping lightning lightning_utilities matplotlib numba numba.cuda numpyro nvidia_cutlass onnx onnxruntime onnxscript optax orbax.checkpoint
pandas pynvml pytorch_lightning safetensors safetensors.torch scipy sentence_transformers sentencepiece sklearn tensorflow tiktoken tokenizers torch
torch._dynamo torch._inductor torch.distributed torch.distributed.fsdp torch.utils.cpp_extension torch_geometric torch_geometric.nn torchaudio torchdiffeq
torchmetrics torchvision torchvision.models torchvision.ops transformers triton triton.language cutlass warp peft timm kornia datasets evaluate
blackjax ott pyro ray xgboost lightgbm catboost bitsandbytes flash_attn xformers deepspeed vllm ultralytics
""".split()

USE_TORCH = 'torch.zeros(1, device="cuda")'
USE_CUPY = "cupy.zeros(1)"
USE_JAX = 'jax.devices("gpu")'

BEFORE_IN_TORCH = [
    "",
    "torch.cuda.is_available()",
    "torch.cuda.device_count()",
    "torch.manual_seed(0)",
    "torch.cuda.manual_seed_all(0)",
    "torch.cuda.empty_cache()",
    "torch.cuda.memory_allocated()",
    "torch.cuda.current_device()",
    "torch.cuda.init()",
    "torch.ones(2, requires_grad=True).sum().backward()",
    "torch.autocast('cuda')",
    "torch.amp.GradScaler()",
    "torch.profiler.profile()",
    "torch.backends.cudnn.version()",
    "torch.zeros(3).pin_memory()",
    "torch.device('cuda')",
]

# What is imported, a statement, and a use of the card that needs it to be visible.
PINS = [("import torch", before, USE_TORCH) for before in BEFORE_IN_TORCH]
PINS += [("import cupy", before, USE_CUPY) for before in ["", "cupy.is_available()", "cupy.cuda.runtime.getDeviceCount()", "cupy.get_default_memory_pool()"]]
PINS += [("import jax", before, USE_JAX) for before in ["", "jax.devices()", "jax.jit(lambda x: x)", "jax.random.key(0)", "jax.process_index()"]]
PINS += [
    ("import torch, cupy", "cupy.cuda.runtime.getDeviceCount()", USE_TORCH),
    ("import torch, cupy", "torch.cuda.is_available()", USE_CUPY),
    ("import torch, jax", "torch.cuda.is_available()", USE_JAX),
    ("import torch, jax", "jax.devices()", USE_TORCH),
    ("import torch, transformers", "transformers.TrainingArguments(output_dir='out')", USE_TORCH),
    ("import torch, accelerate", "accelerate.Accelerator()", USE_TORCH),
    ("import torch, pytorch_lightning", "pytorch_lightning.seed_everything(0)", USE_TORCH),
]

FORKS = [("import torch", before, USE_TORCH) for before in BEFORE_IN_TORCH]
FORKS += [("import cupy", before, USE_CUPY) for before in ["", "cupy.is_available()", "cupy.zeros(1)"]]
FORKS += [("import jax", before, "jax.numpy.zeros(1).block_until_ready()") for before in ["", "jax.devices()", "jax.numpy.zeros(1)", "jax.jit(lambda x: x)"]]

LATE = BEFORE_IN_TORCH + [
    "torch.cuda.get_device_name()",
    "torch.cuda.set_device(0)",
    "torch.cuda.synchronize()",
    "torch.cuda.mem_get_info()",
    "torch.cuda.Stream()",
    "torch.cuda.current_stream()",
    "torch.cuda.get_rng_state()",
    "torch.cuda.can_device_access_peer(0, 0)",
    "torch.cuda.is_bf16_supported()",
    "torch.cuda.reset_peak_memory_stats()",
    "torch.cuda.reset_accumulated_memory_stats()",
    "torch.cuda.set_per_process_memory_fraction(0.5)",
    "with torch.cuda.device(0): pass",
    "torch.Generator(device='cuda')",
    "with torch.random.fork_rng(): pass",
    "torch.zeros(1, device='cuda')",
    "torch.zeros(1).cuda()",
    "torch.nn.DataParallel(torch.nn.Linear(2, 2))",
    "torch.set_default_device('cuda')",
    "torch.set_default_device('cuda'); torch.get_default_device()",
    "torch.accelerator.current_device_index()",
    "torch.accelerator.is_available()",
    "torch.accelerator.synchronize()",
    "list(torch.utils.data.DataLoader([1, 2], pin_memory=True))",
]

ALLOCATOR = [
    "expandable_segments:True",
    "max_split_size_mb:512",
    "max_split_size_mb:20",
    "max_split_size_mb:512,garbage_collection_threshold:0.8",
    "garbage_collection_threshold:1.5",
    "garbage_collection_threshold:0",
    "expandable_segments:true",
    "expandable_segments=True",
    "max_split_size_mb=512",
    "max_split_size_mb:512;expandable_segments:True",
    "max_split_size_mb:abc",
    "max_split_size_mb:",
    "max_split_size:512",
    "expandable_segment:True",
    "backend:cudaMallocAsync",
    "backend:native",
    "backend:bogus",
    "backend:cudaMallocAsync,max_split_size_mb:512",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
    "roundup_power2_divisions:3",
    "pinned_use_cuda_host_register:True",
    "pinned_num_register_threads:8",
    "pinned_num_register_threads:3",
    "per_process_memory_fraction:0.5",
    "max_non_split_rounding_mb:100",
    "release_lock_on_cudamalloc:True",
    "",
    ",",
    "True",
    " expandable_segments:True ",
    "expandable_segments:True,",
    "expandable_segments: True",
    '"expandable_segments:True"',
    "max_split_size_mb:512,expandable_segments:True",
]

MASKS = ["0", " 0", "0 ", "00", "+0", "-0", "0x0", "0a", "0,", "0,1", "1,0", "0,-1", "-1,0", "0;1", "0 1", "0-1", "0.5", "0,0", "0,00", ",0", ",", " ", "", "-1"]
MASKS += ["all", "none", "void", "cuda:0", "gpu0", "GPU-", "GPU", "gpu-0", "MIG-0", "'0'", '"0"', "[0]", "1", "99", "4294967296", "18446744073709551616"]

# Where they differ for a reason that is known.
KNOWN = {
    "call: import jax jax.lax.switch(0, [lambda: 1.0])": "the only branch is simply called, and computes nothing",
    'call: import jax jax.vmap(lambda x: x)(__import__("numpy").ones(3))': "a function that computes nothing",
}
