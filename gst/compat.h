// SPDX-License-Identifier: LGPL-2.1-or-later
// Every difference between the versions of GStreamer that this project builds with (1.22 to the newest) is
// settled here, and nowhere else.
#pragma once

#include "vigil-config.h"

#include <gst/gst.h>
#include <gst/video/video.h>
#include <span>
#include <string>
#include <vector>

#ifdef VIGIL_HAVE_CUDA
#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API // says that we know libgstcuda may change
#endif
#if GST_CHECK_VERSION(1, 24, 0)
#include <gst/cuda/gstcuda.h>
#else
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#endif
#endif

#ifdef VIGIL_HAVE_ANALYTICS
#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif
#include <gst/analytics/analytics.h>
#endif

namespace vigil::gst {

#ifdef VIGIL_HAVE_CUDA
// The CUDA stream on which work with this memory may be under way; null where there is none: before 1.24
// memory has no stream and its producer waits for its own work.
inline CUstream stream_of(GstMemory *memory) {
#if GST_CHECK_VERSION(1, 24, 0)
  GstCudaStream *stream = gst_cuda_memory_get_stream(GST_CUDA_MEMORY_CAST(memory));
  return stream ? gst_cuda_stream_get_handle(stream) : nullptr;
#else
  (void)memory;
  return nullptr;
#endif
}
#endif

// One object found in the picture, where GStreamer (1.24) has metadata for it; `type` says what it is,
// `confidence` is 0..1.
inline void add_object_meta([[maybe_unused]] GstBuffer *buffer, [[maybe_unused]] GQuark type,
                            [[maybe_unused]] int x, [[maybe_unused]] int y, [[maybe_unused]] int width,
                            [[maybe_unused]] int height, [[maybe_unused]] float confidence) {
#ifdef VIGIL_HAVE_ANALYTICS
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(buffer);
  if (!meta) meta = gst_buffer_add_analytics_relation_meta(buffer);
  GstAnalyticsODMtd object;
  gst_analytics_relation_meta_add_od_mtd(meta, type, x, y, width, height, confidence, &object);
#endif
}

// What the whole picture shows, where GStreamer (1.24) has metadata for it: classes and scores from 0 to 1.
inline void add_classification_meta([[maybe_unused]] GstBuffer *buffer,
                                    [[maybe_unused]] const std::vector<std::string> &classes,
                                    [[maybe_unused]] std::span<const float> scores) {
#ifdef VIGIL_HAVE_ANALYTICS
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(buffer);
  if (!meta) meta = gst_buffer_add_analytics_relation_meta(buffer);
  std::vector<GQuark> names;
  for (const std::string &c : classes) names.push_back(g_quark_from_string(c.c_str()));
  std::vector<float> levels(scores.begin(), scores.end());
  GstAnalyticsClsMtd classification;
  gst_analytics_relation_meta_add_cls_mtd(meta, levels.size(), levels.data(), names.data(), &classification);
#endif
}

// An array of floats as a tensor of one dimension, where GStreamer (1.26) has metadata for it; `id` says what
// it is.
inline void add_tensor_meta([[maybe_unused]] GstBuffer *buffer, [[maybe_unused]] const char *id,
                            [[maybe_unused]] GBytes *floats) {
#if defined(VIGIL_HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)
  gsize count = g_bytes_get_size(floats) / sizeof(float);
  GstTensor *tensor =
      gst_tensor_new_simple(g_quark_from_string(id), GST_TENSOR_DATA_TYPE_FLOAT32,
                            gst_buffer_new_wrapped_bytes(floats), GST_TENSOR_DIM_ORDER_ROW_MAJOR, 1, &count);
  if (!tensor) return;
  auto **tensors = g_new(GstTensor *, 1); // which the metadata takes
  tensors[0] = tensor;
  gst_tensor_meta_set(gst_buffer_add_tensor_meta(buffer), 1, tensors);
#endif
}

// A mask of the whole picture (gst/metadata/mask_meta.h): where GStreamer (1.26) has metadata for it in that,
// otherwise in a GstCustomMeta "vigil-mask", a structure with
//   mask          GstBuffer
//   shadow-value  guint    0: there are no shadows in it
// Takes the mask, which has a GstVideoMeta.
inline constexpr const char *custom_mask_meta = "vigil-mask";
inline void add_segmentation_meta(GstBuffer *buffer, GstBuffer *mask, [[maybe_unused]] guint width,
                                  [[maybe_unused]] guint height, int shadow_value) {
#if defined(VIGIL_HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(buffer);
  if (!meta) meta = gst_buffer_add_analytics_relation_meta(buffer);
  const bool shadows = shadow_value > 0 && shadow_value < 255;
  guint values[] = {0, 255, static_cast<guint>(shadow_value)};
  GQuark names[] = {g_quark_from_static_string("background"), g_quark_from_static_string("foreground"),
                    g_quark_from_static_string("shadow")};
  gfloat confidences[] = {-1.f, -1.f, -1.f}; // which means that they are not known
  const gsize count = shadows ? 3 : 2;
  GstAnalyticsSegmentationMtd regions;
  GstAnalyticsClsMtd classes;
  if (gst_analytics_relation_meta_add_segmentation_mtd(meta, mask, GST_SEGMENTATION_TYPE_SEMANTIC, count,
                                                       values, 0, 0, width, height, &regions) &&
      gst_analytics_relation_meta_add_cls_mtd(meta, count, confidences, names, &classes))
    gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, regions.id, classes.id);
#else
  static const gchar *tags[] = {nullptr};
  [[maybe_unused]] static const bool registered =
      gst_meta_get_info(custom_mask_meta) ||
      gst_meta_register_custom(custom_mask_meta, tags, nullptr, nullptr, nullptr);
  gst_structure_set(gst_custom_meta_get_structure(gst_buffer_add_custom_meta(buffer, custom_mask_meta)),
                    "mask", GST_TYPE_BUFFER, mask, "shadow-value", G_TYPE_UINT,
                    static_cast<guint>(shadow_value), nullptr);
  gst_buffer_unref(mask);
#endif
}
// A reference to the mask that was added so, by any element; null: there is none.
inline GstBuffer *segmentation_mask_of(GstBuffer *buffer) {
  GstBuffer *mask = nullptr;
#if defined(VIGIL_HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(buffer);
  gpointer state = nullptr;
  GstAnalyticsSegmentationMtd regions;
  gint x = 0, y = 0;
  guint width = 0, height = 0;
  if (meta && gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_segmentation_mtd_get_mtd_type(),
                                                  &regions))
    mask = gst_analytics_segmentation_mtd_get_mask(&regions, &x, &y, &width, &height);
