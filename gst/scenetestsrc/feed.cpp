// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/scenetestsrc/feed.h"

#include "common/error.h"
#include "gst/scenetestsrc/truth.h"

#include <algorithm>
#include <gst/base/gstpushsrc.h>
#include <gst/video/gstvideopool.h>
#include <vector>

GST_DEBUG_CATEGORY_EXTERN(vigil_scenetestsrc_debug);
#define GST_CAT_DEFAULT vigil_scenetestsrc_debug

namespace vigil {
namespace {

struct State {
  std::shared_ptr<Stage> stage;
  Role role;
  GstVideoInfo info;     // what this pad sends; its format is UNKNOWN until that is agreed
  gint64 frame = 0;      // the next one
  GstClockTime next = 0; // its time in the scene
  bool unlocked = false; // under the stage's lock: do not wait
  bool lines_told = false;
  guint64 given = 0, left_out = 0; // frames
};

struct VigilSceneFeed {
  GstPushSrc parent;
  State *state;
};
struct VigilSceneFeedClass {
  GstPushSrcClass parent_class;
};

G_DEFINE_TYPE(VigilSceneFeed, feed, GST_TYPE_PUSH_SRC)

State &state_of(gpointer feed) {
  return *static_cast<VigilSceneFeed *>(feed)->state;
}

constexpr int default_rate = 30; // also where the rate may vary

int rate_n(const GstVideoInfo &info) {
  return info.fps_n > 0 ? info.fps_n : default_rate;
}
int rate_d(const GstVideoInfo &info) {
  return info.fps_n > 0 ? info.fps_d : 1;
}
GstClockTime time_of(const GstVideoInfo &info, gint64 frame) {
  return gst_util_uint64_scale(guint64(frame), guint64(rate_d(info)) * GST_SECOND, guint64(rate_n(info)));
}
gint64 frame_at(const GstVideoInfo &info, GstClockTime time) {
  return gint64(gst_util_uint64_scale_round(time, guint64(rate_n(info)), guint64(rate_d(info)) * GST_SECOND));
}

GstStaticPadTemplate any_format = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(VIGIL_SCENE_CAPS(VIGIL_SCENE_FORMATS)));

GstCaps *feed_get_caps(GstBaseSrc *base, GstCaps *filter) {
  State &s = state_of(base);
  GstCaps *caps = gst_caps_make_writable(gst_static_pad_template_get_caps(&any_format));
  if (s.role == Role::truth) gst_caps_set_simple(caps, "format", G_TYPE_STRING, "GRAY8", nullptr);
  {
    const std::lock_guard hold(s.stage->lock);
    if (s.stage->scene && s.stage->truth_wanted)
      gst_caps_set_simple(caps, "width", G_TYPE_INT, s.stage->info.width, "height", G_TYPE_INT,
                          s.stage->info.height, "framerate", GST_TYPE_FRACTION, s.stage->info.fps_n,
                          s.stage->info.fps_d, nullptr);
  }
  if (filter) {
    GstCaps *both = gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref(caps);
    caps = both;
  }
  return caps;
}

// I420 wherever it is possible: what comes first in `caps` is what the element behind lists first, and one
// that makes masks would turn the scene grey.
GstCaps *preferred(GstCaps *caps) {
  static GstStaticCaps colour = GST_STATIC_CAPS("video/x-raw, format=I420");
  GstCaps *wanted = gst_static_caps_get(&colour), *some = gst_caps_intersect(caps, wanted);
  gst_caps_unref(wanted);
  if (gst_caps_is_empty(some)) {
    gst_caps_unref(some);
    return caps;
  }
  gst_caps_unref(caps);
  return some;
}

GstCaps *feed_fixate(GstBaseSrc *base, GstCaps *caps) {
  caps = gst_caps_make_writable(gst_caps_truncate(preferred(caps)));
  GstStructure *s = gst_caps_get_structure(caps, 0);
  gst_structure_fixate_field_nearest_int(s, "width", 640);
  gst_structure_fixate_field_nearest_int(s, "height", 480);
  gst_structure_fixate_field_nearest_fraction(s, "framerate", default_rate, 1);
  if (gst_structure_has_field(s, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction(s, "pixel-aspect-ratio", 1, 1);
  return GST_BASE_SRC_CLASS(feed_parent_class)->fixate(base, caps);
}

// The truth's caps are those of the pictures, so it waits until these are known.
gboolean feed_negotiate(GstBaseSrc *base) {
  State &s = state_of(base);
  if (s.role == Role::truth) {
    std::unique_lock hold(s.stage->lock);
    s.stage->changed.wait(hold, [&] { return s.stage->scene || s.unlocked; });
    if (s.unlocked) return FALSE;
  }
  return GST_BASE_SRC_CLASS(feed_parent_class)->negotiate(base);
}

gboolean feed_unlock(GstBaseSrc *base) {
  State &s = state_of(base);
  const std::lock_guard hold(s.stage->lock);
  s.unlocked = true;
  s.stage->changed.notify_all();
  return TRUE;
}

gboolean feed_unlock_stop(GstBaseSrc *base) {
  State &s = state_of(base);
  const std::lock_guard hold(s.stage->lock);
  s.unlocked = false;
  return TRUE;
}

gboolean feed_set_caps(GstBaseSrc *base, GstCaps *caps) {
  State &s = state_of(base);
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) {
    GST_ERROR_OBJECT(base, "cannot read caps %" GST_PTR_FORMAT, caps);
    return FALSE;
  }
  if (s.role == Role::picture) {
    scene::Settings settings;
    std::shared_ptr<const scene::Scene> scene;
    {
      const std::lock_guard hold(s.stage->lock);
      settings = s.stage->settings;
      scene = s.stage->scene;
    }
    if (scene) settings = scene->settings(); // properties take effect at the next start
    if (!scene || settings.width != info.width || settings.height != info.height) {
      settings.width = info.width;
      settings.height = info.height;
      try {
        scene = std::make_shared<const scene::Scene>(settings, s.stage->device);
      } catch (const std::exception &e) {
        GST_ELEMENT_ERROR(base, RESOURCE, FAILED, ("The scene cannot be made."), ("%s", e.what()));
        return FALSE;
      }
    }
    const std::lock_guard hold(s.stage->lock);
    s.stage->scene = scene;
    s.stage->info = info;
    s.stage->changed.notify_all();
  }
  s.frame = frame_at(info, s.next);
  s.info = info;
  return TRUE;
}

gboolean feed_decide_allocation(GstBaseSrc *base, GstQuery *query) {
  GstCaps *caps;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstVideoInfo info;
  if (!caps || !gst_video_info_from_caps(&info, caps)) return FALSE;

  GstBufferPool *pool = nullptr;
  guint size = guint(info.size), least = 0, most = 0;
  const bool offered = gst_query_get_n_allocation_pools(query) > 0;
  if (offered) {
    gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &least, &most);
    size = std::max(size, guint(info.size));
  }
  if (!pool) pool = gst_video_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, least, most);
  if (gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr))
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_set_config(pool, config);
  if (offered)
    gst_query_set_nth_allocation_pool(query, 0, pool, size, least, most);
  else
    gst_query_add_allocation_pool(query, pool, size, least, most);
  gst_object_unref(pool);
  return GST_BASE_SRC_CLASS(feed_parent_class)->decide_allocation(base, query);
}

