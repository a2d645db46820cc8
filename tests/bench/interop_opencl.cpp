// SPDX-License-Identifier: LGPL-2.1-or-later
// What it costs to bring frames in CUDA memory to an OpenCL element and back:
//
//   bench-interop-opencl [ELEMENT [WIDTH HEIGHT [FRAMES]]]
//
// Frames from a pool go through the element one after the other, each finished before the next. Shown are
// medians of microseconds: of a frame from push to pull, of the kernels by the device's clock, and of what is
// over; and the bytes that were copied between host and device.
#include "common/cuda/driver.h"
#include "common/error.h"
#include "gst/compat.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <gst/check/gstharness.h>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
  return v[v.size() / 2];
}

struct Frames {
  GstCudaContext *context = gst_cuda_context_new(0);
  GstBufferPool *pool = gst_cuda_buffer_pool_new(context);
  std::vector<GstBuffer *> all;

  Frames(GstCaps *caps, int count) {
    GstVideoInfo info;
    gst_video_info_from_caps(&info, caps);
    GstStructure *config = gst_buffer_pool_get_config(pool);
    gst_buffer_pool_config_set_params(config, caps, guint(GST_VIDEO_INFO_SIZE(&info)), 0, 0);
    gst_buffer_pool_set_config(pool, config);
    gst_buffer_pool_set_active(pool, TRUE);
    for (int n = 0; n < count; n++) {
      GstBuffer *b = nullptr;
      if (gst_buffer_pool_acquire_buffer(pool, &b, nullptr) != GST_FLOW_OK) std::abort();
      GstVideoFrame f;
      if (!gst_video_frame_map(&f, &info, b, GST_MAP_WRITE)) std::abort();
      for (int p = 0; p < int(GST_VIDEO_FRAME_N_PLANES(&f)); p++) {
        auto *data = static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&f, p));
        const int stride = GST_VIDEO_FRAME_PLANE_STRIDE(&f, p);
        for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&f, p); y++)
          for (int x = 0; x < stride; x++)
            data[y * stride + x] = guint8(x / 9 + y / 7 + 31 * n + rand() % 16);
      }
      gst_video_frame_unmap(&f);
      GstMapInfo map; // to the device
      gst_buffer_map(b, &map, GstMapFlags(GST_MAP_READ | GST_MAP_CUDA));
      gst_buffer_unmap(b, &map);
      all.push_back(b);
    }
  }
  ~Frames() {
    for (GstBuffer *b : all) gst_buffer_unref(b);
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
    gst_object_unref(context);
  }
};

double number(GstElement *e, const char *field) {
  GstStructure *s = nullptr;
  g_object_get(e, "stats", &s, nullptr);
  double d = 0;
  guint64 u = 0;
  if (!gst_structure_get_double(s, field, &d) && gst_structure_get_uint64(s, field, &u)) d = double(u);
  gst_structure_free(s);
  return d;
}

void measure(const std::string &element, const char *format, int width, int height, int count) {
  GstElement *e = gst_parse_launch(element.c_str(), nullptr);
  if (!e) return;
  gst_object_ref_sink(e);
  GstCaps *caps = gst_caps_from_string(("video/x-raw(memory:CUDAMemory), format=" + std::string(format) +
                                        ", width=" + std::to_string(width) +
                                        ", height=" + std::to_string(height) + ", framerate=30/1")
                                           .c_str());
  {
    Frames frames(caps, 8);
    GstContext *context = gst_context_new_cuda_context(frames.context);
    gst_element_set_context(e, context);
    gst_context_unref(context);
    GstHarness *h = gst_harness_new_with_element(e, "sink", "src");
    gst_harness_set_src_caps(h, gst_caps_ref(caps));
    std::vector<double> whole, kernels, over;
    for (int n = 0; n < count + 20; n++) {
      GstBuffer *b = gst_buffer_ref(frames.all[std::size_t(n) % frames.all.size()]);
      const auto begin = Clock::now();
      const bool good = gst_harness_push(h, b) == GST_FLOW_OK;
      GstBuffer *out = gst_harness_try_pull(h);
      const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      if (!good || !out) {
        std::printf("%s: no frame came out\n", element.c_str());
        std::exit(1);
      }
      gst_buffer_unref(out);
      if (n < 20) continue; // until kernels are compiled and pools filled
      whole.push_back(us);
      kernels.push_back(number(e, "kernel-time-last-us"));
      over.push_back(us - kernels.back());
    }
    std::printf("%-44s %-5s %4dx%-4d  frame %7.1f us  kernels %7.1f  over %7.1f  bytes %.0f\n",
                element.c_str(), format, width, height, median(whole), median(kernels), median(over),
                number(e, "bytes-host-to-device") + number(e, "bytes-device-to-host"));
    std::fflush(stdout);
    gst_harness_teardown(h);
  }
  gst_caps_unref(caps);
  gst_object_unref(e);
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  try {
    vigil::require_cuda_device(0);
  } catch (const vigil::Error &e) {
    std::printf("SKIP: %s\n", e.what());
    return 77;
  }
  gst_cuda_load_library();
  gst_cuda_memory_init_once();
  const int width = argc > 3 ? std::atoi(argv[2]) : 1920, height = argc > 3 ? std::atoi(argv[3]) : 1080;
  const int count = argc > 4 ? std::atoi(argv[4]) : 400;
  if (argc > 1) {
    measure(argv[1], "RGBA", width, height, count);
    return 0;
  }
  for (const char *element :
       {"clbilateral algorithm=exact", "clbilateral algorithm=exact backend=opencl",
        "clbilateral spatial-sigma=5", "clbilateral spatial-sigma=5 backend=opencl", "clhistogram",
        "clhistogram overlay=true", "clfilter chain=\"gaussian sigma=2\""})
    measure(element, "RGBA", width, height, count);
  for (const char *element :
       {"clbilateral algorithm=exact", "clbilateral algorithm=exact backend=opencl", "clhistogram"})
    measure(element, "NV12", width, height, count);
}
