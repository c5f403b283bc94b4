/* A stand-in for NVIDIA's libcuda.so.1 and libnvidia-ml.so.1 on a machine without a GPU: it writes down what is called
 * and by which process, and answers that there is no device. scripts/regenerate_packages.py builds it under both names and reads
 * the log.
 *
 * CUDA answers "no device", so nothing that needs a context can run behind it. NVML starts, and counts none: PyTorch
 * would ask CUDA in its place where it does not, which happens on no machine with a driver. The names are those that
 * libraries look up while they are imported; one that is missing is "not found", as in an old driver.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_DEVICE 100     /* CUDA_ERROR_NO_DEVICE */
#define NOT_FOUND 500     /* CUDA_ERROR_NOT_FOUND */
#define NVML_NOT_FOUND 6  /* NVML_ERROR_NOT_FOUND */

static void note(const char *name) {
    const char *path = getenv("STANDIN_LOG");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
    if (file < 0) return;
    char line[128];
    int length = snprintf(line, sizeof line, "%d %s\n", (int)getpid(), name);
    if (write(file, line, (size_t)length) < 0) { /* The log is lost; the import goes on. */ }
    close(file);
}

/* Functions whose arguments do not matter: nothing is written through them. */
#define CUDA(name) int name(void) { note(#name); return NO_DEVICE; }
#define NVML(name, answer) int name(void) { note(#name); return answer; }

CUDA(cuInit)
CUDA(cuDeviceGet)
CUDA(cuDeviceGetName)
CUDA(cuDeviceGetAttribute)
CUDA(cuDeviceTotalMem_v2)
CUDA(cuCtxGetCurrent)
CUDA(cuCtxCreate_v2)
CUDA(cuDevicePrimaryCtxRetain)
CUDA(cuMemAlloc_v2)
CUDA(cuModuleLoadData)
NVML(nvmlInit, 0)
NVML(nvmlInit_v2, 0)
NVML(nvmlInitWithFlags, 0)
NVML(nvmlShutdown, 0)
NVML(nvmlDeviceGetHandleByIndex_v2, NVML_NOT_FOUND)

int nvmlDeviceGetCount_v2(unsigned *count) {
    note("nvmlDeviceGetCount_v2");
    if (count) *count = 0;
    return 0;
}

int nvmlDeviceGetCount(unsigned *count) {
    return nvmlDeviceGetCount_v2(count);
}

int cuDriverGetVersion(int *version) {
    note("cuDriverGetVersion");
    if (version) *version = 13020;
    return 0;
}

int cuDeviceGetCount(int *count) {
    note("cuDeviceGetCount");
    if (count) *count = 0;
    return NO_DEVICE;
}

int cuGetErrorString(int error, const char **text) {
    (void)error;
    if (text) *text = "no CUDA-capable device is detected";
    return 0;
}

int cuGetErrorName(int error, const char **text) {
    (void)error;
    if (text) *text = "CUDA_ERROR_NO_DEVICE";
    return 0;
}

const char *nvmlErrorString(int error) {
    (void)error;
    return "Not Found";
}

int cuGetProcAddress_v2(const char *name, void **address, int version, unsigned long flags, void *status);

/* The newer way to look functions up: only those of this file are there. */
int cuGetProcAddress(const char *name, void **address, int version, unsigned long flags) {
    return cuGetProcAddress_v2(name, address, version, flags, NULL);
}

int cuGetProcAddress_v2(const char *name, void **address, int version, unsigned long flags, void *status) {
    static const struct { const char *name; void *address; } known[] = {
        {"cuInit", (void *)cuInit},
        {"cuDriverGetVersion", (void *)cuDriverGetVersion},
        {"cuDeviceGetCount", (void *)cuDeviceGetCount},
        {"cuDeviceGet", (void *)cuDeviceGet},
        {"cuDeviceGetAttribute", (void *)cuDeviceGetAttribute},
        {"cuGetErrorString", (void *)cuGetErrorString},
        {"cuGetErrorName", (void *)cuGetErrorName},
        {"cuGetProcAddress", (void *)cuGetProcAddress_v2},
        {"cuCtxGetCurrent", (void *)cuCtxGetCurrent},
        {"cuDevicePrimaryCtxRetain", (void *)cuDevicePrimaryCtxRetain},
    };
    (void)version;
    (void)flags;
    for (size_t at = 0; at < sizeof known / sizeof *known; at++) {
        if (strcmp(known[at].name, name) == 0) {
            *address = known[at].address;
            if (status) *(int *)status = 0;
            return 0;
        }
    }
    *address = NULL;
    if (status) *(int *)status = 1; /* CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND */
    return NOT_FOUND;
}
