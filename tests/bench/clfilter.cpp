// SPDX-License-Identifier: LGPL-2.1-or-later
// One clfilter with a chain of three stages compared with three clfilters with a stage each, in turn on the
// same frames. Usage: bench-clfilter [WIDTH HEIGHT [FRAMES [ELEMENT-SETTINGS]]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Chain {
  std::string settings;
  GstHarness *harness;
  std::vector<double> ms;
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}

// Sum of the kernels' times of all elements by the device's clock, ms a frame.
double kernel_ms(GstElement *element) {
  double sum = 0;
  const auto add = [&sum](GstElement *e) {
    if (!g_object_class_find_property(G_OBJECT_GET_CLASS(e), "stats")) return;
    GstStructure *stats = nullptr;
    g_object_get(e, "stats", &stats, nullptr);
    double us = 0;
    if (stats && gst_structure_get_double(stats, "kernel-time-us", &us)) sum += us / 1000;
    if (stats) gst_structure_free(stats);
  };
  if (!GST_IS_BIN(element)) {
    add(element);
    return sum;
  }
  for (GList *c = GST_BIN_CHILDREN(element); c; c = c->next) add(GST_ELEMENT(c->data));
  return sum;
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  const int width = argc > 2 ? std::atoi(argv[1]) : 1920, height = argc > 2 ? std::atoi(argv[2]) : 1080;
  const int frames = argc > 3 ? std::atoi(argv[3]) : 200;
  const std::string more = argc > 4 ? std::string(" ") + argv[4] : "";
  const char *chains[][3] = {{"gaussian sigma=2", "grayscale", "sharpen amount=0.5"},
                             {"brightness amount=0.1", "saturation amount=1.3", "contrast amount=1.2"},
                             {"median", "sharpen amount=0.5", "gamma value=1.2"}};
  const std::string caps = "video/x-raw,format=RGBA,width=" + std::to_string(width) +
                           ",height=" + std::to_string(height) + ",framerate=25/1";
  std::printf("%-64s %12s %12s %7s %12s %12s\n", "ms a frame", "one element", "three", "ratio",
              "one, kernels", "three");
  for (const auto &stages : chains) {
    std::string one, three;
    for (const char *s : stages) {
      one += (one.empty() ? "" : " ! ") + std::string(s);
      three += (three.empty() ? "" : " ! ") + std::string("clfilter chain=\"") + s + "\"" + more;
    }
    Chain pair[] = {{"clfilter chain=\"" + one + "\"" + more, nullptr, {}}, {three, nullptr, {}}};
    GstBuffer *frame = gst_buffer_new_allocate(nullptr, std::size_t(width) * height * 4, nullptr);
    GstMapInfo map;
    gst_buffer_map(frame, &map, GST_MAP_WRITE);
    for (gsize i = 0; i < map.size; i++) map.data[i] = static_cast<guint8>(i * 7 + i / 1031);
    gst_buffer_unmap(frame, &map);
    for (Chain &c : pair) {
      c.harness = gst_harness_new_parse(c.settings.c_str());
      gst_harness_set_src_caps_str(c.harness, caps.c_str());
    }
    for (int n = 0; n < frames + 5; n++)
      for (Chain &c : pair) {
        const auto start = Clock::now();
        if (gst_harness_push(c.harness, gst_buffer_ref(frame)) != GST_FLOW_OK) {
          std::fprintf(stderr, "%s does not work here\n", c.settings.c_str());
          return 1;
        }
        GstBuffer *out = gst_harness_try_pull(c.harness);
        if (out) gst_buffer_unref(out);
        if (n >= 5) c.ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
      }
    const double a = median(pair[0].ms), b = median(pair[1].ms);
    std::printf("%-64s %12.3f %12.3f %7.2f %12.4f %12.4f\n", one.c_str(), a, b, b / a,
                kernel_ms(pair[0].harness->element), kernel_ms(pair[1].harness->element));
    for (Chain &c : pair) gst_harness_teardown(c.harness);
    gst_buffer_unref(frame);
  }
  return 0;
}
