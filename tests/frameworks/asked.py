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
torch.cuda.get_sync_debug_mode()
torch.cuda.set_sync_debug_mode("warn")
torch.cuda.utilization()
torch.cuda.memory_usage()
torch.cuda.temperature()
torch.cuda.list_gpu_processes()
torch.cuda.max_memory_reserved()
torch.cuda.memory.caching_allocator_alloc(512)
torch.cuda.memory.get_allocator_backend()
torch.cuda.memory._record_memory_history()
torch.cuda.memory._snapshot()
torch.cuda.set_rng_state(torch.zeros(16, dtype=torch.uint8))
torch.cuda.get_rng_state_all()
torch.cuda.seed_all()
torch.cuda.device_of(torch.zeros(1))
with torch.cuda.device(0): pass
with torch.cuda.device(-1): pass
torch.cuda.ExternalStream(0)
torch.cuda.comm.broadcast(torch.ones(2), [0])
torch.cuda.graph(torch.cuda.CUDAGraph())
torch.cuda.set_stream(torch.cuda.current_stream())
torch.cuda.clock_rate()
torch.cuda.power_draw()
torch.cuda.MemPool()
torch.cuda.tunable.is_enabled()
torch.cuda.gds.GdsFile
torch.cuda.has_half
torch.cuda.amp.custom_fwd(lambda x: x)
torch.cuda.check_error(0)
torch.device("cuda:0").index
torch.as_tensor([1.0], device="cuda")
torch.arange(3, device="cuda")
torch.rand(3, device=torch.device("cuda"))
torch.full((2,), 1.0, device=0)
torch.from_numpy(__import__("numpy").ones(3)).cuda()
torch.ones(2).to(0)
torch.ones(2).to(torch.device("cuda", 0))
torch.ones(2).to(device="cuda", non_blocking=True)
torch.ones(2).type(torch.cuda.FloatTensor)
torch.ones(2).new_zeros(3)
torch.ones(2).new_zeros(3, device="cuda")
torch.ones(2).cpu()
torch.ones(2).numpy()
torch.nn.Linear(2, 2).half()
torch.nn.Linear(2, 2, device="meta")
torch.nn.Linear(2, 2, device="meta").to_empty(device="cuda")
torch.nn.Module().to("cuda")
torch.nn.Module().cuda()
torch.nn.ModuleList([torch.nn.Linear(2, 2)]).cuda()
torch.nn.Parameter(torch.ones(2, device="cuda"))
torch.nn.LSTM(2, 2).to("cuda")
torch.nn.utils.clip_grad_norm_([torch.nn.Parameter(torch.ones(2))], 1.0)
torch.nn.parallel.replicate(torch.nn.Linear(2, 2), [0])
torch.save(torch.ones(2), "a.pt")
torch.save(torch.ones(2), "b.pt"); torch.load("b.pt")
torch.save(torch.ones(2), "c.pt"); torch.load("c.pt", map_location="cuda")
torch.save(torch.ones(2), "d.pt"); torch.load("d.pt", map_location=lambda storage, location: storage)
torch.random.manual_seed(0)
torch.seed()
torch.random.get_rng_state()
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.is_acceptable(torch.ones(2))
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cuda.preferred_linalg_library()
torch.backends.cuda.flash_sdp_enabled()
torch.backends.cuda.sdp_kernel(enable_flash=False)
torch.backends.mps.is_available()
torch.distributed.init_process_group("gloo", init_method="tcp://127.0.0.1:29611", rank=0, world_size=1)
torch.distributed.init_process_group("nccl", init_method="tcp://127.0.0.1:29612", rank=0, world_size=1)
torch.distributed.is_initialized()
torch.distributed.get_default_backend_for_device("cuda")
torch.multiprocessing.set_start_method("spawn")
torch.multiprocessing.get_context("spawn")
torch.ones(2).share_memory_()
torch.library.Library("mine", "DEF")
torch.utils.cpp_extension.CUDA_HOME
torch.utils.collect_env.get_env_info()
torch.utils.benchmark.Timer("1 + 1").timeit(1)
torch.utils.data.DataLoader([1, 2], num_workers=1)
torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]): pass
with torch.profiler.profile(): pass
with torch.autograd.profiler.profile(): pass
with torch.autograd.profiler.emit_nvtx(): pass
with torch.inference_mode(): torch.ones(2) + 1
with torch.autocast("cuda"): torch.ones(2) + 1
with torch.device("cuda"): pass
with torch.device("cuda"): torch.ones(2)
with torch.device("cpu"): torch.ones(2)
with torch.no_grad(): torch.ones(2, requires_grad=True).sum()
torch.ones(2, requires_grad=True).sum().backward(retain_graph=True)
torch.autograd.functional.jacobian(lambda x: x * 2, torch.ones(2))
torch.autograd.set_detect_anomaly(True)
torch.func.vmap(lambda x: x * 2)(torch.ones(2))
torch.func.jacrev(lambda x: x * 2)(torch.ones(2))
torch.func.functional_call(torch.nn.Linear(2, 2), {}, (torch.ones(1, 2),))
torch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2))
torch.fx.symbolic_trace(torch.nn.Linear(2, 2))
torch.compile(torch.nn.Linear(2, 2))
torch._dynamo.reset()
torch._dynamo.config.suppress_errors
torch._inductor.config.triton
torch.ao.quantization.default_qconfig
torch.optim.swa_utils.AveragedModel(torch.nn.Linear(2, 2))
torch.optim.lr_scheduler.StepLR(torch.optim.SGD([torch.nn.Parameter(torch.ones(2))]), 1).step()
torch.linalg.inv(torch.eye(2))
torch.fft.fft(torch.ones(4))
torch.distributions.Normal(0.0, 1.0).sample()
torch.hub.get_dir()
torch.onnx.is_in_onnx_export()
torch.is_cuda
torch.accelerator.memory_allocated()
torch.accelerator.empty_cache()
torch.Stream(device="cuda")
torch.Event(device="cuda")
torch.get_device_module("cuda")
torch.set_default_tensor_type(torch.cuda.FloatTensor)
torch.set_default_tensor_type("torch.cuda.FloatTensor")
torch.cuda.is_available.__doc__
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
jax.devices("gpu")
jax.devices("cuda")
jax.jit(lambda x: x).lower(1.0)
jax.jit(lambda x: x).lower(1.0).compile()
jax.random.PRNGKey
jax.random.split(jax.random.key(0))
jax.numpy.ones((2, 2)).block_until_ready()
jax.numpy.asarray([1.0])
jax.numpy.pi
jax.numpy.ndarray
jax.numpy.float64(2.0)
jax.numpy.where(True, 1, 2)
jax.numpy.broadcast_shapes((1,), (2,))
jax.numpy.iinfo("int32")
jax.nn.softmax(__import__("numpy").ones(3))
jax.tree.map(lambda x: x, [1])
jax.tree.leaves([1])
jax.hessian(lambda x: x * x)(1.0)
jax.jacfwd(lambda x: x * x)
jax.jvp(lambda x: x * x, (1.0,), (1.0,))
jax.linearize(lambda x: x * x, 1.0)
jax.vjp(lambda x: x * x, 1.0)
jax.custom_vjp(lambda x: x)
jax.ShapeDtypeStruct((1,), "float32")
jax.typeof(1.0)
jax.profiler.start_trace("trace")
jax.experimental.multihost_utils
jax.sharding.Mesh(jax.devices(), ("x",))
jax.sharding.SingleDeviceSharding(jax.devices()[0])
jax.debug.print("a")
jax.ensure_compile_time_eval()
with jax.default_matmul_precision("float32"): pass
jax.config.jax_platforms
jax.config.read("jax_platforms")
jax.lib.xla_bridge.get_backend()
jax.extend.backend.get_backend()
jax.transfer_guard("log")
jax.numpy.save("a.npy", [1.0])
jax.random.uniform(jax.random.key(0))
"""

NUMBA_CALLS = """
numba.cuda.is_available()
numba.cuda.gpus
len(numba.cuda.gpus)
numba.cuda.detect()
numba.cuda.get_current_device()
numba.cuda.current_context()
numba.cuda.select_device(0)
numba.cuda.device_array(3)
numba.cuda.to_device(__import__("numpy").ones(3))
numba.cuda.pinned_array(3)
numba.cuda.stream()
numba.cuda.event()
numba.cuda.jit(lambda x: None)
numba.cuda.jit("void(float32[:])")(lambda x: None)
numba.cuda.grid
numba.cuda.synchronize()
numba.cuda.close()
numba.cuda.list_devices()
numba.cuda.runtime.get_version()
numba.njit(lambda x: x)(1)
numba.vectorize(["float32(float32)"], target="cuda")(lambda x: x)
"""

GPYTORCH_CALLS = """
gpytorch.kernels.RBFKernel()
gpytorch.kernels.RBFKernel()(__import__("torch").ones(3, 1)).to_dense()
gpytorch.likelihoods.GaussianLikelihood().cuda()
"""

NUMPYRO_CALLS = """
numpyro.set_platform("cpu")
numpyro.set_host_device_count(2)
numpyro.enable_x64()
numpyro.distributions.Normal
numpyro.distributions.Normal(0.0, 1.0)
"""

FLAX_CALLS = """
flax.linen.Dense(3)
flax.linen.Dense(3).init(__import__("jax").random.key(0), __import__("numpy").ones((1, 2)))
flax.nnx.Rngs(0)
flax.nnx.Linear(2, 3, rngs=flax.nnx.Rngs(0))
"""

OPTAX_CALLS = """
optax.adam(0.1)
optax.cosine_decay_schedule(0.1, 10)
optax.adam(0.1).init({"a": 1.0})
"""

SENTENCES_CALLS = """
sentence_transformers.util.cos_sim([[1.0]], [[1.0]])
sentence_transformers.util.get_device_name()
sentence_transformers.SentenceTransformer(modules=[])
sentence_transformers.SentenceTransformer(modules=[], device="cpu")
"""

PEFT_CALLS = """
peft.LoraConfig()
"""

TORCHMETRICS_CALLS = """
torchmetrics.MeanMetric()
torchmetrics.MeanMetric().to("cuda")
torchmetrics.MeanMetric()(1.0)
"""

TORCHVISION_CALLS = """
torchvision.models.resnet18()
torchvision.models.resnet18().cuda()
torchvision.transforms.ToTensor()
torchvision.ops.nms
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
cupy.get_array_module(__import__("numpy").ones(1))
cupy.asnumpy(__import__("numpy").ones(1))
cupy.asnumpy(cupy.ones(1))
cupy.cuda.get_device_id()
cupy.cuda.get_current_stream()
cupy.cuda.runtime.getDevice()
cupy.cuda.runtime.memGetInfo()
cupy.cuda.runtime.deviceSynchronize()
cupy.cuda.runtime.getDeviceProperties(0)
cupy.cuda.Device(0).synchronize()
cupy.cuda.Device(0).mem_info
cupy.cuda.Device(0).compute_capability
cupy.cuda.Stream.null
cupy.cuda.Stream.null.synchronize()
cupy.cuda.set_allocator(None)
cupy.cuda.set_allocator(cupy.cuda.MemoryPool().malloc)
cupy.cuda.MemoryPool()
cupy.cuda.alloc(512)
cupy.cuda.malloc_managed(512)
cupy.cuda.PinnedMemoryPool()
cupy.cuda.alloc_pinned_memory(512)
cupy.get_default_memory_pool().total_bytes()
cupy.get_default_memory_pool().get_limit()
cupy.get_default_memory_pool().set_limit(size=1 << 20)
cupy.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "a")
cupy.fuse(lambda x: x)
cupy.vectorize(lambda x: x)
cupy.random.RandomState(0)
cupy.random.default_rng(0)
cupy.random.get_random_state()
cupy.dtype("float32")
cupy.pi
cupy.ndarray
cupy.ndarray(3)
cupy.result_type("float32", "int8")
cupy.can_cast("float32", "int8")
cupy.isscalar(1)
cupy.array_equal([1], [1])
cupy.from_dlpack(__import__("numpy").ones(1))
cupy.fft.config.get_plan_cache()
cupy.linalg.norm(cupy.ones(2))
cupy.profiler.time_range("a")
cupyx.scipy.get_array_module(1)
with cupy.cuda.Device(0): pass
with cupy.cuda.Stream(): pass
with cupy.errstate(linalg="raise"): pass
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
transformers.BertModel(transformers.BertConfig(num_hidden_layers=1, hidden_size=12)).to("cuda")
transformers.BertModel(transformers.BertConfig(num_hidden_layers=1, hidden_size=12)).cuda()
transformers.TrainingArguments(output_dir="out", use_cpu=True)
transformers.TrainingArguments(output_dir="out").device
transformers.TrainingArguments(output_dir="out").n_gpu
transformers.Trainer(model=transformers.BertModel(transformers.BertConfig(num_hidden_layers=1, hidden_size=12)), args=transformers.TrainingArguments(output_dir="out"))
transformers.Trainer(model=transformers.BertModel(transformers.BertConfig(num_hidden_layers=1, hidden_size=12)))
transformers.Seq2SeqTrainingArguments(output_dir="out")
transformers.HfArgumentParser(transformers.TrainingArguments)
transformers.HfArgumentParser(transformers.TrainingArguments).parse_args_into_dataclasses(["--output_dir", "out"])
transformers.BitsAndBytesConfig(load_in_8bit=True)
transformers.GenerationConfig()
transformers.enable_full_determinism(0)
transformers.is_torch_npu_available()
transformers.utils.is_torch_tf32_available()
transformers.utils.is_torch_fp16_available_on_device("cpu")
transformers.get_linear_schedule_with_warmup
transformers.DataCollatorWithPadding
transformers.logging.set_verbosity_error()
transformers.pipeline
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
accelerate.Accelerator(mixed_precision="bf16")
accelerate.Accelerator(mixed_precision="no").device
accelerate.Accelerator().prepare(__import__("torch").nn.Linear(2, 2))
accelerate.DistributedDataParallelKwargs()
accelerate.utils.DeepSpeedPlugin
accelerate.logging.get_logger("a")
accelerate.state.AcceleratorState()
accelerate.state.GradientState()
accelerate.infer_auto_device_map(__import__("torch").nn.Linear(2, 2))
accelerate.cpu_offload(__import__("torch").nn.Linear(2, 2))
accelerate.dispatch_model
accelerate.load_checkpoint_and_dispatch
accelerate.notebook_launcher
accelerate.utils.write_basic_config
accelerate.utils.is_fp8_available()
accelerate.utils.get_gpu_info()
accelerate.utils.find_executable_batch_size(lambda batch_size: None)()
accelerate.utils.release_memory(1)
accelerate.find_executable_batch_size
"""

LIGHTNING_CALLS = """
pytorch_lightning.seed_everything(0)
pytorch_lightning.Trainer(logger=False)
pytorch_lightning.Trainer(accelerator="gpu", devices=1, logger=False)
pytorch_lightning.Trainer(accelerator="cpu", logger=False)
pytorch_lightning.Trainer(accelerator="auto", logger=False)
pytorch_lightning.Trainer(devices=1, logger=False)
pytorch_lightning.Trainer(accelerator="gpu", devices=[0], logger=False)
pytorch_lightning.LightningModule()
pytorch_lightning.LightningDataModule()
pytorch_lightning.accelerators.CUDAAccelerator.is_available()
pytorch_lightning.accelerators.find_usable_cuda_devices(1)
pytorch_lightning.callbacks.ModelCheckpoint()
pytorch_lightning.strategies.DDPStrategy()
pytorch_lightning.utilities.rank_zero_info("a")
"""

FABRIC_CALLS = """
lightning.Fabric()
lightning.Fabric(accelerator="cpu")
lightning.Fabric(accelerator="cuda", devices=1)
lightning.Fabric(accelerator="cuda", devices=1).device
lightning.Fabric(accelerator="cuda", devices=1).launch()
lightning.pytorch.seed_everything(0)
lightning.pytorch.Trainer(logger=False)
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
    "import cupy, cupyx": lines(CUPY_CALLS),
    "import triton": lines(TRITON_CALLS),
    "import pynvml": lines(NVML_CALLS),
    "import transformers": lines(TRANSFORMERS_CALLS),
    "import accelerate": lines(ACCELERATE_CALLS),
    "import pytorch_lightning": lines(LIGHTNING_CALLS),
    "import onnxruntime": lines(ONNXRUNTIME_CALLS),
    "import numba, numba.cuda": lines(NUMBA_CALLS),
    "import gpytorch": lines(GPYTORCH_CALLS),
    "import numpyro": lines(NUMPYRO_CALLS),
    "import flax, flax.linen, flax.nnx": lines(FLAX_CALLS),
    "import optax": lines(OPTAX_CALLS),
    "import sentence_transformers": lines(SENTENCES_CALLS),
    "import peft": lines(PEFT_CALLS),
    "import torchmetrics": lines(TORCHMETRICS_CALLS),
    "import torchvision, torchvision.models": lines(TORCHVISION_CALLS),
    "import lightning, lightning.pytorch": lines(FABRIC_CALLS),
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

