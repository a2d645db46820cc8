// SPDX-License-Identifier: LGPL-2.1-or-later
// A layer between the OpenCL loader and a driver (OPENCL_LAYERS) that gives the driver cl_khr_gl_sharing, by
// copies through the host, so that what uses it can be run where no driver has it. It does no more than the
// specification promises: an image holds the texture's picture only between acquire and release, of OpenGL's
// work it sees what was finished, and what OpenCL wrote is in the texture 20 ms late, when the queue got past
// the release. VIGIL_GL_SHARING says how it fails: "refused" (no context), "not-here" (OpenGL is on another
// device), "stale" (what OpenGL drew is not seen), "lost" (what OpenCL wrote is not).
#include "tests/opencl_layer.h"

#include "common/gl/functions.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using vigil::test::layer::below;

bool fails(const char *how) {
  const char *wanted = std::getenv("VIGIL_GL_SHARING");
  return wanted && std::strcmp(wanted, how) == 0;
}

template <class F>
F *egl(const char *name) {
  static void *const library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
  static const auto get = reinterpret_cast<decltype(&eglGetProcAddress)>(dlsym(library, "eglGetProcAddress"));
  void *known = dlsym(library, name);
  return reinterpret_cast<F *>(known ? known : reinterpret_cast<void *>(get(name)));
}
#define EGL(name) egl<decltype(name)>(#name)

std::mutex mutex; // guards all that follows, and the OpenGL contexts

// A context of our own that shares the textures of somebody else's.
struct SideStream {
  EGLDisplay display;
  EGLContext context;
  vigil::GlFunctions gl;

