// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cljointbilateral/joint.h"

#include "common/error.h"
#include "gst/errors.h"
#include "gst/memory/opencl_devices.h"
#include "gst/video/formats.h"

#include <utility>

namespace vigil::gst::cljointbilateral {
namespace {

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
  stats_.set_device(device_->name());
}

void Joint::close() noexcept {
  device_.reset();
}

void Joint::start() {
  guide_.start();
  stats_.restart();
}

void Joint::stop() noexcept {
  guide_.stop();
  filtering_.reset();
  pool_.reset();
  kind_.reset();
  caps_.reset();
  tags_.clear();
}

void Joint::take_caps(GstCaps *caps) {
  const FrameKind kind = frame_kind(caps);
  caps_.reset(gst_caps_ref(caps));
  guide_.picture_changed();
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
  stats_.set_tuning(filtering_->tuned().variant->name, filtering_->tuned().result);
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

void Joint::filter(GstBuffer *in, GstBuffer *guide, GstBuffer *out) {
  GstBuffer *by = guide_.convert(guide, kind_->info);
  const bilateral::Params params = settings.read([](const Settings &s) { return s.params; });
  if (const auto refused = filtering_->apply(in, by, out, params)) {
    guide_.refuse(*refused);
    by = nullptr;
  }
  stats_.count(by != nullptr, filtering_->milliseconds(), filtering_->copied());
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
  const int tolerance = settings.read([](const Settings &s) { return s.pairing.tolerance; });
  if (guide_.choose(running_time(sink_, in.get()), timeout, tolerance, guide) == Pair::wait)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
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

} // namespace vigil::gst::cljointbilateral
