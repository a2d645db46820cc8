// SPDX-License-Identifier: LGPL-2.1-or-later
#include "key_decoder.h"

#include "../camera/utc.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/mapped.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <cmath>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <iterator>
#include <map>
#include <utility>

namespace vigil::monitor {
namespace {

struct KnownDecoder {
  const char *caps, *parser, *name;
};
// The first that is installed. Those of libav take the stream as it is stored.
constexpr KnownDecoder known_decoders[] = {{"video/x-h264", nullptr, "avdec_h264"},
                                           {"video/x-h264", "h264parse", "openh264dec"},
                                           {"video/x-h265", nullptr, "avdec_h265"},
                                           {"video/x-h265", "h265parse", "libde265dec"}};

const KnownDecoder &decoder_of(const GstCaps *caps) {
  const std::string name = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  for (const KnownDecoder &d : known_decoders)
    if (name == d.caps && tools::has_element(d.name)) return d;
  fail(Error::Kind::bad_setting, "GStreamer has no decoder of ", name, "; install gstreamer1.0-libav");
}

// A decoder keeps pictures back until later ones come. In a segment of key units a gap takes them out.
GstPadProbeReturn key_units(GstPad *, GstPadProbeInfo *info, gpointer) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_SEGMENT) return GST_PAD_PROBE_OK;
  const GstSegment *as_it_comes = nullptr;
  gst_event_parse_segment(event, &as_it_comes);
  GstSegment segment = *as_it_comes;
  segment.flags = static_cast<GstSegmentFlags>(segment.flags | GST_SEGMENT_FLAG_TRICKMODE |
                                               GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS);
  GstEvent *changed = gst_event_new_segment(&segment);
  gst_event_set_seqnum(changed, gst_event_get_seqnum(event));
  gst_event_unref(event);
  GST_PAD_PROBE_INFO_DATA(info) = changed;
  return GST_PAD_PROBE_OK;
}

} // namespace

class KeyDecoder::Line {
 public:
  // Throws Error::bad_setting where GStreamer cannot decode the stream.
  Line(const GstCaps *caps, const Form &f) : form(f), pipeline_(gst_pipeline_new(nullptr)) {
    gst_object_ref_sink(pipeline_);
    try {
      build(caps);
    } catch (...) {
      gst_object_unref(pipeline_);
      throw;
    }
  }
  ~Line() {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(pipeline_);
  }
  Line(const Line &) = delete;
  Line &operator=(const Line &) = delete;

  bool has_room() {
    constexpr std::size_t most_waiting = 4;
    constexpr double patience = 30;
    const double now = Utc::monotonic_seconds();
    const std::lock_guard guard(lock_);
    std::erase_if(waiting_, [&](const auto &w) { return now - w.second.since > patience; });
    return waiting_.size() < most_waiting;
  }
  bool push(GstBuffer *key, Ready ready) {
    const std::uint64_t number = ++number_;
    {
      const std::lock_guard guard(lock_);
      waiting_[number] = {std::move(ready), Utc::monotonic_seconds()};
    }
    GstBuffer *copy = gst_buffer_copy(key);
    GST_BUFFER_PTS(copy) = GST_BUFFER_DTS(copy) = number * GST_SECOND;
    GST_BUFFER_DURATION(copy) = GST_CLOCK_TIME_NONE;
    if (gst_app_src_push_buffer(GST_APP_SRC(source_), copy) != GST_FLOW_OK) return false;
    gst_element_send_event(source_,
                           gst_event_new_gap(number * GST_SECOND, GST_SECOND)); // appsrc keeps the order
    return true;
  }

  const Form form;

 private:
  struct Waiting {
    Ready ready;
    double since; // monotonic
  };
  void build(const GstCaps *);
  static GstFlowReturn on_picture(GstAppSink *, gpointer self);
  void take(GstSample *);

  GstElement *const pipeline_;
  GstElement *source_ = nullptr;
  std::uint64_t number_ = 0; // of the frame, which is its time in seconds
  std::mutex lock_;          // of the decoder's thread, too, for the next one
  std::map<std::uint64_t, Waiting> waiting_;
};

