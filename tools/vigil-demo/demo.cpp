// SPDX-License-Identifier: LGPL-2.1-or-later
#include "demo.h"

#include "common/error.h"
#include "crossings.h"
#include "events.h"
#include "input.h"
#include "pictures.h"
#include "preset.h"
#include "probes.h"
#include "tools/base/progress.h"
#include "tools/vigil-eval/run.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <gst/app/gstappsink.h>
#include <initializer_list>
#include <limits>

namespace vigil::demo {

namespace fs = std::filesystem;
using tools::link;
using tools::make_element;

namespace {

// The model knows nothing at first; papers leave such frames out too (Pham et al. 2010, section IV.B).
constexpr std::uint64_t unscored_frames = 60;

struct Encoder {
  const char *element, *description; // description: from raw video to a muxed stream
  const char *extension, *words;
};
struct Candidate {
  Encoder encoder;
  std::initializer_list<const char *> needs;
};

// The best of those installed: H.264 in MP4, VP8 in WebM, JPEG in AVI. Throws Error::no_device, with what to
// install, when there is none.
const Encoder &choose_encoder() {
  // Players want 4:2:0, hence the profile.
  static const Candidate candidates[] = {
      {{"x264enc",
        "x264enc speed-preset=veryfast pass=qual quantizer=23 ! video/x-h264,profile=high ! h264parse ! "
        "mp4mux",
        "mp4", "H.264 in MP4"},
       {"x264enc", "h264parse", "mp4mux"}},
      {{"openh264enc", "openh264enc bitrate=4000000 ! h264parse ! mp4mux", "mp4", "H.264 in MP4"},
       {"openh264enc", "h264parse", "mp4mux"}},
      {{"vp8enc", "vp8enc deadline=1 cpu-used=4 target-bitrate=4000000 ! webmmux", "webm", "VP8 in WebM"},
       {"vp8enc", "webmmux"}},
      {{"jpegenc", "jpegenc ! avimux", "avi", "JPEG in AVI"}, {"jpegenc", "avimux"}},
  };
  for (const Candidate &c : candidates) {
    bool all = true;
    for (const char *n : c.needs) all = all && tools::has_element(n);
    if (all) return c.encoder;
  }
  fail(Error::Kind::no_device,
       "no video encoder is installed: the demo needs one of x264enc "
       "(gstreamer1.0-plugins-ugly), openh264enc (gstreamer1.0-plugins-bad), vp8enc or "
       "jpegenc (gstreamer1.0-plugins-good)");
}

struct Branches {
  GstAppSink *masks;
  GstElement *watched; // the element whose masks, time and messages count
  Keeper input, mask, overlay;
};

void watch_pad(Keeper &keeper, GstElement *element, const char *pad) {
  keeper.watch(gst::ObjectPtr<GstPad>(gst_element_get_static_pad(element, pad)).get());
}

// input ! capsfilter ! tee ! queue ! mask element ! appsink
//                        tee ! queue ! overlay element ! videoconvert ! encoder ! file
void build(tools::Pipeline &pipeline, const Options &o, GstElement *input, const Encoder &encoder,
           const std::string &model, Branches &b) {
  // What cameras and decoders give; left to itself, negotiation may settle on grey, which knows no shadows.
  GstElement *colour = pipeline.add(make_element("capsfilter"));
  gst::CapsPtr formats(gst_caps_from_string("video/x-raw, format=(string){ I420, NV12 }"));
  g_object_set(colour, "caps", formats.get(), nullptr);
  GstElement *tee = pipeline.add(make_element("tee"));
  link({input, colour, tee});
  watch_pad(b.input, tee, "sink");

  const auto mask = make_bin(o.element.mask, o);
  GstElement *mask_queue = pipeline.add(make_element("queue"));
  GstElement *sink = pipeline.add(make_element("appsink", "masks"));
  constexpr guint few = 4;
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", few, nullptr);
  link({tee, mask_queue, pipeline.add(mask.get()), sink});
  watch_pad(b.mask, sink, "sink");
  b.masks = GST_APP_SINK(sink);
  b.watched = gst_bin_get_by_name(GST_BIN(mask.get()), "watch");
  gst_object_unref(b.watched); // the pipeline has it
  if (o.element.background) g_object_set(b.watched, "model-location", model.c_str(), nullptr);

  const auto overlay = make_bin(text(o.element.overlay, o.element.rules ? rules_chain : "").c_str(), o);
  // Encoders of 4:2:0 want even sizes; others pass through the scaler untouched.
  const auto encode =
      eval::parse_bin(text("videoconvert ! videoscale ! video/x-raw,width=[2,32768,2],height=[2,32768,2] ! ",
                           encoder.description, " ! filesink name=file async=false"));
  gst::ObjectPtr<GstElement> file(gst_bin_get_by_name(GST_BIN(encode.get()), "file"));
  g_object_set(file.get(), "location", text(o.out, "/overlay.", encoder.extension).c_str(), nullptr);
  GstElement *overlay_queue = pipeline.add(make_element("queue"));
  GstElement *encode_queue = pipeline.add(make_element("queue"));
  link({tee, overlay_queue, pipeline.add(overlay.get()), encode_queue, pipeline.add(encode.get())});
  watch_pad(b.overlay, overlay.get(), "src");
}

// Runs to the end and scores the masks against the scene's truth.
eval::Counts work(tools::Pipeline &pipeline, const Branches &b, eval::Source *scene, std::uint64_t expected,
                  const std::atomic<bool> &stop) {
  eval::Counts counts;
  tools::Progress progress("frames", expected);
  bool begun = false, stopped = false, drained = false;
  pipeline.play();
  while (!pipeline.ended() || !drained) { // a short stream may end before its masks are taken
    constexpr GstClockTime wait = 100 * GST_MSECOND;
    if (stop && !stopped) {
      // An end before any frame would be one before any format, which elements take for an error.
      if (!begun) fail(Error::Kind::bad_data, "interrupted before the first frame: there are no results");
      stopped = true;
      pipeline.end();
    }
    if (drained) { // the encoder may need a while yet
      pipeline.work_off_messages(wait);
      continue;
    }
    gst::SamplePtr sample(gst_app_sink_try_pull_sample(b.masks, wait));
    pipeline.work_off_messages();
    if (!sample) {
      drained = gst_app_sink_is_eos(b.masks);
      if (drained && scene) scene->labelled(0); // truth that has no mask would keep the pipeline from ending
      continue;
    }
    begun = true;
    progress.step();
    const GstClockTime pts = GST_BUFFER_PTS(gst_sample_get_buffer(sample.get()));
    const auto truth = scene ? scene->truth_at(pts) : std::nullopt;
    if (truth && truth->index >= unscored_frames) counts += eval::score_sample(sample.get(), *truth);
  }
  return counts;
}

std::string list(const std::map<std::string, int> &counts) {
  std::string words;
  for (const auto &[name, n] : counts) words += text(words.empty() ? "" : ", ", n, " ", name);
  return words.empty() ? "none" : words;
}

} // namespace

void run(const Options &o, const std::atomic<bool> &stop) {
  if (o.element.filter) return run_filter(o, stop);
  if (o.element.opengl && !g_getenv("DISPLAY") && !g_getenv("WAYLAND_DISPLAY")) {
    g_setenv("GST_GL_PLATFORM", "egl", FALSE);
    g_setenv("GST_GL_WINDOW", "egl-device", FALSE);
  }
  clear_old_results(o.out);
  const Encoder &encoder = choose_encoder();
  const std::string model = o.out + "/model.tmp";
  fs::remove(model);
  const std::uint64_t wanted = o.input.empty() && !o.frames ? scene_frames : o.frames;
  const auto scene = o.input.empty() ? eval::open_source(text("scene:seed=1,frames=", wanted), {}) : nullptr;
  std::printf("%s on %s; overlay encoded by %s as %s\n", o.element.name,
              scene ? "the default scene of scenetestsrc, 640x480" : o.input.c_str(), encoder.element,
              encoder.words);

  EventLog events(o.out + "/events.jsonl");
  Crossings crossings;
  Branches branches;
  Stopwatch watch;
  Limit limit;
  eval::Counts counts;
  double seconds = 0;
  {
    tools::Pipeline pipeline;
    build(pipeline, o, scene ? scene->build(pipeline) : add_input(pipeline, o, limit), encoder, model,
          branches);
    watch.watch(branches.watched);
    pipeline.on_element_message = [&](GstMessage *m) {
      const bool from_rules = o.element.rules && g_strcmp0(GST_MESSAGE_SRC_NAME(m), "rules") == 0;
      if (GST_MESSAGE_SRC(m) == GST_OBJECT(branches.watched) || from_rules)
        events.write(gst_message_get_structure(m));
      if (o.element.rules) crossings.hear(gst_message_get_structure(m));
    };
    counts = work(pipeline, branches, scene.get(), wanted, stop);
    seconds = watch.seconds();
  }
  if (!watch.frames()) fail(Error::Kind::bad_data, o.input, " gave no frames");

  for (const auto &[number, sample] : branches.mask.take())
    save_png(sample.get(), picture_name(o.out, "mask", number));
  for (const auto &[number, sample] : branches.overlay.take())
    save_png(sample.get(), picture_name(o.out, "overlay", number));
  if (o.element.background)
    save_png(background(o, model, branches.input.last().get()).get(), o.out + "/background.png");
  fs::remove(model);

  const eval::Measures score = eval::measure(counts);
  const Summary summary{.element = o.element.name,
                        .input = scene ? scene->name() : o.input,
                        .frames = watch.frames(),
                        .frames_per_second = static_cast<double>(watch.frames()) / seconds,
                        .element_milliseconds = watch.median_milliseconds(),
                        .f_measure = score.f_measure};
  events.finish(summary);
  const char *const worker = o.element.rules ? "cudamog" : o.element.name; // what gave the masks
  std::printf("%llu frames, %.1f fps (everything: %s, two %s side by side, encoding)\n",
              static_cast<unsigned long long>(summary.frames), summary.frames_per_second,
              scene ? "making the scene" : "decoding", worker);
  std::printf("%s alone: %.2f ms a frame (median, while the rest ran too)\n", worker,
              summary.element_milliseconds);
  std::printf("events: %s\n", list(events.counts()).c_str());
  if (o.element.rules) std::fputs(crossings.report(scene != nullptr).c_str(), stdout);
  if (scene && counts.total())
    std::printf("F-measure %.3f (recall %.3f, precision %.3f, from frame %llu on)\n", score.f_measure,
                score.recall, score.precision, static_cast<unsigned long long>(unscored_frames));
  std::printf("results in %s: overlay.%s, overlay-*.png, mask-*.png,%s events.jsonl\n", o.out.c_str(),
              encoder.extension, o.element.background ? " background.png," : "");
}

} // namespace vigil::demo
