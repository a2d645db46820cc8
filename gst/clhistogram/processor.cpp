// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/clhistogram/processor.h"

#include "kernels/histogram/statistics.h"

namespace vigil::gst::clhistogram {
namespace {

using namespace histogram;

struct Counted final : FrameProcessor::PerFrameData {
  explicit Counted(Device &device) : counts(device, sizeof(Counts)) {}
  HostBuffer counts;
  bool valid = false; // the frame was counted
  Settings settings;
};

Levels levels_of(const GstVideoInfo &info) {
  if (GST_VIDEO_INFO_IS_YUV(&info) && info.colorimetry.range != GST_VIDEO_COLOR_RANGE_0_255) return {16, 235};
  return {};
}

void set_counts(GstStructure *s, const char *name, const Bins &all, BinCount wanted) {
  const std::vector<std::uint32_t> counts = in_bins(all, int(wanted));
  GBytes *bytes = g_bytes_new(counts.data(), counts.size() * sizeof counts[0]);
  gst_structure_set(s, name, G_TYPE_BYTES, bytes, nullptr);
  g_bytes_unref(bytes);
}

class HistogramProcessor final : public FrameProcessor {
 public:
  HistogramProcessor(GstElement *element, ClDevice &device, const SharedSettings<Settings> &settings)
      : element_(element), device_(device), settings_(settings), counter_(make_opencl(device)) {}

  void set_format(const FrameKind &in, const FrameKind &) override {
    info_ = in.info;
    number_ = 0;
  }
  std::unique_ptr<PerFrameData> make_frame_data() override { return std::make_unique<Counted>(device_); }

  Plan plan(const FrameTime &, PerFrameData *result) override {
    auto &counted = static_cast<Counted &>(*result);
    counted.settings = settings_.snapshot();
    counted.valid = number_++ % counted.settings.tuning.every == 0;
    return {counted.settings.tuning.overlay ? Use::modify : counted.valid ? Use::inspect : Use::none};
  }
  void run(std::span<FrameTask *const> tasks, Queue &queue) override {
    for (FrameTask *task : tasks) run(*task, static_cast<Counted &>(*task->result), queue);
  }
  void publish(BufferPtr &buffer, const FrameTask &task) override {
    const auto &counted = static_cast<const Counted &>(*task.result);
    if (!counted.valid) return;
    const Counts &counts = *counted.counts.as<Counts>();
    buffer.reset(gst_buffer_make_writable(buffer.release()));
    add_meta(buffer.get(), counts, counted.settings.bins);
    if (counted.settings.tuning.post_messages) post(task.time, counts);
  }
  std::uint64_t result_bytes() const override { return bytes_; }

 private:
  void run(FrameTask &task, Counted &counted, Queue &queue) {
    if (counted.valid) {
      counter_->count(task.in, queue);
      counter_->fetch(counted.counts.as<Counts>(), queue);
      bytes_ += sizeof(Counts);
    }
    if (counted.settings.tuning.overlay) {
      const Panel panel = panel_for(task.in.width, task.in.height, int(counted.settings.bins));
      counter_->draw(task.out, panel, queue);
      task.changed = {panel.x, panel.y, panel.width, panel.height};
    }
  }
  int channels() const { return GST_VIDEO_INFO_IS_RGB(&info_) ? 3 : 1; }

  void add_meta(GstBuffer *buffer, const Counts &counts, BinCount wanted) const {
    GstStructure *s = gst_custom_meta_get_structure(gst_buffer_add_custom_meta(buffer, meta_name));
    const Levels levels = levels_of(info_);
    const guint64 pixels = guint64(GST_VIDEO_INFO_WIDTH(&info_)) * guint64(GST_VIDEO_INFO_HEIGHT(&info_));
    gst_structure_set(s, "bins", G_TYPE_INT, int(wanted), "pixels", G_TYPE_UINT64, pixels, "black",
                      G_TYPE_INT, levels.black, "white", G_TYPE_INT, levels.white, nullptr);
    if (channels() == 3) {
      set_counts(s, "red", counts.channel[0], wanted);
      set_counts(s, "green", counts.channel[1], wanted);
      set_counts(s, "blue", counts.channel[2], wanted);
    }
    set_counts(s, "intensity", counts.intensity, wanted);
  }

  void post(const FrameTime &time, const Counts &counts) const {
    const Statistics s = statistics(counts, channels(), levels_of(info_));
    const Advice a = advise(s);
    GstStructure *m = new_timed_structure("histogram", time);
    gst_structure_set(m, "mean", G_TYPE_DOUBLE, s.mean, "median", G_TYPE_DOUBLE, s.median, "contrast",
                      G_TYPE_DOUBLE, s.contrast, "clipped-dark", G_TYPE_DOUBLE, s.clipped_dark,
                      "clipped-bright", G_TYPE_DOUBLE, s.clipped_bright, "exposure", G_TYPE_STRING,
                      name_of(a.exposure), "exposure-stops", G_TYPE_DOUBLE, a.stops, "low-contrast",
                      G_TYPE_BOOLEAN, gboolean(a.low_contrast), nullptr);
    gst_element_post_message(element_, gst_message_new_element(GST_OBJECT(element_), m));
  }

  GstElement *element_;
  ClDevice &device_;
  const SharedSettings<Settings> &settings_;
  std::unique_ptr<Counter> counter_;
  GstVideoInfo info_{};
  std::uint64_t number_ = 0, bytes_ = 0;
};

} // namespace

// The counts are of this picture, its colours and its size: an element that changes any of these drops them.
void register_meta() {
  static const gchar *tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_COLORSPACE_STR,
                                GST_META_TAG_VIDEO_SIZE_STR, nullptr};
  static const GstMetaInfo *info = gst_meta_register_custom(meta_name, tags, nullptr, nullptr, nullptr);
  if (!info) GST_WARNING("the metadata %s cannot be registered", meta_name);
}

std::unique_ptr<FrameProcessor> make_processor(GstElement *element, ClDevice &device,
                                               const SharedSettings<Settings> &settings) {
  return std::make_unique<HistogramProcessor>(element, device, settings);
}

} // namespace vigil::gst::clhistogram
