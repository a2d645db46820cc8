// SPDX-License-Identifier: LGPL-2.1-or-later
// The functions of libcuda that common/cuda/driver.cpp finds, of a driver whose GPU fails when it is said to:
// from then on no context can be made current, as after a failure of a real one. For cuda_teardown.cpp.
extern "C" {
int fake_cuda_failed = 0, fake_cuda_depth = 0;

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
  *context = &fake_cuda_failed;
  fake_cuda_depth++;
  return 0;
}
int cuCtxDestroy_v2(void *) {
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
}
