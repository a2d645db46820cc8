// SPDX-License-Identifier: LGPL-2.1-or-later
// scenetestsrc and its truth pad.
#include "source.h"

#include "common/error.h"
#include "score.h"

#include <algorithm>
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <map>
#include <vector>

namespace vigil::eval {

namespace {

struct Assignment {
  std::string name, value;
};

// "street,seed=3,frames=300": a first word without '=' is the scene.
std::vector<Assignment> parse(const std::string &description) {
  std::vector<Assignment> all;
  for (std::size_t at = 0; at < description.size();) {
    const std::size_t end = std::min(description.find(',', at), description.size());
    const std::string part = description.substr(at, end - at);
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos && equals > 0)
      all.push_back({part.substr(0, equals), part.substr(equals + 1)});
    else if (at == 0 && !part.empty() && equals == std::string::npos)
      all.push_back({"scene", part});
    else
      fail(Error::Kind::bad_setting, "\"", part, "\" in scene:", description,
           " is not property=value; an example is scene:street,seed=3,frames=300,width=640,height=480");
    at = end + 1;
  }
  return all;
}

std::uint64_t positive(const Assignment &a) {
  gchar *end = nullptr;
  const guint64 v = g_ascii_strtoull(a.value.c_str(), &end, 10);
  if (a.value.empty() || a.value[0] == '-' || *end || v < 1 || v > G_MAXINT)
    fail(Error::Kind::bad_setting, a.name, "=", a.value, " of a scene must be a number from 1 up");
  return v;
}

// "; there are a, b and c" for a property that takes words of a list; empty for others.
std::string choices_of(const GParamSpec *spec) {
  if (!G_IS_PARAM_SPEC_ENUM(spec)) return "";
  const GEnumClass *values = G_PARAM_SPEC_ENUM(spec)->enum_class;
  std::string words;
  for (guint i = 0; i < values->n_values; i++)
    words += text(i == 0 ? "" : i + 1 == values->n_values ? " and " : ", ", values->values[i].value_nick);
  return "; there are " + words;
}

// Sets a property from its text; GStreamer's own function ignores what it cannot convert.
void set_property(GstElement *element, const Assignment &a) {
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), a.name.c_str());
  if (!spec || !(spec->flags & G_PARAM_WRITABLE))
    fail(Error::Kind::bad_setting, "scenetestsrc has no property \"", a.name,
         "\"; see gst-inspect-1.0 scenetestsrc");
  GValue value = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  const bool good = gst_value_deserialize_with_pspec(&value, a.value.c_str(), spec) &&
                    !g_param_value_validate(spec, &value);
  if (good) g_object_set_property(G_OBJECT(element), a.name.c_str(), &value);
  g_value_unset(&value);
  if (!good)
    fail(Error::Kind::bad_setting, a.name, "=", a.value, " cannot be set", choices_of(spec),
         "; see gst-inspect-1.0 scenetestsrc");
}

class SceneSource final : public Source {
 public:
  SceneSource(const std::string &description, FrameRate rate);
  std::uint64_t frames() const override { return frames_; }
  GstElement *build(tools::Pipeline &) override;
  std::optional<Truth> truth_at(GstClockTime) override;
  std::uint64_t labelled(std::uint64_t first) override;

 private:
  struct Labels {
    std::uint64_t index;
    GrayImage image;
  };
  bool pull_truth();
  gst::ObjectPtr<GstElement> make() const;

  std::vector<Assignment> properties_;
  std::uint64_t frames_ = 300;
  gst::CapsPtr caps_;
  GstAppSink *sink_ = nullptr; // the pipeline's
  std::map<GstClockTime, Labels> waiting_;
  std::uint64_t seen_ = 0; // truths that came
};

