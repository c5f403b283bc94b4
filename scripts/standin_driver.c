/* A stand-in for NVIDIA's libcuda.so.1 and libnvidia-ml.so.1 on a machine without a GPU: it writes down what is called,
 * and answers that there is no device. scripts/regenerate_packages.py builds it under both names and reads the log.
 *
 * Every function answers "no device", so nothing that needs a context can run behind it. The names are those that
 * libraries look up while they are imported; one that is missing is "not found", as in an old driver.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_DEVICE 100     /* CUDA_ERROR_NO_DEVICE */
#define NOT_FOUND 500     /* CUDA_ERROR_NOT_FOUND */
#define NVML_NO_DEVICE 9  /* NVML_ERROR_DRIVER_NOT_LOADED */

static void note(const char *name) {
    const char *path = getenv("STANDIN_LOG");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
    if (file < 0) return;
    char line[128];
    size_t length = strlen(name);
    if (length > sizeof line - 1) length = sizeof line - 1;
    memcpy(line, name, length);
    line[length++] = '\n';
    if (write(file, line, length) < 0) { /* The log is lost; the import goes on. */ }
    close(file);
}

/* Functions whose arguments do not matter: nothing is written through them. */
#define CUDA(name) int name(void) { note(#name); return NO_DEVICE; }
#define NVML(name) int name(void) { note(#name); return NVML_NO_DEVICE; }

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
NVML(nvmlInit)
NVML(nvmlInit_v2)
NVML(nvmlInitWithFlags)
NVML(nvmlShutdown)
NVML(nvmlDeviceGetCount)
NVML(nvmlDeviceGetCount_v2)
NVML(nvmlDeviceGetHandleByIndex_v2)

int cuDriverGetVersion(int *version) {
    note("cuDriverGetVersion");
    if (version) *version = 12080;
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
    return "Driver Not Loaded";
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
