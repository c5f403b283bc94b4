import core.gpu.setup as gpu_setup
import core.gpu.use

gpu_setup.pin()
core.gpu.use.start()