void KeyDecoder::Line::build(const GstCaps *caps) {
  const KnownDecoder &d = decoder_of(caps);
  const auto add = [&](const char *name) {
    GstElement *e = tools::make_element(name);
    gst_bin_add(GST_BIN(pipeline_), e);
    return e;
  };
  source_ = add("appsrc");
  GstElement *first = d.parser ? add(d.parser) : nullptr;
  GstElement *decoder = add(d.name);
  GstElement *scale = add("videoscale");
  GstElement *convert = add("videoconvert");
  GstElement *filter = add("capsfilter");
  GstElement *encoder = add("jpegenc");
  GstElement *out = add("appsink");
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(decoder), "max-threads"))
    g_object_set(decoder, "max-threads", 1, nullptr);
  const gst::CapsPtr size(gst_caps_new_simple(
      "video/x-raw", "format", G_TYPE_STRING, "I420", "width", G_TYPE_INT, form.size.width, "height",
      G_TYPE_INT, form.size.height, "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1, nullptr));
  g_object_set(scale, "add-borders", FALSE, nullptr);
  g_object_set(filter, "caps", size.get(), nullptr);
  g_object_set(encoder, "quality", form.quality, nullptr);
  g_object_set(source_, "caps", caps, "format", GST_FORMAT_TIME, "max-bytes", guint64{0}, "block", FALSE,
               nullptr);
  g_object_set(out, "sync", FALSE, "async", FALSE, nullptr);
  if (first) tools::link({source_, first, decoder});
  if (!first) tools::link({source_, decoder});
  tools::link({decoder, scale, convert, filter, encoder, out});
  const gst::ObjectPtr<GstPad> pad(gst_element_get_static_pad(source_, "src"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, guarded<key_units, GST_PAD_PROBE_OK>,
                    nullptr, nullptr);
  GstAppSinkCallbacks calls{};
  calls.new_sample = (guarded<on_picture, GST_FLOW_ERROR>);
  gst_app_sink_set_callbacks(GST_APP_SINK(out), &calls, this, nullptr);
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_));
  gst_bus_set_flushing(bus.get(), TRUE); // nobody reads it: what fails shows where frames are pushed
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
}

GstFlowReturn KeyDecoder::Line::on_picture(GstAppSink *sink, gpointer self) {
  const gst::SamplePtr sample(gst_app_sink_pull_sample(sink));
  if (sample) static_cast<Line *>(self)->take(sample.get());
  return GST_FLOW_OK;
}

void KeyDecoder::Line::take(GstSample *sample) {
  GstBuffer *jpeg = gst_sample_get_buffer(sample);
  Ready ready;
  {
    const std::lock_guard guard(lock_);
    const auto at = waiting_.find(GST_BUFFER_PTS(jpeg) / GST_SECOND);
    if (at == waiting_.end()) return;
    ready = std::move(at->second.ready);
    waiting_.erase(waiting_.begin(), std::next(at)); // those before it give no picture
  }
  const tools::MappedBuffer map(jpeg);
  if (map) ready(map.bytes());
}

KeyDecoder::KeyDecoder(std::function<void(const std::string &)> warning) : warning_(std::move(warning)) {}

KeyDecoder::~KeyDecoder() {
  line_.reset();
  gst_caps_replace(&caps_, nullptr);
}

void KeyDecoder::caps(const GstCaps *caps) {
  const std::lock_guard use(use_);
  if (caps_ && gst_caps_is_equal(caps_, caps)) return;
  line_.reset();
  gst_caps_take(&caps_, gst_caps_copy(caps));
  retry_at_ = 0;
}

KeyDecoder::Size KeyDecoder::shown_size() const {
  const std::lock_guard use(use_);
  int width = 0, height = 0, n = 1, d = 1;
  const GstStructure *s = caps_ ? gst_caps_get_structure(caps_, 0) : nullptr;
  if (!s || !gst_structure_get_int(s, "width", &width) || !gst_structure_get_int(s, "height", &height) ||
      width <= 0 || height <= 0)
    return {16, 9};
  if (!gst_structure_get_fraction(s, "pixel-aspect-ratio", &n, &d) || n <= 0 || d <= 0) n = d = 1;
  return {std::max(1, static_cast<int>(std::lround(static_cast<double>(width) * n / d))), height};
}

void KeyDecoder::broke(const std::string &why) {
  constexpr double a_while = 60;
  retry_at_ = Utc::monotonic_seconds() + a_while;
  line_.reset();
  if (!std::exchange(said_, true)) warning_(why);
}

bool KeyDecoder::make(GstBuffer *key, const Form &form, Ready ready) {
  const std::lock_guard use(use_);
  if (!caps_ || Utc::monotonic_seconds() < retry_at_) return false;
  if (line_ && !line_->has_room()) return false;
  try {
    if (!line_ || !(line_->form == form)) {
      line_.reset();
      line_ = std::make_unique<Line>(caps_, form);
    }
  } catch (const Error &e) {
    broke(e.what());
    return false;
  }
  decoded_++;
  if (line_->push(key, std::move(ready))) return true;
  broke("the decoder takes no more key frames");
  return false;
}

void KeyDecoder::rest() {
  const std::lock_guard use(use_);
  line_.reset();
}

} // namespace vigil::monitor