BEFORE_A_FORK = [
    "torch.zeros(1, device='cuda')",
    "torch.cuda.get_device_name()",
    "torch.cuda.synchronize()",
    "torch.cuda.mem_get_info()",
    "torch.cuda.Stream()",
    "torch.nn.DataParallel(torch.nn.Linear(2, 2))",
    "torch.Generator(device='cuda')",
    "torch.cuda.is_bf16_supported()",
    "torch.zeros(3, pin_memory=True)",
    "list(torch.utils.data.DataLoader([1, 2], pin_memory=True))",
    "torch.set_default_device('cuda')",
    "torch.accelerator.is_available()",
    "torch.compile(lambda x: x + 1)(torch.ones(2))",
    "torch.jit.script(torch.nn.Linear(2, 2))",
    "torch.func.grad(lambda x: x.sum())(torch.ones(2))",
    "torch.optim.Adam([torch.nn.Parameter(torch.ones(2))])",
    "torch.distributed.init_process_group('nccl', init_method='tcp://127.0.0.1:29613', rank=0, world_size=1)",
    "torch.cuda.memory_stats()",
    "torch.cuda.get_arch_list()",
    "torch.random.get_rng_state()",
]
FORKS += [("import torch", before, USE_TORCH) for before in BEFORE_A_FORK]
FORKS += [("import torch, numba.cuda", before, USE_TORCH) for before in ["numba.cuda.is_available()", "numba.cuda.detect()", "numba.cuda.jit(lambda x: None)"]]
FORKS += [("import torch, accelerate", before, USE_TORCH) for before in ["accelerate.Accelerator()", "accelerate.PartialState()", "accelerate.utils.set_seed(0)"]]
FORKS += [("import torch, transformers", before, USE_TORCH) for before in ["transformers.TrainingArguments(output_dir='out')", "transformers.set_seed(0)"]]
FORKS += [("import torch, pytorch_lightning", before, USE_TORCH) for before in ["pytorch_lightning.Trainer(logger=False)", "pytorch_lightning.seed_everything(0)"]]
FORKS += [("import torch, pynvml", before, USE_TORCH) for before in ["pynvml.nvmlInit()", "pynvml.nvmlInit(); pynvml.nvmlDeviceGetCount()"]]
FORKS += [("import torch, cupy", before, USE_TORCH) for before in ["", "cupy.zeros(1)", "cupy.get_default_memory_pool()"]]
FORKS += [("import torch, jax", before, USE_TORCH) for before in ["", "jax.devices()", "jax.devices('cpu')"]]
PINS += [("import torch, numba.cuda", before, USE_TORCH) for before in ["numba.cuda.is_available()", "numba.cuda.gpus", "numba.cuda.current_context()", "numba.cuda.jit(lambda x: None)"]]
PINS += [("import torch, pynvml", before, USE_TORCH) for before in ["pynvml.nvmlInit(); pynvml.nvmlDeviceGetCount()"]]
PINS += [("import torch, sentence_transformers", before, USE_TORCH) for before in ["", "sentence_transformers.SentenceTransformer(modules=[])"]]
PINS += [("import torch, accelerate", before, USE_TORCH) for before in ["accelerate.PartialState()", "accelerate.utils.set_seed(0)", "accelerate.Accelerator(cpu=True)"]]
PINS += [("import torch, transformers", before, USE_TORCH) for before in ["transformers.set_seed(0)", "transformers.TrainingArguments(output_dir='out').device"]]
PINS += [("import torch, pytorch_lightning", before, USE_TORCH) for before in ["pytorch_lightning.Trainer(logger=False)"]]

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
    'call: import torch torch.nn.Module().to("cuda")': "a model without parameters, which is not told apart",
    "call: import torch torch.nn.Module().cuda()": "a model without parameters, which is not told apart",
    "call: import jax jax.lax.switch(0, [lambda: 1.0])": "the only branch is simply called, and computes nothing",
    'call: import jax jax.vmap(lambda x: x)(__import__("numpy").ones(3))': "a function that computes nothing",
}

