import core.gpu.setup as gpu_setup
import core.gpu.use

gpu_setup.pin()  # ~ pin-after-gpu-import note
core.gpu.use.start()
