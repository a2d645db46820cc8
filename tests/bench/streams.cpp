// SPDX-License-Identifier: LGPL-2.1-or-later
// How many frames per second several streams reach in one process, with an element and without it.
//   bench-streams --file clip.mp4 [--count 8] [--element "cudamog"] [--decoder nvh264dec] [--seconds 10]
//   [--rounds 3] bench-streams --source "videotestsrc num-buffers=1 ! imagefreeze" [...]
//   bench-streams --live yes [...]
// Each stream is  SOURCE ! [ELEMENT !] fakesink sync=false, played over and over; without --source that is
//                 filesrc ! qtdemux !
// h264parse ! DECODER. ELEMENT may be a chain of several. The two kinds run in turn, ROUNDS times each; after
// some time to warm up, frames that reach the sinks are counted. The elements' stats are printed, so that
// bytes copied between host and device show. With --alone no only the kind with ELEMENT runs, for comparisons
// of elements. With --live yes the sinks wait for each frame's time, as with cameras, and only the kind with
// ELEMENT runs: as long as the slowest stream has the clip's frame rate, the machine can watch that many.
// With --share yes all pipelines get the first one's CUDA context and OpenGL display (with --share cuda the
// former alone). Otherwise each has what it finds or makes: with Vigil's elements one CUDA context is there
// for all, unless CUDA elements of others stand behind them; decoders alone make one each.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
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
            {"rounds", "3"},        {"live", "no"},           {"share", "no"},
            {"warm-up", "1.5"},     {"alone", "yes"}};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (!name.starts_with("--") || !o.contains(name.substr(2))) {
      std::fprintf(stderr, "bench-streams: what is %s?\n", argv[i]);
      std::exit(2);
    }
    o[name.substr(2)] = argv[i + 1];
  }
  if (o["file"].empty() == o["source"].empty() || argc % 2 == 0) {
    std::fprintf(
        stderr,
        "bench-streams --file CLIP.mp4 | --source DESCRIPTION [--count N] [--element "
        "DESCRIPTION] [--decoder NAME] "
        "[--seconds N] [--rounds N] [--warm-up SECONDS] [--alone no] [--live yes] [--share yes|cuda]\n");
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

// What Vigil's elements say of themselves.
void print_stats(GstElement *pipeline) {
  GstIterator *i = gst_bin_iterate_elements(GST_BIN(pipeline));
  GValue value = G_VALUE_INIT;
  for (; gst_iterator_next(i, &value) == GST_ITERATOR_OK; g_value_reset(&value)) {
    auto *element = GST_ELEMENT(g_value_get_object(&value));
    const gchar *plugin =
        gst_plugin_feature_get_plugin_name(GST_PLUGIN_FEATURE(gst_element_get_factory(element)));
    if (g_strcmp0(plugin, "vigil") != 0 ||
        !g_object_class_find_property(G_OBJECT_GET_CLASS(element), "stats"))
      continue;
    GstStructure *stats = nullptr;
    g_object_get(element, "stats", &stats, nullptr);
    gchar *words = gst_structure_to_string(stats);
    std::printf("    %s: %s\n", GST_OBJECT_NAME(element), words);
    g_free(words);
    gst_structure_free(stats);
  }
  g_value_unset(&value);
  gst_iterator_free(i);
}

void share_contexts(GstElement *from, GstElement *to, bool opengl) {
  int shared = 0;
  std::vector<const char *> types{"gst.cuda.context"};
  if (opengl) types.push_back("gst.gl.GLDisplay");
  for (const char *type : types)
    if (GstContext *context = gst_element_get_context(from, type)) {
      gst_element_set_context(to, context);
      gst_context_unref(context);
      shared++;
    }
  if (!shared) die("the first pipeline has neither a CUDA context nor an OpenGL display to share");
}

struct Speed { // frames a second
  double all_streams = 0, slowest_stream = 0;
};

Speed frames_per_second(const Options &o, const std::string &element, bool with_stats) {
  std::vector<Stream> streams(std::stoul(o.at("count")));
  const std::string source = o.at("source").empty() ? "filesrc location=\"" + o.at("file") +
                                                          "\" ! qtdemux ! h264parse ! " + o.at("decoder")
                                                    : o.at("source");
  const std::string description = source + " ! " + (element.empty() ? "" : element + " ! ") +
                                  "fakesink name=sink sync=" + (o.at("live") == "yes" ? "true" : "false");
  for (Stream &s : streams) {
    GError *e = nullptr;
    s.pipeline = gst_parse_launch(description.c_str(), &e);
    if (e) die(e->message);
    GstElement *sink = gst_bin_get_by_name(GST_BIN(s.pipeline), "sink");
    GstPad *pad = gst_element_get_static_pad(sink, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count, &s, nullptr);
    gst_object_unref(pad);
    gst_object_unref(sink);
    if (o.at("share") != "no" && &s != &streams.front())
      share_contexts(streams.front().pipeline, s.pipeline, o.at("share") == "yes");
    gst_element_set_state(s.pipeline, GST_STATE_PLAYING);
    if (&s == &streams.front()) gst_element_get_state(s.pipeline, nullptr, nullptr, 10 * GST_SECOND);
  }
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
  run(std::stod(o.at("warm-up")) + 0.02 * double(streams.size())); // contexts and decoders take their time
  std::vector<std::uint64_t> before;
  for (Stream &s : streams) before.push_back(s.frames);
  const double seconds = run(std::stod(o.at("seconds")));
  Speed speed{0, INFINITY};
  for (std::size_t i = 0; i < streams.size(); i++) {
    const double fps = double(streams[i].frames - before[i]) / seconds;
    speed.all_streams += fps;
    speed.slowest_stream = std::min(speed.slowest_stream, fps);
  }
  for (Stream &s : streams) {
    if (with_stats && &s == &streams.front()) print_stats(s.pipeline);
    gst_element_set_state(s.pipeline, GST_STATE_NULL);
    gst_object_unref(s.pipeline);
  }
  return speed;
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
  const char *element = o["element"].c_str();
  if (o["live"] == "yes") {
    const Speed speed = frames_per_second(o, element, true);
    std::printf("%s streams by the clock, with %s: %.0f fps, the slowest %.2f\n", o["count"].c_str(), element,
                speed.all_streams, speed.slowest_stream);
    return 0;
  }
  std::vector<double> without, with;
  if (o["alone"] == "no") {
    for (int i = 0; i < rounds; i++)
      with.push_back(frames_per_second(o, element, i == rounds - 1).all_streams);
    std::printf("%s streams with %s: %.0f fps\n", o["count"].c_str(), element, median(with));
    return 0;
  }
  for (int i = 0; i < rounds; i++) {
    without.push_back(frames_per_second(o, "", false).all_streams);
    with.push_back(frames_per_second(o, element, i == rounds - 1).all_streams);
    std::printf("  round %d: source alone %.0f fps, with %s %.0f fps\n", i + 1, without.back(), element,
                with.back());
    std::fflush(stdout);
  }
  std::printf("%s streams: source alone %.0f fps, with %s %.0f fps: %.1f %%\n", o["count"].c_str(),
              median(without), element, median(with), 100 * median(with) / median(without));
  return 0;
}