scene::Coding coding_of(const GstVideoInfo &info) {
  scene::Coding coding;
  double kr, kb;
  if (gst_video_color_matrix_get_Kr_Kb(info.colorimetry.matrix, &kr, &kb)) {
    coding.kr = float(kr);
    coding.kb = float(kb);
  }
  coding.full_range = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  return coding;
}

Image image_of(GstVideoFrame &frame) {
  Image image{PixelFormat::gray8, GST_VIDEO_FRAME_WIDTH(&frame), GST_VIDEO_FRAME_HEIGHT(&frame), {}, {}};
  switch (GST_VIDEO_FRAME_FORMAT(&frame)) {
  case GST_VIDEO_FORMAT_I420:
    image.format = PixelFormat::i420;
    break;
  case GST_VIDEO_FORMAT_NV12:
    image.format = PixelFormat::nv12;
    break;
  case GST_VIDEO_FORMAT_RGBA:
  case GST_VIDEO_FORMAT_RGBx:
    image.format = PixelFormat::rgba;
    break;
  case GST_VIDEO_FORMAT_BGRA:
  case GST_VIDEO_FORMAT_BGRx:
    image.format = PixelFormat::bgra;
    break;
  default:
    break;
  }
  for (int i = 0; i < plane_count(image.format); i++) {
    image.data[i] = static_cast<std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, i));
    image.stride[i] = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, i);
  }
  return image;
}

