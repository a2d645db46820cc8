// SPDX-License-Identifier: LGPL-2.1-or-later
#include "preview_maker.h"

#include "../camera/utc.h"
#include "common/error.h"
#include "common/guarded.h"
#include "tools/base/gst_ptr.h"
#include "tools/base/mapped.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vigil::monitor {
namespace {

struct PreviewDecoder {
  const char *caps, *parser, *name;
};
// The first that is installed. Those of libav take the stream as it is stored.
constexpr PreviewDecoder preview_decoders[] = {{"video/x-h264", nullptr, "avdec_h264"},
                                               {"video/x-h264", "h264parse", "openh264dec"},
                                               {"video/x-h265", nullptr, "avdec_h265"},
                                               {"video/x-h265", "h265parse", "libde265dec"}};

const PreviewDecoder &decoder_of(const GstCaps *caps) {
  const std::string name = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  for (const PreviewDecoder &d : preview_decoders)
    if (name == d.caps && tools::has_element(d.name)) return d;
  fail(Error::Kind::bad_setting, "GStreamer has no decoder of ", name, "; install gstreamer1.0-libav");
}

GstCaps *small_picture(const GstCaps *caps) {
  int width = 0, height = 0;
  const GstStructure *s = gst_caps_get_structure(caps, 0);
  if (!gst_structure_get_int(s, "width", &width) || !gst_structure_get_int(s, "height", &height) ||
      width <= 0 || height <= 0)
    width = 16, height = 9;
  constexpr int least = 16, most = 640;
  const int lines = std::clamp(PreviewMaker::width * height / width / 2 * 2, least, most);
  return gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "I420", "width", G_TYPE_INT,
                             PreviewMaker::width, "height", G_TYPE_INT, lines, "pixel-aspect-ratio",
                             GST_TYPE_FRACTION, 1, 1, nullptr);
}

} // namespace

struct PreviewMaker::Decoder {
  explicit Decoder(const GstCaps *caps, PreviewMaker *owner) : pipeline(gst_pipeline_new(nullptr)) {
    gst_object_ref_sink(pipeline);
    try {
      const PreviewDecoder &d = decoder_of(caps);
      const auto add = [&](const char *name) {
        GstElement *e = tools::make_element(name);
        gst_bin_add(GST_BIN(pipeline), e);
        return e;
      };
      GstElement *in = add("appsrc");
      GstElement *first = d.parser ? add(d.parser) : nullptr;
      GstElement *decoder = add(d.name);
      GstElement *scale = add("videoscale");
      GstElement *convert = add("videoconvert");
      GstElement *filter = add("capsfilter");
      GstElement *encoder = add("jpegenc");
      GstElement *out = add("appsink");
      if (g_object_class_find_property(G_OBJECT_GET_CLASS(decoder), "max-threads"))
        g_object_set(decoder, "max-threads", 1, nullptr);
      const tools::CapsPtr size(small_picture(caps));
      constexpr int quality = 40;
      g_object_set(scale, "add-borders", FALSE, nullptr);
      g_object_set(filter, "caps", size.get(), nullptr);
      g_object_set(encoder, "quality", quality, nullptr);
      g_object_set(in, "caps", caps, "format", GST_FORMAT_TIME, "max-bytes", guint64{0}, "block", FALSE,
                   nullptr);
      g_object_set(out, "sync", FALSE, "async", FALSE, nullptr);
      if (first) tools::link({in, first, decoder});
      if (!first) tools::link({in, decoder});
      tools::link({decoder, scale, convert, filter, encoder, out});
      GstAppSinkCallbacks calls{};
      calls.new_sample = (guarded<on_picture, GST_FLOW_ERROR>);
      gst_app_sink_set_callbacks(GST_APP_SINK(out), &calls, owner, nullptr);
      source = GST_APP_SRC(in);
      const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline));
      gst_bus_set_flushing(bus.get(), TRUE); // nobody reads it: what fails shows where frames are pushed
      gst_element_set_state(pipeline, GST_STATE_PLAYING);
    } catch (...) {
      gst_object_unref(pipeline);
      throw;
    }
  }
  ~Decoder() {
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
  }
  Decoder(const Decoder &) = delete;
  Decoder &operator=(const Decoder &) = delete;

  GstElement *const pipeline;
  GstAppSrc *source = nullptr;
};

PreviewMaker::PreviewMaker(Calls calls) : calls_(std::move(calls)) {}

PreviewMaker::~PreviewMaker() {
  decoder_.reset();
  gst_caps_replace(&caps_, nullptr);
}

void PreviewMaker::caps(const GstCaps *caps) {
  const std::lock_guard use(use_);
  if (caps_ && gst_caps_is_equal(caps_, caps)) return;
  decoder_.reset();
  gst_caps_take(&caps_, gst_caps_copy(caps));
  retry_at_ = 0;
  const std::lock_guard guard(lock_);
  waiting_.clear();
}

void PreviewMaker::broke(const std::string &why) {
  constexpr double a_while = 60;
  retry_at_ = Utc::monotonic_seconds() + a_while;
  decoder_.reset();
  if (!std::exchange(said_, true)) calls_.warning("no previews of the recording are made: " + why);
}

void PreviewMaker::add(const KeyPicture &picture) {
  constexpr std::size_t most_waiting = 4;
  constexpr double patience = 30;
  const double now = Utc::monotonic_seconds();
  const std::lock_guard use(use_);
  if (!caps_ || now < retry_at_) return;
  std::uint64_t number = 0;
  {
    const std::lock_guard guard(lock_);
    // A decoder may hold some back until later ones come.
    std::erase_if(waiting_, [&](const auto &p) { return now - p.second.since > patience; });
    if (waiting_.size() >= most_waiting) return;
    number = ++number_;
    waiting_[number] = {picture.segment, picture.at, now};
  }
  try {
    if (!decoder_) decoder_ = std::make_unique<Decoder>(caps_, this);
  } catch (const Error &e) {
    return broke(e.what());
  }
  GstBuffer *copy = gst_buffer_copy(picture.buffer.get());
  GST_BUFFER_PTS(copy) = GST_BUFFER_DTS(copy) = number * GST_SECOND;
  GST_BUFFER_DURATION(copy) = GST_CLOCK_TIME_NONE;
  if (gst_app_src_push_buffer(decoder_->source, copy) != GST_FLOW_OK)
    broke("the decoder takes no more key frames");
}

GstFlowReturn PreviewMaker::on_picture(GstAppSink *sink, void *self) {
  if (GstSample *sample = gst_app_sink_pull_sample(sink)) {
    static_cast<PreviewMaker *>(self)->take(sample);
    gst_sample_unref(sample);
  }
  return GST_FLOW_OK;
}

void PreviewMaker::take(GstSample *sample) {
  GstBuffer *jpeg = gst_sample_get_buffer(sample);
  Place place;
  {
    const std::lock_guard guard(lock_);
    const auto at = waiting_.find(GST_BUFFER_PTS(jpeg) / GST_SECOND);
    if (at == waiting_.end()) return;
    place = at->second;
    waiting_.erase(waiting_.begin(), std::next(at)); // those before it give no picture
  }
  const tools::MappedBuffer map(jpeg);
  if (map) calls_.ready(place.segment, place.at, std::string(map.bytes()));
}

} // namespace vigil::monitor
