// SPDX-License-Identifier: LGPL-2.1-or-later
// The functions of libcuda that common/cuda/driver.cpp and libgstcuda find, of a driver whose GPU fails when
// it is said to: from then on no context can be made current, as after a failure of a real one. For
// cuda_teardown.cpp and cuda_contexts.cpp.
#include <cstdio>

namespace {
char contexts[64]; // what stands for a context is the address of one of these
char *next_context = contexts;
} // namespace

extern "C" {
int fake_cuda_failed = 0, fake_cuda_depth = 0, fake_cuda_destroyed = 0;

int cuInit(unsigned) {
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int *device, int id) {
  *device = id;
  return 0;
}
int cuCtxCreate_v2(void **context, unsigned, int) {
  *context = next_context++;
  fake_cuda_depth++;
  return 0;
}
int cuCtxDestroy_v2(void *) {
  fake_cuda_destroyed++;
  return 0;
}
int cuCtxPushCurrent_v2(void *) {
  if (fake_cuda_failed) return 719; // CUDA_ERROR_LAUNCH_FAILED
  fake_cuda_depth++;
  return 0;
}
int cuCtxPopCurrent_v2(void **) {
  fake_cuda_depth--;
  return 0;
}
int cuDevicePrimaryCtxGetState(int, unsigned *, int *active) {
  *active = 0;
  return 0;
}
int cuDeviceGetUuid_v2(void *, int) {
  return 0;
}
int cuGetErrorString(int, const char **s) {
  *s = "unspecified launch failure";
  return 0;
}
int cuDeviceGetName(char *name, int size, int) {
  std::snprintf(name, size, "fake");
  return 0;
}
int cuDeviceGetAttribute(int *value, int, int) {
  *value = 1;
  return 0;
}
int cuDriverGetVersion(int *version) {
  *version = 12000;
  return 0;
}
// libgstcuda wants these to be there.
#define NOTHING(name)                                                                                        \
  int name(...) {                                                                                            \
    return 0;                                                                                                \
  }
NOTHING(cuGetErrorName)
NOTHING(cuCtxEnablePeerAccess)
NOTHING(cuCtxDisablePeerAccess)
NOTHING(cuCtxSynchronize)
NOTHING(cuCtxGetLimit)
NOTHING(cuCtxSetLimit)
NOTHING(cuGraphicsMapResources)
NOTHING(cuGraphicsUnmapResources)
NOTHING(cuGraphicsUnregisterResource)
NOTHING(cuMemAlloc_v2)
NOTHING(cuMemAllocPitch_v2)
NOTHING(cuMemAllocHost_v2)
NOTHING(cuMemcpy2D_v2)
NOTHING(cuMemcpy2DAsync_v2)
NOTHING(cuMemcpyDtoD_v2)
NOTHING(cuMemcpyDtoDAsync_v2)
NOTHING(cuMemcpyDtoH_v2)
NOTHING(cuMemcpyDtoHAsync_v2)
NOTHING(cuMemcpyHtoD_v2)
NOTHING(cuMemcpyHtoDAsync_v2)
NOTHING(cuMemsetD2D8_v2)
NOTHING(cuMemsetD2D8Async)
NOTHING(cuMemsetD2D16_v2)
NOTHING(cuMemsetD2D16Async)
NOTHING(cuMemsetD2D32_v2)
NOTHING(cuMemsetD2D32Async)
NOTHING(cuMemFree_v2)
NOTHING(cuMemFreeHost)
NOTHING(cuStreamCreate)
NOTHING(cuStreamDestroy)
NOTHING(cuStreamDestroy_v2)
NOTHING(cuStreamSynchronize)
NOTHING(cuStreamQuery)
NOTHING(cuEventCreate)
NOTHING(cuEventDestroy_v2)
NOTHING(cuEventRecord)
NOTHING(cuEventSynchronize)
NOTHING(cuEventQuery)
NOTHING(cuDeviceCanAccessPeer)
NOTHING(cuDeviceGetUuid)
NOTHING(cuIpcGetEventHandle)
NOTHING(cuIpcOpenEventHandle)
NOTHING(cuIpcGetMemHandle)
NOTHING(cuIpcOpenMemHandle_v2)
NOTHING(cuIpcOpenMemHandle)
NOTHING(cuIpcCloseMemHandle)
NOTHING(cuModuleLoadData)
NOTHING(cuModuleUnload)
NOTHING(cuModuleGetFunction)
NOTHING(cuTexObjectCreate)
NOTHING(cuTexObjectDestroy)
NOTHING(cuLaunchKernel)
NOTHING(cuGraphicsGLRegisterImage)
NOTHING(cuGraphicsGLRegisterBuffer)
NOTHING(cuGLGetDevices_v2)
NOTHING(cuGraphicsResourceSetMapFlags_v2)
NOTHING(cuGraphicsSubResourceGetMappedArray)
NOTHING(cuGraphicsResourceGetMappedPointer_v2)
#undef NOTHING
}