double seconds_at(const GstVideoInfo &info, gint64 frame) {
  return double(frame) * rate_d(info) / rate_n(info);
}

struct Truth {
  std::vector<scene::TrueObject> objects;
  std::vector<scene::Incident> incidents; // since the frame before
};

// On the frame and on the bus.
void tell_truth(GstBaseSrc *base, gint64 frame, GstBuffer *buffer, const Truth &truth) {
  State &s = state_of(base);
  add_truth(buffer, truth.objects);
  GstObject *bin = gst_object_get_parent(GST_OBJECT(base)); // it speaks in the name of the whole element
  if (!bin) return;
  const gst::FrameTime time = gst::frame_time(base->segment, buffer);
  if (!s.lines_told) post_lines(GST_ELEMENT(bin), time);
  s.lines_told = true;
  post_incidents(GST_ELEMENT(bin), time, seconds_at(s.info, frame), truth.incidents);
  gst_object_unref(bin);
}

// How long ago the frame at `start` was due; 0 before that, and where nothing says so.
GstClockTime lateness(GstBaseSrc *base, GstClockTime start) {
  GstClock *clock = gst_element_get_clock(GST_ELEMENT(base));
  if (!clock) return 0;
  const GstClockTime now = gst_clock_get_time(clock), begun = gst_element_get_base_time(GST_ELEMENT(base));
  gst_object_unref(clock);
  const GstClockTime due = gst_segment_to_running_time(&base->segment, GST_FORMAT_TIME, start);
  if (!GST_CLOCK_TIME_IS_VALID(due) || !GST_CLOCK_TIME_IS_VALID(begun) || now < begun + due) return 0;
  return now - begun - due;
}

// A live source that is a frame or more behind leaves out what nobody can see in time any more, as a camera
// does, and says so by a QoS message. Not with a truth pad: the two leave out nothing without each other.
void catch_up(GstBaseSrc *base, GstClockTime offset, gint frames) {
  State &s = state_of(base);
  if (!gst_base_src_is_live(base) || base->segment.rate <= 0) return;
  const GstClockTime start = time_of(s.info, s.frame), end = time_of(s.info, s.frame + 1);
  const GstClockTime late = lateness(base, start + offset);
  if (late < end - start) return;
  gint64 now = frame_at(s.info, start + late);
  if (time_of(s.info, now) > start + late) now--; // the frame that is on show
  if (frames >= 0) now = std::min(now, gint64(frames) - 1);
  if (now <= s.frame) return;
  s.left_out += guint64(now - s.frame);
  s.frame = now;
  GstObject *bin = gst_object_get_parent(GST_OBJECT(base)); // it speaks in the name of the whole element
  if (!bin) return;
  GstMessage *m = gst_message_new_qos(
      bin, TRUE, gst_segment_to_running_time(&base->segment, GST_FORMAT_TIME, start + offset),
      gst_segment_to_stream_time(&base->segment, GST_FORMAT_TIME, start + offset), start + offset,
      end - start);
  gst_message_set_qos_stats(m, GST_FORMAT_BUFFERS, s.given, s.left_out);
  gst_element_post_message(GST_ELEMENT(bin), m);
  gst_object_unref(bin);
}

