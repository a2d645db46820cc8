// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cljointbilateral/joint.h"

#include "common/error.h"
#include "gst/errors.h"
#include "gst/memory/opencl_devices.h"
#include "gst/video/formats.h"

#include <utility>

namespace vigil::gst::cljointbilateral {
namespace {

// What a pad makes of a GAP event: no picture.
bool is_gap(GstBuffer *b) {
  return GST_BUFFER_FLAG_IS_SET(b, GST_BUFFER_FLAG_GAP) && gst_buffer_get_size(b) == 0;
}

GstClockTime running_time(const GstAggregatorPad *pad, GstBuffer *b) {
  if (pad->segment.format != GST_FORMAT_TIME) return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time(&pad->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(b));
}

// Times and flags of the picture, and the metadata that hold for what is made of it.
void copy_description(GstBuffer *in, GstBuffer *out) {
  gst_buffer_copy_into(out, in, GstBufferCopyFlags(GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS), 0,
                       gsize(-1));
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta(in, &state)) {
    const gchar *const *tags = gst_meta_api_type_get_tags(meta->info->api);
    GstMetaTransformCopy all{FALSE, 0, gsize(-1)};
    if (meta->info->transform_func && (!tags || !*tags || describes_a_place(meta)))
      meta->info->transform_func(out, meta, in, _gst_meta_transform_copy, &all);
  }
}

bool takes_video_meta(GstPad *src, GstCaps *caps) {
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  const bool takes = gst_pad_peer_query(src, query) &&
                     gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  gst_query_unref(query);
  return takes;
}

} // namespace

void Joint::open() {
  device_ = share_cl_device(settings.snapshot().device);
  const std::lock_guard lock(stats_mutex_);
  device_name_ = device_->name();
}

void Joint::close() noexcept {
  device_.reset();
}

void Joint::start() {
  guide_refused_ = false;
  guide_flushed_ = false;
  const std::lock_guard lock(stats_mutex_);
  counts_ = {};
}

void Joint::stop() noexcept {
  before_.reset();
  filtering_.reset();
  converter_.reset();
  pool_.reset();
  kind_.reset();
  caps_.reset();
  tags_.clear();
  guide_info_.reset();
}

void Joint::take_caps(GstCaps *caps) {
  const FrameKind kind = frame_kind(caps);
  caps_.reset(gst_caps_ref(caps));
  converter_.reset();
  if (filtering_ && GST_VIDEO_INFO_FORMAT(&kind_->info) == GST_VIDEO_INFO_FORMAT(&kind.info) &&
      kind_->info.width == kind.info.width && kind_->info.height == kind.info.height) {
    kind_ = kind;
    return;
  }
  filtering_.reset(); // before the next one takes memory
  kind_.reset();
  const Settings s = settings.snapshot();
  filtering_ = std::make_unique<Filtering>(*device_, kind, Filtering::Options{s.params, s.tune});
  kind_ = kind;
  tuning_.set(filtering_->tuned().variant->name, filtering_->tuned().result);
}

void Joint::take_guide_caps(const GstCaps *caps) {
  const GstVideoInfo info = frame_kind(caps).info;
  if (guide_info_ && gst_video_info_is_equal(&info, &*guide_info_)) return;
  guide_info_ = info;
  converter_.reset();
  before_.reset();
  // A picture may have to wait for the guide's next frame.
  gst_aggregator_set_latency(agg_, frame_duration(info), frame_duration(info));
}

bool Joint::negotiate() {
  if (!caps_) return true; // a stream that ends before it begins
  gst_aggregator_set_src_caps(agg_, caps_.get());
  guint size = 0;
  pool_.reset(new_video_pool(caps_.get(), takes_video_meta(agg_->srcpad, caps_.get()), 2, size));
  return pool_ && gst_buffer_pool_set_active(pool_.get(), TRUE);
}

GstClockTime Joint::next_time() {
  const BufferPtr b(gst_aggregator_pad_peek_buffer(sink_));
  return b ? running_time(sink_, b.get()) : GST_CLOCK_TIME_NONE;
}

// None for a frame without a time.
std::optional<GuideTime> Joint::time_of(GstAggregatorPad *guide, GstBuffer *b) const {
  const GstClockTime running = running_time(guide, b);
  if (!GST_CLOCK_TIME_IS_VALID(running)) return {};
  const GstClockTime duration = GST_BUFFER_DURATION(b);
  return GuideTime{running, GST_CLOCK_TIME_IS_VALID(duration) ? duration
                            : guide_info_                     ? frame_duration(*guide_info_)
                                                              : 0};
}

