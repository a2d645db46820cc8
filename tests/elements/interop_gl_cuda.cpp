// SPDX-License-Identifier: LGPL-2.1-or-later
// gst/memory/gl_cuda.h by itself: copies wait for slow work on both sides, also those of many threads that go
// in one batch; textures are registered as long as their memory lives, and in the CUDA context that uses
// them. Exits with 77 (skipped) where there is no CUDA device.
#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "gst/memory/gl_context.h"
#include "gst/memory/gl_cuda.h"
#include "gst/memory/gl_thread.h"
#include "gst/video/gst_ptr.h"
#include "tests/elements/fixture.h"

#include <algorithm>
#include <cuda_runtime_api.h>
#include <functional>
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>
#include <thread>
#include <vector>

namespace vigil::test {
namespace {

using namespace vigil::gst;

// Textures in an OpenGL context of their own.
class Textures {
 public:
  Textures(int width, int height) {
    owner_ = gst_bin_new("owner");
    gst_object_ref_sink(owner_);
    GstCaps *caps = gst_caps_from_string(
        (caps_of("RGBA", width, height, "(memory:GLMemory)") + ", texture-target=(string)2D").c_str());
    fail_unless(gst_video_info_from_caps(&info, caps));
    guint size = 0;
    gl_.emplace(owner_);
    pool_ = gl_->make_pool(caps, 0, size, true);
    fail_unless(pool_ && gst_buffer_pool_set_active(pool_, TRUE), "no OpenGL context");
    gst_caps_unref(caps);
  }
  ~Textures() {
    gst_buffer_pool_set_active(pool_, FALSE);
    gst_object_unref(pool_);
    gl_.reset();
    gst_object_unref(owner_);
  }
  Textures(const Textures &) = delete;
  Textures &operator=(const Textures &) = delete;
  BufferPtr take() {
    GstBuffer *b = nullptr;
    fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool_, &b, nullptr), GST_FLOW_OK);
    return BufferPtr(b);
  }
  GstVideoInfo info;

 private:
  GstElement *owner_;
  std::optional<GlContext> gl_;
  GstBufferPool *pool_ = nullptr;
};

constexpr int width = 320, height = 180;
constexpr std::ptrdiff_t stride = 4 * width + 64;
Image picture_in(const DeviceBuffer &memory) {
  return {PixelFormat::rgba, width, height, {memory.as<std::uint8_t>()}, {stride}};
}

// Whether all bytes of a frame have this value, as the host sees it.
bool is_all(GstBuffer *b, const GstVideoInfo &info, int value) {
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, b, GST_MAP_READ));
  bool same = true;
  for (int y = 0; y < height; y++) {
    const auto *row = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                      y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    same = same && std::all_of(row, row + 4 * width, [&](int v) { return v == value; });
  }
  gst_video_frame_unmap(&frame);
  return same;
}
void fill(GstBuffer *b, const GstVideoInfo &info, int value) {
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, b, GST_MAP_WRITE));
  for (int y = 0; y < height; y++)
    std::fill_n(static_cast<std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                    y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
                4 * width, std::uint8_t(value));
  gst_video_frame_unmap(&frame);
}

// About 20 ms of work on an H200.
class Slow {
 public:
  explicit Slow(Device &device) : device_(device), memory_(device, bytes) {}
  void work(Queue &queue) {
    for (int i = 0; i < 80; i++) device_.fill(memory_.as(), i, bytes, queue);
  }

 private:
  static constexpr std::size_t bytes = std::size_t(1) << 30;
  Device &device_;
  DeviceBuffer memory_;
};

GstGLContext *context_of(const BufferPtr &frame) {
  return GST_GL_BASE_MEMORY_CAST(gst_buffer_peek_memory(frame.get(), 0))->context;
}