SceneSource::SceneSource(const std::string &description, FrameRate rate) : Source("scene:" + description) {
  caps_.reset(gst_caps_new_simple("video/x-raw", "width", G_TYPE_INT, 640, "height", G_TYPE_INT, 480,
                                  "framerate", GST_TYPE_FRACTION, rate.numerator, rate.denominator, nullptr));
  for (const Assignment &a : parse(description)) {
    if (a.name == "width" || a.name == "height")
      gst_caps_set_simple(caps_.get(), a.name.c_str(), G_TYPE_INT, static_cast<int>(positive(a)), nullptr);
    else if (a.name == "format")
      gst_caps_set_simple(caps_.get(), "format", G_TYPE_STRING, a.value.c_str(), nullptr);
    else if (a.name == "frames")
      frames_ = positive(a);
    else
      properties_.push_back(a);
  }
  make(); // so that what cannot be set is known before anything runs
}

gst::ObjectPtr<GstElement> SceneSource::make() const {
  gst::ObjectPtr<GstElement> scene(
      GST_ELEMENT(gst_object_ref_sink(tools::make_element("scenetestsrc", "scene"))));
  for (const Assignment &a : properties_) set_property(scene.get(), a);
  g_object_set(scene.get(), "num-buffers", static_cast<int>(frames_), nullptr);
  return scene;
}

GstElement *SceneSource::build(tools::Pipeline &pipeline) {
  waiting_.clear();
  seen_ = 0;
  GstElement *scene = pipeline.add(make().get());
  GstElement *filter = pipeline.add(tools::make_element("capsfilter", "scene-caps"));
  GstElement *sink = pipeline.add(tools::make_element("appsink", "truth"));
  // It waits neither for the clock nor for a preroll: the masks may come many frames after their truth.
  constexpr guint few = 8; // the truth has a thread of its own in scenetestsrc, and may wait for the masks
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", few, nullptr);
  g_object_set(filter, "caps", caps_.get(), nullptr);
  tools::link({scene, filter});
  if (!gst_element_link_pads(scene, "truth", sink, "sink"))
    fail(Error::Kind::bad_setting, "scenetestsrc gives no truth");
  sink_ = GST_APP_SINK(sink);
  return filter;
}

// Waits for the next truth; false at the end of stream.
bool SceneSource::pull_truth() {
  constexpr GstClockTime patience = 10 * GST_SECOND;
  gst::SamplePtr sample(gst_app_sink_try_pull_sample(sink_, patience));
  if (!sample) return false;
  GstVideoInfo info;
  GstVideoFrame frame;
  GstBuffer *buffer = gst_sample_get_buffer(sample.get());
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample.get())) ||
      GST_VIDEO_INFO_FORMAT(&info) != GST_VIDEO_FORMAT_GRAY8 ||
      !gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ))
    fail(Error::Kind::bad_data, "the truth of ", name(), " is not GRAY8 video");
  GrayImage image{info.width, info.height, {}};
  const auto *data = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  for (int y = 0; y < info.height; y++) {
    const std::uint8_t *row = data + static_cast<std::ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    image.bytes.insert(image.bytes.end(), row, row + info.width);
  }
  gst_video_frame_unmap(&frame);
  waiting_.emplace(GST_BUFFER_PTS(buffer), Labels{seen_++, std::move(image)});
  return true;
}

std::optional<Truth> SceneSource::truth_at(GstClockTime pts) {
  while ((waiting_.empty() || waiting_.rbegin()->first < pts) && pull_truth()) {
  }
  waiting_.erase(waiting_.begin(), waiting_.lower_bound(pts)); // their masks were dropped
  const auto found = waiting_.find(pts);
  if (found == waiting_.end()) return {};
  Truth truth{.index = found->second.index,
              .frame = std::to_string(found->second.index),
              .labels = std::move(found->second.image)};
  waiting_.erase(found);
  return truth;
}

std::uint64_t SceneSource::labelled(std::uint64_t first) {
  while (pull_truth()) {
  }
  return seen_ > first ? seen_ - first : 0;
}

} // namespace

std::unique_ptr<Source> open_scene_source(const std::string &description, FrameRate rate) {
  return std::make_unique<SceneSource>(description, rate);
}

} // namespace vigil::eval
