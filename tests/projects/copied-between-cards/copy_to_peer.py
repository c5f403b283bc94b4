import sys

import pycuda.autoinit
import pycuda.driver as cuda

if sys.argv[1] == "peer":
    peer = cuda.Device(1)  # ~ device-not-allowed note
    context = peer.make_context()
    pycuda.autoinit.context.enable_peer_access(context)