// A stream among several of one OpenGL context.
struct Stream {
  Stream(Device &in, Textures &textures)
      : device(in), queue(in.make_queue()), memory(in, std::size_t(stride) * height), frame(textures.take()),
        info(textures.info) {}
  // Whether a picture of this value comes back from OpenGL. The memory changes right behind the copy: a copy
  // that is out of order with the queue's other work gives a wrong picture. Other threads call this, and on
  // them nothing of check may fail: without a fork it would jump into the main thread's stack.
  bool goes_and_returns(int value, Slow *slow) {
    device.fill(memory.as(), 255 - value, memory.bytes(), *queue);
    if (slow) slow->work(*queue);
    device.fill(memory.as(), value, memory.bytes(), *queue);
    if (!copy_to_gl(frame.get(), info, device, picture_in(memory), *queue)) return false;
    device.fill(memory.as(), 0, memory.bytes(), *queue);
    queue->wait();
    return comes_from(frame.get(), value);
  }
  bool comes_from(GstBuffer *texture, int value) {
    if (!copy_from_gl(texture, info, device, picture_in(memory), *queue)) return false;
    host.resize(memory.bytes());
    device.download(host.data(), memory.as(), host.size(), *queue);
    device.fill(memory.as(), 0, memory.bytes(), *queue);
    queue->wait();
    bool same = true;
    for (int y = 0; y < height; y++)
      same = same && std::all_of(host.begin() + y * stride, host.begin() + y * stride + 4 * width,
                                 [&](int v) { return v == value; });
    return same;
  }
  Device &device;
  std::unique_ptr<Queue> queue;
  DeviceBuffer memory;
  BufferPtr frame;
  const GstVideoInfo &info;
  std::vector<std::uint8_t> host;
};

std::vector<std::unique_ptr<Stream>> streams_of(Device &device, Textures &textures, int count) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < count; i++) streams.push_back(std::make_unique<Stream>(device, textures));
  return streams;
}

// Each fn(i) on a thread of its own.
void on_threads(int count, const std::function<void(int)> &fn) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++) threads.emplace_back(fn, i);
  for (std::thread &t : threads) t.join();
}

} // namespace

GST_START_TEST(opengl_runs_on_the_device) {
  const auto device = open_cuda(0);
  Textures textures(8, 8);
  fail_unless(gl_reaches_cuda(textures.take().get(), *device),
              "OpenGL runs elsewhere: nothing here is tested");
}
GST_END_TEST

// OpenGL waits on the GPU, also where nothing waits on the host.
GST_START_TEST(a_slow_cuda_producer_is_waited_for) {
  const bool waited_for = __i__ == 1;
  const auto device = open_cuda(0);
  const auto queue = device->make_queue();
  Textures textures(width, height);
  Slow slow(*device);
  DeviceBuffer memory(*device, std::size_t(stride) * height);
  for (int value = 1; value < 12; value++) {
    const BufferPtr frame = textures.take();
    fill(frame.get(), textures.info, 0);
    const auto timer = device->make_timer();
    timer->start(*queue);
    slow.work(*queue);
    device->fill(memory.as(), value, memory.bytes(), *queue);
    timer->stop(*queue);
    fail_unless(copy_to_gl(frame.get(), textures.info, *device, picture_in(memory), *queue));
    if (waited_for)
      queue->wait();
    else
      fail_unless(is_all(frame.get(), textures.info, value), "OpenGL did not wait for CUDA");
    queue->wait();
    fail_unless(timer->milliseconds() >= 15, "too fast to show a missing wait: %f ms", timer->milliseconds());
    fail_unless(is_all(frame.get(), textures.info, value), "OpenGL sees what was there before");
  }
}
GST_END_TEST

