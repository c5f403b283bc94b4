import cupy as cp

kernel = cp.RawKernel("extern \"C\" __global__ void f() {}", "f")
pool = cp.get_default_memory_pool()
dtype = cp.float32
xp = cp.get_array_module([1])