  SideStream(EGLDisplay d, EGLContext other) : display(d) {
    EGLint type = 0, before = EGLint(EGL(eglQueryAPI)());
    EGL(eglQueryContext)(d, other, EGL_CONTEXT_CLIENT_TYPE, &type);
    EGL(eglBindAPI)(EGLenum(type));
    const EGLint desktop[] = {EGL_CONTEXT_MAJOR_VERSION,
                              3,
                              EGL_CONTEXT_MINOR_VERSION,
                              3,
                              EGL_CONTEXT_OPENGL_PROFILE_MASK,
                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                              EGL_NONE},
                 es[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    context = EGL(eglCreateContext)(d, EGL_NO_CONFIG_KHR, other, type == EGL_OPENGL_ES_API ? es : desktop);
    EGL(eglBindAPI)(EGLenum(before));
    api_ = EGLenum(type);
    if (context) with([&] { gl = vigil::load_gl([](const char *name) { return egl<void>(name); }); });
  }
  ~SideStream() {
    if (context) EGL(eglDestroyContext)(display, context);
  }
  SideStream(const SideStream &) = delete;
  SideStream &operator=(const SideStream &) = delete;
  // With the context current on this thread.
  template <class Fn>
  void with(Fn fn) {
    const EGLDisplay display_before = EGL(eglGetCurrentDisplay)();
    const EGLContext context_before = EGL(eglGetCurrentContext)();
    const EGLSurface draw = EGL(eglGetCurrentSurface)(EGL_DRAW), read = EGL(eglGetCurrentSurface)(EGL_READ);
    const EGLenum before = EGL(eglQueryAPI)();
    EGL(eglBindAPI)(api_);
    EGL(eglMakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
    fn();
    if (context_before)
      EGL(eglMakeCurrent)(display_before, draw, read, context_before);
    else
      EGL(eglMakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    EGL(eglBindAPI)(before);
  }

 private:
  EGLenum api_ = 0;
};
struct Image {
  std::shared_ptr<SideStream> side;
  GLuint texture;
  std::size_t width, height;
  bool acquired = false;
};
std::map<cl_context, std::shared_ptr<SideStream>> contexts;
std::map<cl_mem, Image> images;
std::vector<std::future<void>> writers; // their destructors wait

std::size_t bytes_of(const Image &i) {
  return 4 * i.width * i.height;
}
std::vector<unsigned char> read(const Image &i) {
  std::vector<unsigned char> pixels(bytes_of(i));
  i.side->with([&] {
    const vigil::GlFunctions &gl = i.side->gl;
    GLuint target = 0;
    gl.GenFramebuffers(1, &target);
    gl.BindFramebuffer(GL_FRAMEBUFFER, target);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, i.texture, 0);
    gl.ReadPixels(0, 0, GLsizei(i.width), GLsizei(i.height), GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    gl.DeleteFramebuffers(1, &target);
  });
  return pixels;
}
void write(const Image &i, const std::vector<unsigned char> &pixels) {
  i.side->with([&] {
    const vigil::GlFunctions &gl = i.side->gl;
    gl.BindTexture(GL_TEXTURE_2D, i.texture);
    gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, GLsizei(i.width), GLsizei(i.height), GL_RGBA, GL_UNSIGNED_BYTE,
                     pixels.data());
    gl.Finish();
  });
}

// What the driver would say, and this extension.
cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void *value,
                               size_t *needed) {
  if (what != CL_DEVICE_EXTENSIONS) return below.clGetDeviceInfo(device, what, size, value, needed);
  size_t length = 0;
  below.clGetDeviceInfo(device, what, 0, nullptr, &length);
  std::string all(length, '\0');
  below.clGetDeviceInfo(device, what, length, all.data(), nullptr);
  all = std::string(all.c_str()) + " cl_khr_gl_sharing";
  if (needed) *needed = all.size() + 1;
  if (value && size < all.size() + 1) return CL_INVALID_VALUE;
  if (value) std::memcpy(value, all.c_str(), all.size() + 1);
  return CL_SUCCESS;
}

cl_int CL_API_CALL gl_context_info(const cl_context_properties *properties, cl_gl_context_info what,
                                   size_t size, void *value, size_t *) {
  if (what != CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR || size < sizeof(cl_device_id)) return CL_INVALID_VALUE;
  cl_device_id device = nullptr;
  for (const auto *p = properties; *p && !fails("not-here"); p += 2)
    if (*p == CL_CONTEXT_PLATFORM)
      below.clGetDeviceIDs(reinterpret_cast<cl_platform_id>(p[1]), CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  std::memcpy(value, static_cast<void *>(&device), sizeof device);
  return CL_SUCCESS;
}
void *CL_API_CALL extension_function(cl_platform_id platform, const char *name) {
  if (std::strcmp(name, "clGetGLContextInfoKHR") == 0) return reinterpret_cast<void *>(gl_context_info);
  return below.clGetExtensionFunctionAddressForPlatform(platform, name);
}

cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint count,
                                      const cl_device_id *devices,
                                      void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                      void *user, cl_int *code) {
  std::vector<cl_context_properties> rest;
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  for (const auto *p = properties; p && *p; p += 2) {
    if (*p == CL_GL_CONTEXT_KHR)
      context = reinterpret_cast<EGLContext>(p[1]);
    else if (*p == CL_EGL_DISPLAY_KHR)
      display = reinterpret_cast<EGLDisplay>(p[1]);
    else
      rest.insert(rest.end(), p, p + 2);
  }
  rest.push_back(0);
  std::shared_ptr<SideStream> side;
  const std::lock_guard lock(mutex);
  if (context) {
    if (!fails("refused")) side = std::make_shared<SideStream>(display, context);
    if (!side || !side->context) {
      if (code) *code = CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
      return nullptr;
    }
  }
  const cl_context made = below.clCreateContext(rest.data(), count, devices, notify, user, code);
  contexts.erase(made);
  if (made && side) contexts[made] = side;
  return made;
}

// Whether it goes with the next release.
template <class Object, class Ask>
bool is_last(Object object, Ask ask, cl_uint count) {
  cl_uint owners = 0;
  ask(object, count, sizeof owners, &owners, nullptr);
  return owners == 1;
}

cl_int CL_API_CALL release_context(cl_context context) {
  const std::lock_guard lock(mutex);
  if (is_last(context, below.clGetContextInfo, CL_CONTEXT_REFERENCE_COUNT)) contexts.erase(context);
  return below.clReleaseContext(context);
}

cl_mem CL_API_CALL from_texture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
                                cl_GLuint texture, cl_int *code) {
  const std::lock_guard lock(mutex);
  const auto side = contexts.find(context);
  cl_int result = CL_INVALID_CONTEXT;
  cl_mem image = nullptr;
  GLint width = 0, height = 0;
  if (side != contexts.end() && target == GL_TEXTURE_2D && level == 0) {
    side->second->with([&] {
      side->second->gl.BindTexture(GL_TEXTURE_2D, texture);
      const auto parameter = egl<void(GLenum, GLint, GLenum, GLint *)>("glGetTexLevelParameteriv");
      parameter(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
      parameter(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, &height);
    });
    const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
    result = CL_INVALID_GL_OBJECT;
    if (width > 0)
      image =
          below.clCreateImage2D(context, flags, &format, size_t(width), size_t(height), 0, nullptr, &result);
  }
  if (image) images[image] = {side->second, texture, std::size_t(width), std::size_t(height), false};
  if (code) *code = result;
  return image;
}
cl_int CL_API_CALL release_memory(cl_mem memory) {
  const std::lock_guard lock(mutex);
  if (is_last(memory, below.clGetMemObjectInfo, CL_MEM_REFERENCE_COUNT)) images.erase(memory);
  return below.clReleaseMemObject(memory);
}

constexpr size_t origin[] = {0, 0, 0};

cl_int CL_API_CALL acquire(cl_command_queue queue, cl_uint count, const cl_mem *objects, cl_uint waits,
                           const cl_event *wait, cl_event *event) {
  if (waits) below.clWaitForEvents(waits, wait);
  below.clFinish(queue);
  for (cl_uint n = 0; n < count; n++) {
    const std::lock_guard lock(mutex);
    const auto found = images.find(objects[n]);
    if (found == images.end() || found->second.acquired) return CL_INVALID_GL_OBJECT;
    Image &i = found->second;
    i.acquired = true;
    std::vector<unsigned char> pixels = read(i);
    if (fails("stale")) pixels.assign(pixels.size(), 0);
    const size_t region[] = {i.width, i.height, 1};
    below.clEnqueueWriteImage(queue, objects[n], CL_TRUE, origin, region, 0, 0, pixels.data(), 0, nullptr,
                              nullptr);
  }
  return event ? below.clEnqueueMarkerWithWaitList(queue, 0, nullptr, event) : CL_SUCCESS;
}

// The texture gets the picture by and by; what comes after in the queue waits for it.
cl_int CL_API_CALL release(cl_command_queue queue, cl_uint count, const cl_mem *objects, cl_uint waits,
                           const cl_event *wait, cl_event *event) {
  cl_context context = nullptr;
  below.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), static_cast<void *>(&context),
                              nullptr);
  std::vector<cl_event> written;
  for (cl_uint n = 0; n < count; n++) {
    const std::lock_guard lock(mutex);
    const auto found = images.find(objects[n]);
    if (found == images.end() || !found->second.acquired) return CL_INVALID_GL_OBJECT;
    found->second.acquired = false;
    Image i = found->second;
    const size_t region[] = {i.width, i.height, 1};
    const auto pixels = std::make_shared<std::vector<unsigned char>>(bytes_of(i));
    cl_event was_read = nullptr;
    below.clEnqueueReadImage(queue, objects[n], CL_FALSE, origin, region, 0, 0, pixels->data(), waits, wait,
                             &was_read);
    below.clFlush(queue);
    const cl_event done = below.clCreateUserEvent(context, nullptr);
    below.clRetainEvent(done);
    written.push_back(done);
    std::erase_if(writers, [](const std::future<void> &w) {
      return w.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    writers.push_back(std::async(std::launch::async, [=]() mutable {
      below.clWaitForEvents(1, &was_read);
      below.clReleaseEvent(was_read);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (!fails("lost")) {
        const std::lock_guard writing(mutex);
        write(i, *pixels);
      }
      i.side.reset(); // its display may go as soon as the queue goes on
      below.clSetUserEventStatus(done, CL_COMPLETE);
      below.clReleaseEvent(done);
    }));
  }
  const cl_int code =
      below.clEnqueueBarrierWithWaitList(queue, cl_uint(written.size()), written.data(), event);
  for (const cl_event e : written) below.clReleaseEvent(e);
  return code;
}

// Images may be used while they are acquired, and no longer.
bool out_of_reach(cl_mem image) {
  const std::lock_guard lock(mutex);
  const auto found = images.find(image);
  return found != images.end() && !found->second.acquired;
}
cl_int CL_API_CALL image_to_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t *from,
                                   const size_t *region, size_t offset, cl_uint waits, const cl_event *wait,
                                   cl_event *event) {
  if (out_of_reach(image)) return CL_INVALID_GL_OBJECT;
  return below.clEnqueueCopyImageToBuffer(queue, image, buffer, from, region, offset, waits, wait, event);
}
cl_int CL_API_CALL buffer_to_image(cl_command_queue queue, cl_mem buffer, cl_mem image, size_t offset,
                                   const size_t *to, const size_t *region, cl_uint waits,
                                   const cl_event *wait, cl_event *event) {
  if (out_of_reach(image)) return CL_INVALID_GL_OBJECT;
  return below.clEnqueueCopyBufferToImage(queue, buffer, image, offset, to, region, waits, wait, event);
}

} // namespace

void vigil::test::layer::take_over() {
  ours.clGetDeviceInfo = device_info;
  ours.clGetExtensionFunctionAddressForPlatform = extension_function;
  ours.clCreateContext = create_context;
  ours.clReleaseContext = release_context;
  ours.clCreateFromGLTexture = from_texture;
  ours.clReleaseMemObject = release_memory;
  ours.clEnqueueAcquireGLObjects = acquire;
  ours.clEnqueueReleaseGLObjects = release;
  ours.clEnqueueCopyImageToBuffer = image_to_buffer;
  ours.clEnqueueCopyBufferToImage = buffer_to_image;
}
