// SPDX-License-Identifier: LGPL-2.1-or-later
// How many pictures 1, 2, 4 and 8 threads hand over between CUDA and OpenGL when they share one OpenGL
// context and one CUDA context, as the elements of as many streams do: gst/memory/gl_cuda.h by itself.
//
//   bench-handover [SECONDS]
//
// Each thread has a queue, a picture of 1080p RGBA in CUDA memory and four textures, and does without end: a
// fill of the picture, a copy to the next texture (or from it), a wait for the queue. Shown are hand-overs
// per second of all threads together and the time of one as its thread sees it, median and 90 %.
#include "common/cuda/device.h"
#include "common/error.h"
#include "common/plane.h"
#include "gst/memory/gl_context.h"
#include "gst/memory/gl_cuda.h"
#include "gst/video/gst_ptr.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <gst/gst.h>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace vigil;
using namespace vigil::gst;
using Clock = std::chrono::steady_clock;

constexpr int width = 1920, height = 1080, textures_each = 4;
constexpr std::ptrdiff_t stride = 4 * width;

enum class Way { to, from };
struct Row {
  Way way;
  const char *name;
};
constexpr Row rows[] = {{Way::to, "to textures"}, {Way::from, "from textures"}};

// Textures of one OpenGL context.
class Pool {
 public:
  Pool() {
    gst_object_ref_sink(owner_);
    GstCaps *caps = gst_caps_from_string(
        ("video/x-raw(memory:GLMemory),format=RGBA,width=" + std::to_string(width) +
         ",height=" + std::to_string(height) + ",framerate=25/1,texture-target=(string)2D")
            .c_str());
    gst_video_info_from_caps(&info, caps);
    guint size = 0;
    pool_ = gl_.make_pool(caps, 0, size, true);
    gst_caps_unref(caps);
    if (!pool_ || !gst_buffer_pool_set_active(pool_, TRUE)) fail(Error::Kind::device, "no OpenGL context");
  }
  ~Pool() {
    if (pool_) gst_buffer_pool_set_active(pool_, FALSE);
    gst_clear_object(&pool_);
    gl_.close();
    gst_object_unref(owner_);
  }
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;
  BufferPtr take() {
    GstBuffer *b = nullptr;
    if (gst_buffer_pool_acquire_buffer(pool_, &b, nullptr) != GST_FLOW_OK)
      fail(Error::Kind::no_memory, "OpenGL has no texture left");
    return BufferPtr(b);
  }
  GstVideoInfo info;

 private:
  GstElement *owner_ = gst_bin_new("owner");
  GlContext gl_{owner_};
  GstBufferPool *pool_ = nullptr;
};

struct Stream {
  Stream(Device &device, Pool &pool)
      : queue(device.make_queue()), memory(device, std::size_t(stride) * height) {
    for (BufferPtr &t : textures) t = pool.take();
  }
  void step(Device &device, const GstVideoInfo &info, Way way) {
    GstBuffer *texture = textures[next++ % textures_each].get();
    const Image picture{PixelFormat::rgba, width, height, {memory.as<std::uint8_t>()}, {stride}};
    device.fill(memory.as(), int(next), memory.bytes(), *queue);
    const bool reached = way == Way::from ? copy_from_gl(texture, info, device, picture, *queue)
                                          : copy_to_gl(texture, info, device, picture, *queue);
    if (!reached) fail(Error::Kind::device, "OpenGL runs elsewhere than on the CUDA device");
    queue->wait();
  }
  std::unique_ptr<Queue> queue;
  DeviceBuffer memory;
  BufferPtr textures[textures_each];
  std::size_t next = 0;
  std::vector<double> microseconds;
};

void measure(Device &device, Pool &pool, const Row &row, int count, double seconds) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < count; i++) streams.push_back(std::make_unique<Stream>(device, pool));
  std::atomic<bool> counts = false, ends = false;
  std::barrier ready(count + 1);
  std::vector<std::thread> threads;
  for (auto &s : streams)
    threads.emplace_back([&, stream = s.get()] {
      try {
        for (int i = 0; i < 2 * textures_each; i++) stream->step(device, pool.info, row.way);
        ready.arrive_and_wait();
        while (!ends) {
          const auto before = Clock::now();
          stream->step(device, pool.info, row.way);
          if (counts)
            stream->microseconds.push_back(
                std::chrono::duration<double, std::micro>(Clock::now() - before).count());
        }
      } catch (const Error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::exit(1);
      }
    });
  ready.arrive_and_wait();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 4));
  const auto begin = Clock::now();
  counts = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  counts = false;
  const double took = std::chrono::duration<double>(Clock::now() - begin).count();
  ends = true;
  for (std::thread &t : threads) t.join();
  std::vector<double> all;
  for (auto &s : streams) all.insert(all.end(), s->microseconds.begin(), s->microseconds.end());
  if (all.empty()) fail(Error::Kind::device, "no picture was handed over in ", seconds, " s");
  std::sort(all.begin(), all.end());
  std::printf("| %s | %d | %.0f | %.0f | %.0f |\n", row.name, count, double(all.size()) / took,
              all[all.size() / 2], all[all.size() * 9 / 10]);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  if (seconds <= 0) {
    std::fprintf(stderr, "usage: bench-handover [SECONDS]\n");
    return 1;
  }
  try {
    const auto device = open_cuda(0);
    Pool pool;
    std::printf(
        "| 1080p RGBA | threads | hand-overs/s | median us | 90 %% |\n| --- | --- | --- | --- | --- |\n");
    for (const Row &row : rows)
      for (const int count : {1, 2, 4, 8}) measure(*device, pool, row, count, seconds);
  } catch (const Error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
