import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import jax
import tensorflow as tf

jax.devices()[1]  # ~ device-outside-mask error
jax.devices("gpu")[1]  # ~ device-outside-mask error
jax.devices("cpu")[1]
jax.device_put([1], jax.local_devices()[1])  # ~ device-outside-mask error
with tf.device("/GPU:1"):  # ~ device-outside-mask error
    print("second")
with tf.device("/CPU:0"):
    print("host")
gpus = tf.config.list_physical_devices("GPU")
tf.config.set_visible_devices(gpus[1], "GPU")  # ~ device-outside-mask error
cpus = tf.config.list_physical_devices("CPU")
tf.config.set_visible_devices(cpus[1:], "CPU")
