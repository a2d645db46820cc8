// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/interop/opencl_gl.h"

#include "common/error.h"
#include "common/gl/texture.h"
#include "common/opencl/device.h"

#include <CL/cl_gl.h>
#include <cstdint>
#include <vector>

namespace vigil {
namespace {

constexpr const char *sharing_extension = "cl_khr_gl_sharing";

std::vector<cl_context_properties> properties_for(const ClDevice &cl, const EglNames &egl) {
  return {CL_CONTEXT_PLATFORM,
          reinterpret_cast<cl_context_properties>(cl.candidate().platform),
          CL_GL_CONTEXT_KHR,
          reinterpret_cast<cl_context_properties>(egl.context),
          CL_EGL_DISPLAY_KHR,
          reinterpret_cast<cl_context_properties>(egl.display),
          0};
}

// OpenGL must run on this device, too.
void check_device(const ClDevice &cl, const std::vector<cl_context_properties> &properties) {
  const auto info = reinterpret_cast<clGetGLContextInfoKHR_fn>(
      clGetExtensionFunctionAddressForPlatform(cl.candidate().platform, "clGetGLContextInfoKHR"));
  if (!info) fail(Error::Kind::device, "the OpenCL driver has no clGetGLContextInfoKHR");
  cl_device_id id = nullptr;
  cl_check(info(properties.data(), CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof id, static_cast<void *>(&id),
                nullptr),
           "asking which device OpenGL runs on");
  if (id != cl.id())
    fail(Error::Kind::device, "OpenGL does not run on the OpenCL device \"", cl.device_name(), "\"");
}

// What one writes is what the other reads.
void try_it(ClDevice &cl, GlDevice &gl) {
  constexpr int width = 20, height = 12;
  std::vector<std::uint8_t> drawn(std::size_t(4 * width * height)), made(drawn.size()), read(drawn.size());
  for (std::size_t i = 0; i < drawn.size(); i++) {
    drawn[i] = std::uint8_t(i * 37 + i / 256);
    made[i] = std::uint8_t(i * 91 + 5);
  }
  const GlTexture texture(gl, GL_RGBA8, width, height);
  texture.write(drawn.data());
  gl.gl.Finish();
  const ClGlTexture shared(cl, texture.id());
  const DeviceBuffer memory(cl, drawn.size());
  ClQueue queue(cl);
  shared.copy_to(memory.as(), width, height, queue);
  cl.download(read.data(), memory.as(), read.size(), queue);
  queue.wait();
  if (read != drawn) fail(Error::Kind::device, "OpenCL does not see what OpenGL drew into a texture");
  cl.upload(memory.as(), made.data(), made.size(), queue);
  shared.copy_from(memory.as(), width, height, queue);
  queue.wait();
  if (texture.read_bytes() != made)
    fail(Error::Kind::device, "OpenGL does not see what OpenCL wrote into a texture");
}

} // namespace

bool may_share_textures(const ClDevice &cl) {
  return cl.has_extension(sharing_extension);
}

std::unique_ptr<ClDevice> open_beside_gl(const ClDevice &cl, GlDevice &gl) {
  if (!may_share_textures(cl)) fail(Error::Kind::device, "the OpenCL driver has no ", sharing_extension);
  const EglNames egl = current_egl();
  if (!egl.context)
    fail(Error::Kind::device,
         "OpenGL's context is not one of EGL (GST_GL_PLATFORM=egl makes GStreamer use it)");
  const auto properties = properties_for(cl, egl);
  check_device(cl, properties);
  const cl_device_id id = cl.id();
  cl_int code = CL_SUCCESS;
  const ClContextHandle context(clCreateContext(properties.data(), 1, &id, nullptr, nullptr, &code));
  cl_check(code, "making an OpenCL context that shares OpenGL's objects");
  auto device = std::make_unique<ClDevice>(cl.candidate(), context.get());
  try_it(*device, gl);
  return device;
}

ClGlTexture::ClGlTexture(ClDevice &device, unsigned texture) : device_(device), texture_(texture) {
  cl_int code = CL_SUCCESS;
  image_ = ClMemHandle(
      clCreateFromGLTexture(device.context(), CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0, texture, &code));
  cl_check(code, "sharing a texture of OpenGL with OpenCL");
}

template <class Enqueue>
void ClGlTexture::while_ours(ClQueue &queue, Enqueue enqueue) const {
  const cl_mem image = image_.get();
  queue.submit("acquiring a texture of OpenGL",
               [&](cl_event *e) { return clEnqueueAcquireGLObjects(queue.get(), 1, &image, 0, nullptr, e); });
  queue.submit("copying a texture of OpenGL", [&](cl_event *e) { return enqueue(image, e); });
  queue.submit("giving a texture back to OpenGL",
               [&](cl_event *e) { return clEnqueueReleaseGLObjects(queue.get(), 1, &image, 0, nullptr, e); });
}
void ClGlTexture::copy_to(void *memory, int width, int height, ClQueue &queue) const {
  const ClRange to = device_.range_of(memory);
  const std::size_t origin[] = {0, 0, 0}, region[] = {std::size_t(width), std::size_t(height), 1};
  while_ours(queue, [&](cl_mem image, cl_event *e) {
    return clEnqueueCopyImageToBuffer(queue.get(), image, to.memory, origin, region, to.offset, 0, nullptr,
                                      e);
  });
}
void ClGlTexture::copy_from(const void *memory, int width, int height, ClQueue &queue) const {
  const ClRange from = device_.range_of(memory);
  const std::size_t origin[] = {0, 0, 0}, region[] = {std::size_t(width), std::size_t(height), 1};
  while_ours(queue, [&](cl_mem image, cl_event *e) {
    return clEnqueueCopyBufferToImage(queue.get(), from.memory, image, from.offset, origin, region, 0,
                                      nullptr, e);
  });
}

} // namespace vigil
