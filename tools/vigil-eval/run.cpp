// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run.h"

#include "common/error.h"

#include <atomic>
#include <chrono>
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <set>

namespace vigil::eval {

using Clock = std::chrono::steady_clock;

namespace {

// Frames that enter the description, and when the first did.
struct Entry {
  std::atomic<std::uint64_t> frames{0};
  Clock::time_point first;
};

GstPadProbeReturn on_enter(GstPad *, GstPadProbeInfo *, gpointer data) {
  auto *entry = static_cast<Entry *>(data);
  if (entry->frames == 0) entry->first = Clock::now();
  ++entry->frames;
  return GST_PAD_PROBE_OK;
}

GstElement *caps_filter(const char *name, const std::string &format) {
  GstElement *filter = tools::make_element("capsfilter", name);
  gst::CapsPtr caps(gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format.c_str(), nullptr));
  g_object_set(filter, "caps", caps.get(), nullptr);
  return filter;
}

// source ! videoconvert [! format] ! description ! GRAY8 ! appsink
GstAppSink *build(tools::Pipeline &pipeline, const Job &job, Source &source, Entry &entry) {
  const auto made = make_bin(job.description, job.setting);
  gst_object_set_name(GST_OBJECT(made.get()), "description"); // as errors will call it
  GstElement *bin = pipeline.add(made.get());
  GstElement *head = source.build(pipeline);
  GstElement *convert = pipeline.add(tools::make_element("videoconvert", "input"));
  tools::link({head, convert});
  GstElement *last = convert;
  if (!job.format.empty()) {
    last = pipeline.add(caps_filter("input-format", job.format));
    tools::link({convert, last});
  }
  GstElement *mask = pipeline.add(caps_filter("masks", "GRAY8"));
  GstElement *sink = pipeline.add(tools::make_element("appsink", "scored"));
  constexpr guint few = 4; // so that the masks that wait stay few
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", few, nullptr);
  tools::link({last, bin, mask, sink});
  gst::ObjectPtr<GstPad> pad(gst_element_get_static_pad(bin, "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_enter, &entry, nullptr);
  return GST_APP_SINK(sink);
}

} // namespace

Counts score_sample(GstSample *sample, const Truth &truth) {
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ))
    fail(Error::Kind::bad_data, "a mask cannot be read from memory");
  struct Unmap {
    GstVideoFrame *f;
    ~Unmap() { gst_video_frame_unmap(f); }
  } unmap{&frame};
  const Plane<const std::uint8_t> mask{
      static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)), info.width, info.height,
      GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0)};
  return score(mask, truth.labels.plane(),
               truth.region ? truth.region->plane() : Plane<const std::uint8_t>{});
}

SequenceResult run(const Job &job, Source &source, const std::function<void()> &progress) {
  SequenceResult result;
  result.name = source.name();
  Entry entry;
  tools::Pipeline pipeline;
  GstAppSink *sink = build(pipeline, job, source, entry);
  pipeline.play();

  std::uint64_t masks = 0;
  std::set<std::uint64_t> done;
  for (auto last = Clock::now();;) {
    constexpr GstClockTime wait = 100 * GST_MSECOND;
    gst::SamplePtr sample(gst_app_sink_try_pull_sample(sink, wait));
    pipeline.work_off_messages();
    if (!sample) {
      if (gst_app_sink_is_eos(sink)) break;
      if (Clock::now() - last > std::chrono::seconds(job.patience_seconds))
        fail(Error::Kind::device, "no mask and no end of stream for ", job.patience_seconds, " s after ",
             masks, " masks and ", entry.frames.load(), " frames");
      continue;
    }
    last = Clock::now();
    ++masks;
    if (progress) progress();
    const GstClockTime pts = GST_BUFFER_PTS(gst_sample_get_buffer(sample.get()));
    if (!GST_CLOCK_TIME_IS_VALID(pts))
      fail(Error::Kind::bad_data, "mask ", masks, " has no time stamp, so its frame is not known");
    const auto truth = source.truth_at(pts);
    if (!truth || truth->index < job.warmup || !done.insert(truth->index).second) continue;
    try {
      result.scored.push_back({truth->frame, score_sample(sample.get(), *truth)});
    } catch (const Error &e) {
      fail(e.kind(), "frame ", truth->frame, " of ", source.name(), ": ", e.what());
    }
    result.counts += result.scored.back().counts;
  }
  result.frames = entry.frames;
  if (result.frames) result.seconds = std::chrono::duration<double>(Clock::now() - entry.first).count();
  result.missing = source.labelled(job.warmup) - result.scored.size();
  if (result.scored.empty())
    fail(Error::Kind::bad_data, "nothing to score in ", source.name(), ": ", result.frames,
         " frames went in, ", masks, " masks came out, ", result.missing, " frames with truth had none");
  return result;
}

} // namespace vigil::eval