GST_START_TEST(a_slow_cuda_consumer_reads_what_was_there) {
  const auto device = open_cuda(0);
  const auto queue = device->make_queue();
  Textures textures(width, height);
  Slow slow(*device);
  DeviceBuffer memory(*device, std::size_t(stride) * height);
  std::vector<std::uint8_t> host(memory.bytes());
  for (int value = 1; value < 12; value++) {
    const BufferPtr frame = textures.take();
    fill(frame.get(), textures.info, value);
    slow.work(*queue);
    fail_unless(copy_from_gl(frame.get(), textures.info, *device, picture_in(memory), *queue));
    device->download(host.data(), memory.as(), host.size(), *queue);
    queue->wait();
    for (int y = 0; y < height; y++)
      fail_unless(std::all_of(host.begin() + y * stride, host.begin() + y * stride + 4 * width,
                              [&](int v) { return v == value; }),
                  "row %d is not what OpenGL has", y);
  }
}
GST_END_TEST

GST_START_TEST(two_cuda_contexts_take_turns) {
  const auto a = open_cuda(0), b = open_cuda(0);
  Textures textures(width, height);
  const BufferPtr frame = textures.take();
  for (int i = 0; i < 6; i++) {
    Device &device = i % 2 ? *a : *b;
    const auto queue = device.make_queue();
    DeviceBuffer memory(device, std::size_t(stride) * height);
    device.fill(memory.as(), 10 + i, memory.bytes(), *queue);
    fail_unless(copy_to_gl(frame.get(), textures.info, device, picture_in(memory), *queue));
    queue->wait();
    fail_unless(is_all(frame.get(), textures.info, 10 + i));
  }
}
GST_END_TEST

// Registered textures outlive the device that they were registered with, and leave nothing behind.
GST_START_TEST(registrations_go_with_the_memory) {
  const auto watch = open_cuda(0);
  const auto free_bytes = [&] {
    const CudaScope scope = device_cast<CudaDevice>(*watch).enter();
    std::size_t left = 0, all = 0;
    cuda_check(cudaMemGetInfo(&left, &all), "cudaMemGetInfo");
    return left;
  };
  std::size_t before = 0;
  for (int i = 0; i < 20; i++) {
    if (i == 5) before = free_bytes();
    Textures textures(width, height);
    BufferPtr frames[4];
    for (BufferPtr &f : frames) f = textures.take();
    {
      const auto device = open_cuda(0);
      const auto queue = device->make_queue();
      DeviceBuffer memory(*device, std::size_t(stride) * height);
      for (BufferPtr &f : frames)
        fail_unless(copy_from_gl(f.get(), textures.info, *device, picture_in(memory), *queue));
      queue->wait();
    }
    for (BufferPtr &f : frames) f.reset();
  }
  const std::size_t after = free_bytes();
  fail_unless(after + (std::size_t(64) << 20) > before, "%ld MB of the GPU's memory are gone",
              long((before - after) >> 20));
  fail_if(cuda_primary_context_active(0), "something made the device's primary context");
}
GST_END_TEST

GST_START_TEST(wrong_frames_are_refused) {
  const auto device = open_cuda(0);
  const auto queue = device->make_queue();
  Textures small(8, 8), textures(width, height);
  DeviceBuffer memory(*device, std::size_t(stride) * height);
  const BufferPtr frame = small.take();
  const BufferPtr plain(gst_buffer_new_allocate(nullptr, gsize(4 * width * height), nullptr));
  for (GstBuffer *b : {frame.get(), plain.get()}) {
    bool refused = false;
    try {
      copy_from_gl(b, textures.info, *device, picture_in(memory), *queue);
    } catch (const Error &e) {
      refused = e.kind() == Error::Kind::bad_data;
    }
    fail_unless(refused);
  }
}
GST_END_TEST

// Eight streams, of two CUDA contexts, one of each slow; their hand-overs go in batches.
GST_START_TEST(many_threads_at_once) {
  const std::unique_ptr<Device> devices[] = {open_cuda(0), open_cuda(0)};
  Textures textures(width, height);
  constexpr int count = 8, rounds = 30;
  std::optional<Slow> slow[2];
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < count; i++) streams.push_back(std::make_unique<Stream>(*devices[i / 2 % 2], textures));
  for (int i = 0; i < 2; i++) slow[i].emplace(*devices[i]);
  int wrong[count] = {};
  on_threads(count, [&](int i) {
    for (int n = 0; n < rounds; n++)
      if (!streams[i]->goes_and_returns(1 + i * rounds + n, i % 2 == 0 && i < 4 ? &*slow[i / 2] : nullptr))
        wrong[i]++;
  });
  for (int i = 0; i < count; i++) fail_unless_equals_int(wrong[i], 0);
}
GST_END_TEST