#else
  if (!gst_meta_get_info(custom_mask_meta)) return nullptr;
  if (GstCustomMeta *meta = gst_buffer_get_custom_meta(buffer, custom_mask_meta))
    gst_structure_get(gst_custom_meta_get_structure(meta), "mask", GST_TYPE_BUFFER, &mask, nullptr);
#endif
  return mask;
}

// An object found by any detector, where GStreamer (1.24) has metadata for it.
struct ObjectMeta {
  guint id; // of the detection, in the buffer's relation meta
  GQuark type;
  gint x, y, width, height;
  gfloat score; // of the detection, 0..1
};
// Calls fn(const ObjectMeta &) for each.
template <class Fn>
void for_each_object([[maybe_unused]] GstBuffer *buffer, [[maybe_unused]] Fn &&fn) {
#ifdef VIGIL_HAVE_ANALYTICS
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(buffer);
  gpointer state = nullptr;
  GstAnalyticsODMtd object;
  while (meta &&
         gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_od_mtd_get_mtd_type(), &object)) {
    ObjectMeta m{object.id, gst_analytics_od_mtd_get_obj_type(&object), 0, 0, 0, 0, 0};
    if (gst_analytics_od_mtd_get_location(&object, &m.x, &m.y, &m.width, &m.height, &m.score)) fn(m);
  }
#endif
}
// Says that the object with this id in the buffer's relation meta is a track, where GStreamer (1.24) has
// metadata for it.
inline void add_tracking_meta([[maybe_unused]] GstBuffer *buffer, [[maybe_unused]] guint object,
                              [[maybe_unused]] guint64 track, [[maybe_unused]] GstClockTime first_seen,
                              [[maybe_unused]] GstClockTime last_seen) {
#ifdef VIGIL_HAVE_ANALYTICS
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(buffer);
  GstAnalyticsTrackingMtd tracking;
  if (!meta || !gst_analytics_relation_meta_add_tracking_mtd(meta, track, first_seen, &tracking)) return;
  gst_analytics_tracking_mtd_update_last_seen(&tracking, last_seen);
  gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, object, tracking.id);
