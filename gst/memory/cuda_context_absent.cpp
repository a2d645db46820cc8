// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda.cpp in builds without CUDA.
#include "gst/memory/cuda_context.h"

#include "common/error.h"

namespace vigil::gst {

void CudaContext::offered(GstElement *, GstContext *, int) {}
bool CudaContext::answer(GstElement *, GstQuery *) {
  return false;
}
std::unique_ptr<Device> CudaContext::open(GstElement *, int id) {
  return open_cuda(id); // throws, and says what is missing
}
void CudaContext::close() {}
bool CudaContext::owns(GstBuffer *) {
  return false;
}
bool CudaContext::could_adopt(GstBuffer *, int) {
  return false;
}
std::unique_ptr<Device> CudaContext::adopt(GstBuffer *) {
  fail(Error::Kind::no_device, "this build has no CUDA");
}
GstBufferPool *CudaContext::make_pool(GstCaps *, guint, guint &) {
  return nullptr;
}
bool CudaContext::owns(GstBufferPool *) {
  return false;
}

GstMapFlags cuda_map_flag() {
  return static_cast<GstMapFlags>(0);
}
bool is_cuda_memory(GstBuffer *) {
  return false;
}
void after_work_with(GstBuffer *, Device &, Queue &, Event &) {}

} // namespace vigil::gst
