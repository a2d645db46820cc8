// SPDX-License-Identifier: LGPL-2.1-or-later
// What it costs to hand frames from one API to another: microseconds a frame of rows of elements, the time
// between frames at the row's end, median. The source repeats one 1080p RGBA frame, so it costs next to
// nothing. Usage: bench-interop [FRAMES] [ROW...], a row being elements as for gst-launch-1.0, after a source
// of `cuda`, `gl` or `system` frames: "gl: cudamog ! glcolinearseg". Without rows: those of
// docs/measurements/index.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <gst/gst.h>
#include <string>
#include <vector>

namespace {

const char *const documented[] = {
    "gl: identity",
    "gl: cudamog",
    "gl: cudamog output=passthrough",
    "gl: gldownload ! cudamog ! glupload",
    "gl: glcolinearseg",
    "gl: glcolinearseg ! cudamog output=passthrough",
    "gl: glcolinearseg output=passthrough ! cudamog output=passthrough",
    "cuda: identity",
    "cuda: cudamog",
    "cuda: cudamog output=passthrough",
    "cuda: glcolinearseg",
    "cuda: glcolinearseg output=passthrough",
    "cuda: cudamog output=passthrough ! glcolinearseg output=passthrough",
    "system: cudamog",
    "system: glcolinearseg",
    "system: glupload ! glcolinearseg ! gldownload",
};

struct Times {
  std::vector<gint64> at;
};

void took_one(GstElement *, GstBuffer *, GstPad *, gpointer data) {
  static_cast<Times *>(data)->at.push_back(g_get_monotonic_time());
}

// Prints one line; false when the row did not run.
bool measure(const std::string &row, int frames) {
  const std::size_t colon = row.find(": ");
  const std::string kind = row.substr(0, colon);
  const std::string up = kind == "cuda" ? "cudaupload ! video/x-raw(memory:CUDAMemory) ! "
                         : kind == "gl" ? "glupload ! "
                                        : "",
                    again = kind == "gl" ? up : "";
  const std::string line = "videotestsrc num-buffers=1 ! video/x-raw,format=RGBA,width=1920,height=1080 ! " +
                           up + "imagefreeze num-buffers=" + std::to_string(frames) + " ! " + again +
                           (colon == row.npos ? row : row.substr(colon + 2)) +
                           " ! fakesink name=end sync=false signal-handoffs=true";
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(line.c_str(), &error);
  if (!pipeline || error) {
    std::printf("| `%s` | %s |\n", row.c_str(), error ? error->message : "");
    return false;
  }
  Times times;
  GstElement *end = gst_bin_get_by_name(GST_BIN(pipeline), "end");
  g_signal_connect(end, "handoff", G_CALLBACK(took_one), &times);
  gst_object_unref(end);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage *m =
      gst_bus_timed_pop_filtered(GST_ELEMENT_BUS(pipeline), 60 * GST_SECOND,
                                 static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool ended = m && GST_MESSAGE_TYPE(m) == GST_MESSAGE_EOS;
  if (m && !ended) {
    gst_message_parse_error(m, &error, nullptr);
    std::printf("| `%s` | %s |\n", row.c_str(), error->message);
  }
  gst_clear_message(&m);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  std::vector<gint64> gaps;
  for (std::size_t i = times.at.size() / 5 + 1; i < times.at.size(); i++)
    gaps.push_back(times.at[i] - times.at[i - 1]);
  if (!ended || gaps.empty()) return false;
  std::sort(gaps.begin(), gaps.end());
  std::printf("| `%s` | %d | %d |\n", row.c_str(), int(gaps[gaps.size() / 2]),
              int(gaps[gaps.size() * 9 / 10]));
  std::fflush(stdout);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  const int frames = argc > 1 ? std::atoi(argv[1]) : 500;
  if (frames < 10) {
    std::fprintf(stderr, "usage: bench-interop [FRAMES] [ROW...]\n");
    return 1;
  }
  std::vector<std::string> rows(argv + std::min(argc, 2), argv + argc);
  if (rows.empty()) rows.assign(std::begin(documented), std::end(documented));
  std::printf("| 1080p RGBA, %d frames | median us | 90 %% |\n| --- | --- | --- |\n", frames);
  bool all = true;
  for (const std::string &row : rows) all = measure(row, frames) && all;
  return all ? 0 : 1;
}