GstFlowReturn feed_create(GstPushSrc *push, GstBuffer **out) {
  State &s = state_of(push);
  GstBaseSrc *base = GST_BASE_SRC(push);
  std::shared_ptr<const scene::Scene> scene;
  GstClockTime offset;
  gint frames;
  bool alone;
  {
    const std::lock_guard hold(s.stage->lock);
    scene = s.stage->scene;
    offset = GstClockTime(s.stage->timestamp_offset);
    frames = s.stage->num_buffers;
    alone = !s.stage->truth_wanted;
  }
  if (!scene || GST_VIDEO_INFO_FORMAT(&s.info) == GST_VIDEO_FORMAT_UNKNOWN) return GST_FLOW_NOT_NEGOTIATED;
  if (s.frame < 0 || (frames >= 0 && s.frame >= frames)) return GST_FLOW_EOS;
  if (alone) catch_up(base, offset, frames);

  GstBuffer *buffer = nullptr;
  const GstFlowReturn allocated = GST_BASE_SRC_GET_CLASS(base)->alloc(base, 0, guint(s.info.size), &buffer);
  if (allocated != GST_FLOW_OK) return allocated;
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &s.info, buffer, GST_MAP_WRITE)) {
    gst_buffer_unref(buffer);
    GST_ELEMENT_ERROR(push, RESOURCE, WRITE, ("A buffer cannot be written."), ("mapping it failed"));
    return GST_FLOW_ERROR;
  }
  const scene::Moment moment{std::uint64_t(s.frame), seconds_at(s.info, s.frame)};
  const Image image = image_of(frame);
  Truth truth;
  bool drawn = true;
  try {
    if (s.role == Role::truth) {
      scene->draw_truth(moment, image.plane(0));
      const double before = s.frame > 0 ? seconds_at(s.info, s.frame - 1) : -1;
      truth = {scene->objects(moment.time), scene->incidents(before, moment.time)};
    } else
      scene->draw(moment, image, coding_of(s.info));
  } catch (const std::exception &e) {
    GST_ELEMENT_ERROR(push, RESOURCE, FAILED, ("A frame cannot be drawn."), ("%s", e.what()));
    drawn = false;
  }
  gst_video_frame_unmap(&frame);
  if (!drawn) {
    gst_buffer_unref(buffer);
    return GST_FLOW_ERROR;
  }

  const GstClockTime start = time_of(s.info, s.frame), end = time_of(s.info, s.frame + 1);
  GST_BUFFER_PTS(buffer) = start + offset;
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION(buffer) = end - start;
  GST_BUFFER_OFFSET(buffer) = guint64(s.frame);
  GST_BUFFER_OFFSET_END(buffer) = guint64(s.frame) + 1;
  if (s.role == Role::truth) tell_truth(base, s.frame, buffer, truth);
  if (base->segment.rate < 0) {
    s.frame--;
    s.next = start - std::min(start, end - start);
  } else {
    s.frame++;
    s.next = end;
  }
  s.given++;
  *out = buffer;
  return GST_FLOW_OK;
}

void feed_get_times(GstBaseSrc *base, GstBuffer *buffer, GstClockTime *start, GstClockTime *end) {
  *start = *end = GST_CLOCK_TIME_NONE;
  if (!gst_base_src_is_live(base)) return; // the sink keeps the time
  *start = GST_BUFFER_PTS(buffer);
  *end = *start + GST_BUFFER_DURATION(buffer);
}

gboolean feed_start(GstBaseSrc *base) {
  State &s = state_of(base);
  gst_video_info_init(&s.info);
  s.frame = 0;
  s.next = 0;
  s.lines_told = false;
  s.given = s.left_out = 0;
  return TRUE;
}

gboolean feed_is_seekable(GstBaseSrc *) {
  return TRUE;
}

