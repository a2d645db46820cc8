// SPDX-License-Identifier: LGPL-2.1-or-later
// A folder's files, pushed one by one, still compressed, into the decoder of their kind: each frame once,
// with an exact time, and no typefinding or parsing that could merge or drop one.
#include "source.h"

#include "common/error.h"
#include "description.h"
#include "folder.h"

#include <cstring>
#include <gst/app/gstappsrc.h>

namespace vigil::eval {

namespace {

struct Kind {
  const char *extension, *caps, *decoder;
};
constexpr Kind kinds[] = {
    {".jpg", "image/jpeg", "jpegdec"},
    {".jpeg", "image/jpeg", "jpegdec"},
    {".png", "image/png", "pngdec"},
    {".bmp", "image/bmp", "avdec_bmp"},
};

class FolderSource final : public Source {
 public:
  FolderSource(Folder folder, FrameRate rate)
      : Source(folder.name), folder_(std::move(folder)), rate_(rate) {}
  std::uint64_t frames() const override { return folder_.frames.size(); }
  GstElement *build(tools::Pipeline &) override;
  std::optional<Truth> truth_at(GstClockTime) override;
  std::uint64_t labelled(std::uint64_t first) override;

 private:
  GstElement *build_video(tools::Pipeline &);
  void push(GstAppSrc *);
  GstClockTime time_of(std::uint64_t index) const {
    return gst_util_uint64_scale_round(index, GST_SECOND * rate_.denominator, rate_.numerator);
  }
  Folder folder_;
  FrameRate rate_;
  std::size_t next_ = 0; // of the frames, by the streaming thread once the pipeline runs
};

// The video's own times are replaced by those of its frames' numbers, so that none is lost where they are
// odd.
GstElement *FolderSource::build_video(tools::Pipeline &pipeline) {
  GstElement *file = pipeline.add(tools::make_element("filesrc", "file"));
  GstElement *decoder = pipeline.add(tools::make_element("decodebin", "decoder"));
  GstElement *decoded = pipeline.add(tools::make_element("videoconvert", "decoded"));
  g_object_set(file, "location", folder_.video.c_str(), nullptr);
  tools::link({file, decoder});
  tools::link_video(decoder, decoded);
  gst::ObjectPtr<GstPad> pad(gst_element_get_static_pad(decoded, "src"));
  gst_pad_add_probe(
      pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *, GstPadProbeInfo *info, gpointer data) {
        auto *self = static_cast<FolderSource *>(data);
        GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
        GST_BUFFER_PTS(buffer) = self->time_of(self->next_);
        GST_BUFFER_DURATION(buffer) = self->time_of(self->next_ + 1) - self->time_of(self->next_);
        self->next_++;
        GST_PAD_PROBE_INFO_DATA(info) = buffer;
        return GST_PAD_PROBE_OK;
      },
      this, nullptr);
  return decoded;
}

GstElement *FolderSource::build(tools::Pipeline &pipeline) {
  next_ = 0;
  if (!folder_.video.empty()) return build_video(pipeline);
  const Kind *kind = kinds;
  while (folder_.extension != kind->extension) ++kind;
  GstElement *source = pipeline.add(tools::make_element("appsrc", "frames"));
  GstElement *decoder = pipeline.add(tools::make_element(kind->decoder, "decoder"));
  gst::CapsPtr caps(gst_caps_new_simple(kind->caps, "framerate", GST_TYPE_FRACTION, rate_.numerator,
                                        rate_.denominator, nullptr));
  g_object_set(source, "caps", caps.get(), "format", GST_FORMAT_TIME, nullptr);
  GstAppSrcCallbacks callbacks{};
  callbacks.need_data = [](GstAppSrc *s, guint, gpointer self) {
    static_cast<FolderSource *>(self)->push(s);
  };
  gst_app_src_set_callbacks(GST_APP_SRC(source), &callbacks, this, nullptr);
  tools::link({source, decoder});
  return decoder;
}

void FolderSource::push(GstAppSrc *source) {
  if (next_ == folder_.frames.size()) {
    gst_app_src_end_of_stream(source);
    return;
  }
  gchar *data = nullptr;
  gsize size = 0;
  GError *error = nullptr;
  if (!g_file_get_contents(folder_.frames[next_].c_str(), &data, &size, &error)) {
    gst::ErrorPtr owner(error);
    GST_ELEMENT_ERROR(source, RESOURCE, READ, ("%s", error->message), (nullptr));
    gst_app_src_end_of_stream(source);
    return;
  }
  GstBuffer *buffer = gst_buffer_new_wrapped(data, size);
  GST_BUFFER_PTS(buffer) = time_of(next_);
  GST_BUFFER_DURATION(buffer) = time_of(next_ + 1) - time_of(next_);
  next_++;
  gst_app_src_push_buffer(source, buffer);
}

std::optional<Truth> FolderSource::truth_at(GstClockTime pts) {
  const guint64 index = gst_util_uint64_scale_round(pts, rate_.numerator, GST_SECOND * rate_.denominator);
  if (!folder_.truth.contains(index)) return {};
  return Truth{
      .index = index,
      .frame = std::to_string(folder_.video.empty() ? folder_.numbers[index] : static_cast<long long>(index)),
      .labels = load_truth(folder_, index),
      .region = folder_.region.width ? &folder_.region : nullptr};
}

std::uint64_t FolderSource::labelled(std::uint64_t first) {
  return static_cast<std::uint64_t>(std::distance(folder_.truth.lower_bound(first), folder_.truth.end()));
}

} // namespace

std::unique_ptr<Source> open_folder_source(const std::string &path, FrameRate rate) {
  return std::make_unique<FolderSource>(open_folder(path), rate);
}

std::unique_ptr<Source> open_source(const std::string &dataset, FrameRate rate) {
  constexpr const char *scene = "scene:";
  if (dataset.starts_with(scene)) return open_scene_source(dataset.substr(std::strlen(scene)), rate);
  return open_folder_source(dataset, rate);
}

} // namespace vigil::eval