GST_START_TEST(many_threads_read_one_frame) {
  const auto device = open_cuda(0);
  Textures textures(width, height);
  constexpr int count = 6;
  const auto streams = streams_of(*device, textures, count);
  for (int value = 1; value < 40; value++) {
    fill(streams[0]->frame.get(), textures.info, value);
    bool right[count] = {};
    on_threads(count, [&](int i) { right[i] = streams[i]->comes_from(streams[0]->frame.get(), value); });
    for (const bool r : right) fail_unless(r, "not all see the frame as it is");
  }
}
GST_END_TEST

// One of the threads is that of the OpenGL context, for which the others wait.
GST_START_TEST(the_opengl_thread_hands_over_too) {
  const auto device = open_cuda(0);
  Textures textures(width, height);
  constexpr int count = 4;
  const auto streams = streams_of(*device, textures, count);
  int wrong[count] = {};
  on_threads(count, [&](int i) {
    for (int n = 1; n < 60; n++) {
      bool right = false;
      const auto go = [&] { right = streams[i]->goes_and_returns(n, nullptr); };
      if (i == 0)
        on_thread_of(context_of(streams[i]->frame), go);
      else
        go();
      if (!right) wrong[i]++;
    }
  });
  for (const int w : wrong) fail_unless_equals_int(w, 0);
}
GST_END_TEST

// A texture that is gone cannot be registered.
GST_START_TEST(a_frame_that_fails_fails_alone) {
  const auto device = open_cuda(0);
  Textures textures(width, height);
  constexpr int count = 5;
  const auto streams = streams_of(*device, textures, count);
  GstGLContext *context = context_of(streams[0]->frame);
  on_thread_of(context, [&] {
    const guint id =
        gst_gl_memory_get_texture_id(GST_GL_MEMORY_CAST(gst_buffer_peek_memory(streams[0]->frame.get(), 0)));
    context->gl_vtable->DeleteTextures(1, &id);
  });
  int wrong[count] = {};
  on_threads(count, [&](int i) {
    for (int n = 1; n < 40; n++) {
      bool failed = false;
      try {
        if (!streams[i]->goes_and_returns(n, nullptr)) wrong[i]++;
      } catch (const Error &e) {
        failed = e.kind() == Error::Kind::device;
        streams[i]->queue->wait();
      }
      if (failed != (i == 0)) wrong[i]++;
    }
  });
  for (const int w : wrong) fail_unless_equals_int(w, 0);
}
GST_END_TEST

static int main(int argc, char **argv) {
  if (skipped_without_cuda("OpenGL textures in CUDA")) return 77;
  Suite *suite = suite_create("interop-gl-cuda");
  TCase *tests = tcase_create("textures");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, opengl_runs_on_the_device);
  tcase_add_loop_test(tests, a_slow_cuda_producer_is_waited_for, 0, 2);
  tcase_add_test(tests, a_slow_cuda_consumer_reads_what_was_there);
  tcase_add_test(tests, two_cuda_contexts_take_turns);
  tcase_add_test(tests, many_threads_at_once);
  tcase_add_test(tests, many_threads_read_one_frame);
  tcase_add_test(tests, the_opengl_thread_hands_over_too);
  tcase_add_test(tests, a_frame_that_fails_fails_alone);
  tcase_add_test(tests, registrations_go_with_the_memory);
  tcase_add_test(tests, wrong_frames_are_refused);
  return run(suite, argc, argv);
}

} // namespace vigil::test

int main(int argc, char **argv) {
  return vigil::test::main(argc, argv);
}