# What rules warn of: the rule, a program that it is about, one that does it right, and what shows after either that it went wrong.
ERROR = "'error' in told"
TRAINING = """
import torch
model = torch.nn.Linear(1000, 1000).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
def train():
    total = 0.0
    for _ in range(20):
        optimizer.zero_grad()
        loss = (model(torch.ones(1000, 1000, device="cuda")) ** 2).sum()
        loss.backward()
        optimizer.step()
        total += LOSS
    return total
"""
LOADED = """
import os, subprocess, sys, torch
path = f"map-{os.getpid()}.pt"
torch.save(torch.nn.Linear(2, 2).cuda().state_dict(), path)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def restore(model):
    model.load_state_dict(torch.load(LOAD))
    return model.to(device)
hidden = "import torch; device = 'cpu'; path = " + repr(path) + "; torch.load(LOAD)"
ended = subprocess.run([sys.executable, "-c", hidden], env=os.environ | {"CUDA_VISIBLE_DEVICES": ""}, capture_output=True)
"""
NUMBA = """
import os, numba, numpy
@numba.njit(parallel=True)
def total(values):
    result = 0.0
    for i in numba.prange(len(values)):
        result += values[i]
    return result
"""
RULES = [
    ("device-move-dropped", "import torch\nx = torch.ones(2)\nx.to('cuda')\nprint(x)", "import torch\nx = torch.ones(2)\nx = x.to('cuda')\nprint(x)", "not x.is_cuda"),
    ("environ-rebound", "import os, torch\nos.environ = {'CUDA_VISIBLE_DEVICES': ''}\ntorch.zeros(1, device='cuda')",
     "import os, torch\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\ntorch.zeros(1, device='cuda')", "'error' not in told and os.environ['CUDA_VISIBLE_DEVICES'] == ''"),
    ("putenv-bypasses-environ", "import os, torch\nos.putenv('CUDA_VISIBLE_DEVICES', '')", "import os, torch\nos.environ['CUDA_VISIBLE_DEVICES'] = ''", "torch.cuda.device_count() == 1"),
    ("environ-copy-unused", "import os, torch\nenv = os.environ.copy()\nenv['CUDA_VISIBLE_DEVICES'] = ''\ntorch.zeros(1)",
     "import os, torch\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\ntorch.zeros(1)", "torch.cuda.device_count() == 1"),
    ("gpu-env-as-python-name", "import torch\nCUDA_VISIBLE_DEVICES = ''", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\nimport torch", "torch.cuda.device_count() == 1"),
    ("gpu-env-name-typo", "import os\nos.environ['CUDA_VISIBLE_DEVICE'] = ''\nimport torch", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\nimport torch", "torch.cuda.device_count() == 1"),
    ("env-value-not-string", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = 0", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'", ERROR),
    ("pin-removed", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\ndel os.environ['CUDA_VISIBLE_DEVICES']\nimport torch\ntorch.zeros(1, device='cuda')",
     "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nimport torch\ntorch.zeros(1, device='cuda')", "'CUDA_VISIBLE_DEVICES' not in os.environ"),
    ("variable-asked-as-attribute", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nis_set = hasattr(os.environ, 'CUDA_VISIBLE_DEVICES')\nimport torch\ntorch.zeros(1, device='cuda')",
     "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nis_set = 'CUDA_VISIBLE_DEVICES' in os.environ\nimport torch\ntorch.zeros(1, device='cuda')", "not is_set"),
    ("visible-devices-hides-all", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = 'none'\nimport torch\ntorch.zeros(1, device='cuda')",
     "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nimport torch\ntorch.zeros(1, device='cuda')", ERROR),
    ("availability-check-not-called", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\nimport torch\nif torch.cuda.is_available:\n    torch.ones(2).cuda()",
     "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\nimport torch\nif torch.cuda.is_available():\n    torch.ones(2).cuda()", ERROR),
    ("missing-cpu-fallback", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\nimport torch\ntorch.ones(2).cuda()",
     "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\nimport torch\ntorch.ones(2).to('cuda' if torch.cuda.is_available() else 'cpu')", ERROR),
    ("device-name-typo", "import torch\ntorch.device('cdua:0')", "import torch\ntorch.device('cuda:0')", ERROR),
    ("nonexistent-gpu-api", "import torch\ntorch.cuda.clear_cache()", "import torch\ntorch.cuda.empty_cache()", ERROR),
    ("unknown-matmul-precision", "import torch\ntorch.set_float32_matmul_precision('fast')", "import torch\ntorch.set_float32_matmul_precision('high')", "torch.get_float32_matmul_precision() == 'highest'"),
    ("context-not-entered", "import torch\ntorch.no_grad()\ny = torch.ones(2, requires_grad=True) * 2", "import torch\nwith torch.no_grad():\n    y = torch.ones(2, requires_grad=True) * 2", "y.requires_grad"),
    ("empty-cache-before-collect",
     "import gc, torch\nclass Node: pass\nnode = Node()\nnode.itself, node.kept = node, torch.zeros(64 << 20, device='cuda')\ndel node\ntorch.cuda.empty_cache()\ngc.collect()",
     "import gc, torch\nclass Node: pass\nnode = Node()\nnode.itself, node.kept = node, torch.zeros(64 << 20, device='cuda')\ndel node\ngc.collect()\ntorch.cuda.empty_cache()",
     "torch.cuda.memory_reserved() >= 256 << 20"),
    ("retry-inside-oom-handler",
     "import torch\ndef step(size):\n    kept = torch.empty(10 << 30, dtype=torch.uint8, device='cuda')\n    return torch.empty(size << 30, dtype=torch.uint8, device='cuda')\n"
     "try:\n    step(1000)\nexcept torch.OutOfMemoryError:\n    torch.cuda.empty_cache()\n    seen = torch.cuda.memory_reserved()\n    step(1)",
     "import torch\ndef step(size):\n    kept = torch.empty(10 << 30, dtype=torch.uint8, device='cuda')\n    return torch.empty(size << 30, dtype=torch.uint8, device='cuda')\n"
     "failed = False\ntry:\n    step(1000)\nexcept torch.OutOfMemoryError:\n    failed = True\nif failed:\n    torch.cuda.empty_cache()\n    seen = torch.cuda.memory_reserved()\n    step(1)",
     "seen >= 10 << 30"),
    ("loss-keeps-graph", TRAINING.replace("LOSS", "loss"), TRAINING.replace("LOSS", "loss.item()"), "getattr(train(), 'grad_fn', None) is not None"),
    ("eval-without-no-grad",
     "import torch\nmodel = torch.nn.Sequential(*[torch.nn.Linear(1000, 1000) for _ in range(10)]).cuda()\nmodel.eval()\nfor batch in [torch.ones(1000, 1000)]:\n    output = model(batch.cuda())",
     "import torch\nmodel = torch.nn.Sequential(*[torch.nn.Linear(1000, 1000) for _ in range(10)]).cuda()\nmodel.eval()\nwith torch.no_grad():\n    for batch in [torch.ones(1000, 1000)]:\n        output = model(batch.cuda())",
     "torch.cuda.max_memory_allocated() > 100 << 20"),
    ("leak-check-on-reserved",
     "import torch\nbefore = torch.cuda.memory_reserved()\nx = torch.ones(64 << 20, device='cuda')\ndel x\ngrown = torch.cuda.memory_reserved() - before\nassert grown == 0",
     "import torch\nbefore = torch.cuda.memory_allocated()\nx = torch.ones(64 << 20, device='cuda')\ndel x\ngrown = torch.cuda.memory_allocated() - before\nassert grown == 0",
     "grown > 0"),
    ("load-without-map-location", LOADED.replace("LOAD", "path"), LOADED.replace("LOAD", "path, map_location=device"), "ended.returncode != 0"),
    ("cuda-in-dataset-worker",
     "import torch\nfrom torch.utils.data import DataLoader, Dataset\nclass Items(Dataset):\n    def __len__(self):\n        return 4\n    def __getitem__(self, index):\n        return torch.ones(2).cuda()\n"
     "model = torch.nn.Linear(2, 2).cuda()\nfor batch in DataLoader(Items(), num_workers=2, multiprocessing_context='fork'):\n    model(batch)",
     "import torch\nfrom torch.utils.data import DataLoader, Dataset\nclass Items(Dataset):\n    def __len__(self):\n        return 4\n    def __getitem__(self, index):\n        return torch.ones(2)\n"
     "model = torch.nn.Linear(2, 2).cuda()\nfor batch in DataLoader(Items(), num_workers=2, multiprocessing_context='fork'):\n    model(batch.cuda())",
     ERROR),
    ("env-not-read-by-framework", "import os\nimport jax\nos.environ['JAX_PLATFORMS'] = 'cpu'\njax.numpy.zeros(1)", "import os\nos.environ['JAX_PLATFORMS'] = 'cpu'\nimport jax\njax.numpy.zeros(1)",
     "jax.default_backend() != 'cpu'"),
    ("numba-threads-too-late", NUMBA + "total(numpy.ones(8))\nos.environ['NUMBA_NUM_THREADS'] = '2'\ntotal(numpy.ones(8))", "import os\nos.environ['NUMBA_NUM_THREADS'] = '2'\n" + NUMBA + "total(numpy.ones(8))",
     "numba.get_num_threads() != 2"),
    ("deprecated-memory-api", "import torch, warnings\nwarnings.simplefilter('error')\ntorch.cuda.memory_cached()", "import torch, warnings\nwarnings.simplefilter('error')\ntorch.cuda.memory_reserved()", ERROR),
    ("deprecated-amp-api", "import torch, warnings\nwarnings.simplefilter('error')\ntorch.cuda.amp.autocast()", "import torch, warnings\nwarnings.simplefilter('error')\ntorch.amp.autocast('cuda')", ERROR),
    ("unsupported-autocast-dtype", "import torch\nx = torch.ones(16, 16, device='cuda')\nwith torch.autocast('cuda', dtype=torch.float8_e4m3fn):\n    x @ x",
     "import torch\nx = torch.ones(16, 16, device='cuda')\nwith torch.autocast('cuda', dtype=torch.float64):\n    x @ x", ERROR),
    ("context-as-device", "import torch\nx = torch.ones(2, device=torch.cuda.device(0))", "import torch\nx = torch.ones(2, device=torch.device('cuda', 0))", ERROR),
    ("wrong-device-argument", "import pytorch_lightning\npytorch_lightning.Trainer(accelerator='gpu', devices=0, logger=False)",
     "import pytorch_lightning\npytorch_lightning.Trainer(accelerator='gpu', devices=[0], logger=False)", ERROR),
    ("jax-platform-too-late", "import jax\njax.numpy.zeros(1)\njax.config.update('jax_platforms', 'cpu')\nx = jax.numpy.zeros(1)",
     "import jax\njax.config.update('jax_platforms', 'cpu')\njax.numpy.zeros(1)\nx = jax.numpy.zeros(1)", "'cpu' not in str(x.device).lower()"),
    ("legacy-tf32-switch", "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\ntorch.backends.cuda.matmul.fp32_precision = 'ieee'\nprint(torch.backends.cuda.matmul.allow_tf32)",
     "import torch\ntorch.backends.cuda.matmul.fp32_precision = 'tf32'", ERROR),
    ("no-caching-switch-misused", "import os\nos.environ['PYTORCH_NO_CUDA_MEMORY_CACHING'] = '1'\nimport torch\nx = torch.zeros(1 << 20, device='cuda')\ndel x",
     "import torch\nx = torch.zeros(1 << 20, device='cuda')\ndel x", "torch.cuda.memory_reserved() == 0"),
    ("device-outside-mask", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nimport torch\ntorch.ones(2, device='cuda:1')",
     "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nimport torch\ntorch.ones(2, device='cuda:0')", ERROR),
    ("jax-platform-only-preferred", "import jax\njax.config.update('jax_platform_name', 'cpu')\nx = jax.numpy.zeros(100_000) + 1",
     "import jax\njax.config.update('jax_platforms', 'cpu')\nx = jax.numpy.zeros(100_000) + 1", "state() == 'context'"),
    ("mask-taken-for-granted", "import os\ndel os.environ['CUDA_VISIBLE_DEVICES']\nimport torch\ntorch.zeros(1, device='cuda')",
     "import os\nos.environ.pop('CUDA_VISIBLE_DEVICES', None)\nimport torch\ntorch.zeros(1, device='cuda')", ERROR),
]