#endif
}
// An object that some element tracks, where GStreamer (1.24) has metadata for it.
struct TrackedObjectMeta {
  guint object, tracking; // ids of the detection and of its tracking, in the buffer's relation meta
  guint64 track;
  double age; // seconds from first to last seen
  GQuark type;
  gint x, y, width, height;
};
template <class Fn>
void for_each_tracked_object([[maybe_unused]] GstBuffer *buffer, [[maybe_unused]] Fn &&fn) {
#ifdef VIGIL_HAVE_ANALYTICS
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(buffer);
  for_each_object(buffer, [&](const ObjectMeta &o) {
    gpointer state = nullptr;
    GstAnalyticsTrackingMtd tracking;
    guint64 id = 0;
    GstClockTime first = 0, last = 0;
    gboolean lost = FALSE;
    if (gst_analytics_relation_meta_get_direct_related(meta, o.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
                                                       gst_analytics_tracking_mtd_get_mtd_type(), &state,
                                                       &tracking) &&
        gst_analytics_tracking_mtd_get_info(&tracking, &id, &first, &last, &lost) && !lost)
      fn(TrackedObjectMeta{o.id, tracking.id, id, last > first ? double(last - first) / GST_SECOND : 0,
                           o.type, o.x, o.y, o.width, o.height});
  });
#endif
}

// What a tracked object is called, where GStreamer (1.24) has metadata for it: a classification related to
// its detection.
inline void add_track_classification([[maybe_unused]] GstBuffer *buffer, [[maybe_unused]] guint64 track,
                                     [[maybe_unused]] const std::string &label,
                                     [[maybe_unused]] float score) {
#ifdef VIGIL_HAVE_ANALYTICS
  std::vector<guint> objects; // first, since metadata that is added may move the others
  for_each_tracked_object(buffer, [&](const TrackedObjectMeta &o) {
    if (o.track == track) objects.push_back(o.object);
  });
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(buffer);
  for (const guint object : objects) {
    GQuark name = g_quark_from_string(label.c_str());
    GstAnalyticsClsMtd classes;
    if (gst_analytics_relation_meta_add_cls_mtd(meta, 1, &score, &name, &classes))
      gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, object, classes.id);
  }
#endif
}

// What the first classification that is related to a tracked object's detection says first, where GStreamer
// (1.24) has metadata for it. False: there is none.
inline bool read_track_classification([[maybe_unused]] GstBuffer *buffer, [[maybe_unused]] guint64 track,
                                      [[maybe_unused]] std::string &label, [[maybe_unused]] double &score) {
  bool found = false;
#ifdef VIGIL_HAVE_ANALYTICS
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(buffer);
  for_each_tracked_object(buffer, [&](const TrackedObjectMeta &o) {
    gpointer state = nullptr;
    GstAnalyticsClsMtd classes;
    if (found || o.track != track ||
        !gst_analytics_relation_meta_get_direct_related(meta, o.object, GST_ANALYTICS_REL_TYPE_RELATE_TO,
                                                        gst_analytics_cls_mtd_get_mtd_type(), &state,
                                                        &classes) ||
        gst_analytics_cls_mtd_get_length(&classes) == 0)
      return;
    const gchar *name = g_quark_to_string(gst_analytics_cls_mtd_get_quark(&classes, 0));
    if (!name) return;
    label = name;
    score = double{gst_analytics_cls_mtd_get_level(&classes, 0)};
    found = true;
  });
#endif
  return found;
}

// What a rule reports of a tracked object, where GStreamer (1.24) has metadata for it: a classification with
// these classes, each with confidence 1, related to the tracking metadata of its detections.
inline void add_track_event([[maybe_unused]] GstBuffer *buffer, [[maybe_unused]] guint64 track,
                            [[maybe_unused]] const std::vector<std::string> &classes) {
#ifdef VIGIL_HAVE_ANALYTICS
  std::vector<guint> trackings; // first, since metadata that is added may move the others
  for_each_tracked_object(buffer, [&](const TrackedObjectMeta &o) {
    if (o.track == track) trackings.push_back(o.tracking);
  });
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(buffer);
  for (const guint tracking : trackings) {
    std::vector<GQuark> names;
    for (const std::string &c : classes) names.push_back(g_quark_from_string(c.c_str()));
    std::vector<gfloat> certain(names.size(), 1.f);
    GstAnalyticsClsMtd event;
    if (gst_analytics_relation_meta_add_cls_mtd(meta, names.size(), certain.data(), names.data(), &event))
      gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, tracking, event.id);
  }
#endif
}

} // namespace vigil::gst
