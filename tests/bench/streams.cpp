// SPDX-License-Identifier: LGPL-2.1-or-later
// How many frames per second several streams reach in one process, with an element and without it.
//   bench-streams --file clip.mp4 [--count 8] [--element "cudamog"] [--decoder nvh264dec] [--seconds 10] [--rounds 3]
//   bench-streams --source "videotestsrc num-buffers=1 ! imagefreeze" [...]
// Each stream is  SOURCE ! [ELEMENT !] fakesink sync=false, played over and over; without --source that is filesrc ! qtdemux !
// h264parse ! DECODER. The two kinds run in
// turn, ROUNDS times each; after a second of start-up, frames that reach the sinks are counted. The elements' stats are
// printed, so that bytes copied between host and device show.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <gst/gst.h>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using Options = std::map<std::string, std::string>;

Options parse(int argc, char **argv) {
  Options o{{"file", ""},           {"source", ""},           {"count", "8"},
            {"element", "cudamog"}, {"decoder", "nvh264dec"}, {"seconds", "8"},
            {"rounds", "3"}};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (!name.starts_with("--") || !o.contains(name.substr(2))) {
      std::fprintf(stderr, "bench-streams: what is %s?\n", argv[i]);
      std::exit(2);
    }
    o[name.substr(2)] = argv[i + 1];
  }
  if (o["file"].empty() == o["source"].empty() || argc % 2 == 0) {
    std::fprintf(stderr, "bench-streams --file CLIP.mp4 | --source DESCRIPTION [--count N] [--element "
                         "DESCRIPTION] [--decoder NAME] "
                         "[--seconds N] [--rounds N]\n");
    std::exit(2);
  }
  return o;
}

struct Stream {
  GstElement *pipeline = nullptr;
  std::atomic<std::uint64_t> frames{0};
};

GstPadProbeReturn count(GstPad *, GstPadProbeInfo *, gpointer stream) {
  static_cast<Stream *>(stream)->frames++;
  return GST_PAD_PROBE_OK;
}

[[noreturn]] void die(const std::string &why) {
  std::fprintf(stderr, "bench-streams: %s\n", why.c_str());
  std::exit(1);
}

// Rewinds a stream that has ended, and stops at errors.
void serve(std::vector<Stream> &streams) {
  for (Stream &s : streams) {
    GstBus *bus = gst_element_get_bus(s.pipeline);
    while (GstMessage *m = gst_bus_pop_filtered(bus, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR))) {
      if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ERROR) {
        GError *e = nullptr;
        gst_message_parse_error(m, &e, nullptr);
        die(e->message);
      }
      gst_element_seek_simple(s.pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0);
      gst_message_unref(m);
    }
    gst_object_unref(bus);
  }
}

double frames_per_second(const Options &o, const std::string &element, bool print_stats) {
  std::vector<Stream> streams(std::stoul(o.at("count")));
  for (Stream &s : streams) {
    const std::string middle = element.empty() ? "" : element + " name=watch ! ";
    const std::string source = o.at("source").empty() ? "filesrc location=\"" + o.at("file") +
                                                            "\" ! qtdemux ! h264parse ! " + o.at("decoder")
                                                      : o.at("source");
    const std::string description = source + " ! " + middle + "fakesink name=sink sync=false";
    GError *e = nullptr;
    s.pipeline = gst_parse_launch(description.c_str(), &e);
    if (e) die(e->message);
    GstElement *sink = gst_bin_get_by_name(GST_BIN(s.pipeline), "sink");
    GstPad *pad = gst_element_get_static_pad(sink, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count, &s, nullptr);
    gst_object_unref(pad);
    gst_object_unref(sink);
    gst_element_set_state(s.pipeline, GST_STATE_PLAYING);
  }
  const auto total = [&] {
    std::uint64_t n = 0;
    for (Stream &s : streams) n += s.frames;
    return n;
  };
  const auto run = [&](double seconds) {
    const auto start = std::chrono::steady_clock::now();
    const auto passed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    while (passed() < seconds) {
      serve(streams);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return passed();
  };
  run(1.5);
  const auto before = total();
  const double seconds = run(std::stod(o.at("seconds")));
  const double fps = double(total() - before) / seconds;
  for (Stream &s : streams) {
    if (GstElement *watch =
            element.empty() || !print_stats ? nullptr : gst_bin_get_by_name(GST_BIN(s.pipeline), "watch")) {
      GstStructure *stats = nullptr;
      g_object_get(watch, "stats", &stats, nullptr);
      if (gchar *words = stats ? gst_structure_to_string(stats) : nullptr) {
        std::printf("    %s\n", words);
        g_free(words);
      }
      if (stats) gst_structure_free(stats);
      gst_object_unref(watch);
    }
    gst_element_set_state(s.pipeline, GST_STATE_NULL);
    gst_object_unref(s.pipeline);
  }
  return fps;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  gst_init(nullptr, nullptr);
  Options o = parse(argc, argv);
  const int rounds = std::stoi(o["rounds"]);
  std::vector<double> without, with;
  for (int i = 0; i < rounds; i++) {
    without.push_back(frames_per_second(o, "", false));
    with.push_back(frames_per_second(o, o["element"], i == rounds - 1));
    std::printf("  round %d: source alone %.0f fps, with %s %.0f fps\n", i + 1, without.back(),
                o["element"].c_str(), with.back());
    std::fflush(stdout);
  }
  std::printf("%s streams: source alone %.0f fps, with %s %.0f fps: %.1f %%\n", o["count"].c_str(),
              median(without), o["element"].c_str(), median(with), 100 * median(with) / median(without));
  return 0;
}