// Leaves the frame of the guide in `chosen`. A frame that is after the picture, or so little before it that
// it is the nearest, stays on its pad; those before it come into before_.
Pair Joint::pair(GstClockTime picture, bool timeout, BufferPtr &chosen) {
  if (guide_flushed_.exchange(false)) before_.reset();
  const ObjectPtr<GstPad> pad(gst_element_get_static_pad(GST_ELEMENT(agg_), "guide"));
  if (!pad) {
    before_.reset();
    return Pair::none;
  }
  auto *guide = GST_AGGREGATOR_PAD(pad.get());
  GuideFrame after;
  while (!after.buffer) {
    BufferPtr head(gst_aggregator_pad_peek_buffer(guide));
    if (!head) break;
    const auto time = time_of(guide, head.get());
    const bool timed = time && GST_CLOCK_TIME_IS_VALID(picture);
    if (timed && !is_gap(head.get()) && (time->running > picture || is_close(picture, *time))) {
      after = {std::move(head), *time};
      break;
    }
    gst_aggregator_pad_drop_buffer(guide);
    if (is_gap(head.get())) continue;
    // Where one of the two has no time, the next frame of the guide goes with the next picture.
    before_ = {std::move(head), timed ? *time : GuideTime{picture, 0}};
    if (!timed) break;
  }
  const bool more = !timeout && !gst_aggregator_pad_is_eos(guide);
  const int tolerance = settings.read([](const Settings &s) { return s.pairing.tolerance; });
  const Pair pair = pair_for(picture, before_ ? std::optional(before_->time) : std::nullopt,
                             after.buffer ? std::optional(after.time) : std::nullopt, more,
                             tolerance < 0 ? GST_CLOCK_TIME_NONE : GstClockTime(tolerance) * GST_MSECOND);
  if (pair == Pair::before) chosen.reset(gst_buffer_ref(before_->buffer.get()));
  if (pair == Pair::after) chosen = std::move(after.buffer);
  return pair;
}

void Joint::refuse_guide(const std::exception &why) {
  if (std::exchange(guide_refused_, true)) return;
  post_warning(GST_ELEMENT(agg_), Error(Error::Kind::bad_data,
                                        text("a frame of the guide cannot be used, so that the picture's own "
                                             "weights are: ",
                                             why.what())));
}

// The frame as the filter takes it; null when it cannot be had.
GstBuffer *Joint::usable(GstBuffer *guide) {
  if (!guide) return nullptr;
  try {
    if (!guide_info_) fail(Error::Kind::bad_data, "it came before its caps");
    if (!converter_) converter_ = std::make_unique<GuideConverter>(*guide_info_, kind_->info);
    return converter_->convert(guide);
  } catch (const Error &e) {
    refuse_guide(e);
    return nullptr;
  }
}

void Joint::filter(GstBuffer *in, GstBuffer *guide, GstBuffer *out) {
  GstBuffer *by = usable(guide);
  const bilateral::Params params = settings.read([](const Settings &s) { return s.params; });
  if (const auto refused = filtering_->apply(in, by, out, params)) {
    refuse_guide(*refused);
    by = nullptr;
  }
  const double ms = filtering_->milliseconds();
  const std::lock_guard lock(stats_mutex_);
  counts_.frames++;
  counts_.guided += by != nullptr;
  counts_.kernel_ms += ms;
  counts_.kernel_last_ms = ms;
  counts_.copied = filtering_->copied();
}

GstFlowReturn Joint::aggregate(bool timeout) {
  BufferPtr in(gst_aggregator_pad_peek_buffer(sink_));
  if (!in) return gst_aggregator_pad_is_eos(sink_) ? GST_FLOW_EOS : GST_AGGREGATOR_FLOW_NEED_DATA;
  if (is_gap(in.get())) {
    gst_aggregator_pad_drop_buffer(sink_);
    return GST_FLOW_OK;
  }
  if (!filtering_ || !pool_) return refuse_without_caps(GST_ELEMENT(agg_));
  BufferPtr guide;
  if (pair(running_time(sink_, in.get()), timeout, guide) == Pair::wait) return GST_AGGREGATOR_FLOW_NEED_DATA;
  gst_aggregator_pad_drop_buffer(sink_);

  const GstClockTime stream =
      sink_->segment.format == GST_FORMAT_TIME
          ? gst_segment_to_stream_time(&sink_->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(in.get()))
          : GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID(stream)) gst_object_sync_values(GST_OBJECT(agg_), stream);
  GstBuffer *made = nullptr;
  const GstFlowReturn flow = gst_buffer_pool_acquire_buffer(pool_.get(), &made, nullptr);
  if (flow != GST_FLOW_OK) return flow;
  BufferPtr out(made);
  copy_description(in.get(), out.get());
  filter(in.get(), guide.get(), out.get());
  in.reset(); // upstream's pool may have few
  const GstFlowReturn pushed = gst_aggregator_finish_buffer(agg_, out.release());
  for (auto &tags : tags_) gst_pad_push_event(agg_->srcpad, tags.release());
  tags_.clear();
  return pushed;
}

GstStructure *Joint::stats() const {
  GstStructure *s = nullptr;
  {
    const std::lock_guard lock(stats_mutex_);
    const double mean_ms = counts_.frames ? counts_.kernel_ms / double(counts_.frames) : 0;
    s = gst_structure_new("stats", "frames", G_TYPE_UINT64, guint64(counts_.frames), "guided", G_TYPE_UINT64,
                          guint64(counts_.guided), "kernel-time-us", G_TYPE_DOUBLE, mean_ms * 1000,
                          "kernel-time-last-us", G_TYPE_DOUBLE, counts_.kernel_last_ms * 1000,
                          "bytes-host-to-device", G_TYPE_UINT64, guint64(counts_.copied.to_device),
                          "bytes-device-to-host", G_TYPE_UINT64, guint64(counts_.copied.to_host), "backend",
                          G_TYPE_STRING, name_of(Backend::opencl), "device", G_TYPE_STRING,
                          device_name_.c_str(), nullptr);
  }
  tuning_.add(s);
  return s;
}

} // namespace vigil::gst::cljointbilateral