gboolean feed_do_seek(GstBaseSrc *base, GstSegment *segment) {
  State &s = state_of(base);
  if (segment->format != GST_FORMAT_TIME) return FALSE;
  segment->time = segment->start;
  const GstClockTime at = segment->position;
  const bool known = GST_VIDEO_INFO_FORMAT(&s.info) != GST_VIDEO_FORMAT_UNKNOWN;
  if (segment->rate < 0) { // the last frame is the one that ends at the stop
    if (!known || !GST_CLOCK_TIME_IS_VALID(segment->stop)) return FALSE;
    s.frame = frame_at(s.info, at) - 1;
    s.next = s.frame < 0 ? 0 : time_of(s.info, s.frame);
    return TRUE;
  }
  s.next = at;
  if (!known) return TRUE; // the caps, once there, say which frame that is
  s.frame = frame_at(s.info, at);
  if (time_of(s.info, s.frame) > at && s.frame > 0) s.frame--; // the frame that is on show then
  return TRUE;
}

gboolean feed_query(GstBaseSrc *base, GstQuery *query) {
  State &s = state_of(base);
  if (GST_QUERY_TYPE(query) == GST_QUERY_DURATION) {
    GstFormat format;
    gst_query_parse_duration(query, &format, nullptr);
    gint frames;
    GstVideoInfo info;
    bool known;
    {
      const std::lock_guard hold(s.stage->lock);
      frames = s.stage->num_buffers;
      known = bool(s.stage->scene);
      info = s.stage->info;
    }
    if (frames >= 0 && known && format == GST_FORMAT_TIME) {
      gst_query_set_duration(query, format, gint64(time_of(info, frames)));
      return TRUE;
    }
    return FALSE;
  }
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY && gst_base_src_is_live(base)) {
    // A camera gives a frame when its exposure is over.
    const std::lock_guard hold(s.stage->lock);
    if (!s.stage->scene) return FALSE;
    gst_query_set_latency(query, TRUE, time_of(s.stage->info, 1), GST_CLOCK_TIME_NONE);
    return TRUE;
  }
  return GST_BASE_SRC_CLASS(feed_parent_class)->query(base, query);
}

void feed_finalize(GObject *object) {
  delete static_cast<VigilSceneFeed *>(static_cast<gpointer>(object))->state;
  G_OBJECT_CLASS(feed_parent_class)->finalize(object);
}

void feed_class_init(VigilSceneFeedClass *c) {
  G_OBJECT_CLASS(c)->finalize = feed_finalize;
  GstElementClass *element = GST_ELEMENT_CLASS(c);
  gst_element_class_set_static_metadata(element, "Scene feed", "Source/Video", "One pad of scenetestsrc",
                                        "Vigil");
  gst_element_class_add_static_pad_template(element, &any_format);
  GstBaseSrcClass *base = GST_BASE_SRC_CLASS(c);
  base->get_caps = feed_get_caps;
  base->fixate = feed_fixate;
  base->negotiate = feed_negotiate;
  base->set_caps = feed_set_caps;
  base->decide_allocation = feed_decide_allocation;
  base->unlock = feed_unlock;
  base->unlock_stop = feed_unlock_stop;
  base->get_times = feed_get_times;
  base->start = feed_start;
  base->is_seekable = feed_is_seekable;
  base->do_seek = feed_do_seek;
  base->query = feed_query;
  GST_PUSH_SRC_CLASS(c)->create = feed_create;
}

void feed_init(VigilSceneFeed *self) {
  self->state = new State{};
  gst_video_info_init(&self->state->info);
  gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
}

} // namespace

GstElement *make_feed(std::shared_ptr<Stage> stage, Role role) {
  auto *feed = static_cast<VigilSceneFeed *>(
      g_object_new(feed_get_type(), "name", role == Role::truth ? "truth" : "picture", nullptr));
  feed->state->stage = std::move(stage);
  feed->state->role = role;
  return GST_ELEMENT(feed);
}

} // namespace vigil
