// SPDX-License-Identifier: LGPL-2.1-or-later
// The element cljointbilateral: a GstAggregator whose pad `sink` brings the pictures and whose pad `guide`,
// on request, the frames that weights come from. One picture goes out for each that comes in, with its times.
#include "gst/elements.h"

#include "gst/cljointbilateral/joint.h"
#include "gst/errors.h"
#include "gst/video/caps.h"
#include "gst/video/refusal.h"

GST_DEBUG_CATEGORY(cl_joint_bilateral_debug);

using namespace vigil::gst;
using namespace vigil::gst::cljointbilateral;

struct GstClJointBilateral {
  GstAggregator parent;
  Joint *joint;
};
struct GstClJointBilateralClass {
  GstAggregatorClass parent_class;
};
G_DEFINE_TYPE(GstClJointBilateral, gst_cl_joint_bilateral, GST_TYPE_AGGREGATOR)

#define CAPS                                                                                                 \
  GST_VIDEO_CAPS_MAKE("{ RGBA, RGBx, BGRA, BGRx, NV12, I420, GRAY8, P010_10LE, YV12, NV21, GRAY16_LE }")
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate guide_template = GST_STATIC_PAD_TEMPLATE(
    "guide", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(GST_VIDEO_FORMATS_ALL)));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

static Joint &joint_of(gpointer self) {
  return *static_cast<GstClJointBilateral *>(self)->joint;
}
static bool is_guide(GstAggregatorPad *pad) {
  return g_str_equal(GST_OBJECT_NAME(pad), "guide"); // names of pads do not change
}
static GstAggregatorClass *parent_class() {
  return GST_AGGREGATOR_CLASS(gst_cl_joint_bilateral_parent_class);
}

// Properties

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  if (!joint_of(object).settings.change([&](Settings &s) { return properties().set(s, id, value); }))
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  const Joint &joint = joint_of(object);
  if (id == properties().stats_id())
    g_value_take_boxed(value, joint.stats());
  else if (!joint.settings.read([&](const Settings &s) { return properties().get(s, id, value); }))
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

// States

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  Joint &joint = joint_of(element);
  const auto open = [&] {
    joint.open();
    return true;
  };
  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !guard(element, false, open))
    return GST_STATE_CHANGE_FAILURE;
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_cl_joint_bilateral_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) joint.close();
  return result;
}

static gboolean start(GstAggregator *agg) {
  joint_of(agg).start();
  return TRUE;
}
static gboolean stop(GstAggregator *agg) {
  joint_of(agg).stop();
  return TRUE;
}
static GstFlowReturn flush(GstAggregator *agg) {
  joint_of(agg).flushed();
  return GST_FLOW_OK;
}

// Frames

static GstFlowReturn aggregate(GstAggregator *agg, gboolean timeout) {
  return guard(agg, GST_FLOW_ERROR, [&] { return joint_of(agg).aggregate(timeout); });
}

static GstClockTime get_next_time(GstAggregator *agg) {
  return joint_of(agg).next_time();
}

static gboolean negotiate(GstAggregator *agg) {
  return joint_of(agg).negotiate();
}

// Frames of the guide outside of its segment are not to be seen. Pictures are the next element's matter.
static GstBuffer *clip(GstAggregator *, GstAggregatorPad *pad, GstBuffer *b) {
  const GstClockTime from = GST_BUFFER_PTS(b), lasts = GST_BUFFER_DURATION(b);
  if (!is_guide(pad) || pad->segment.format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID(from)) return b;
  const GstClockTime to = GST_CLOCK_TIME_IS_VALID(lasts) ? from + lasts : GST_CLOCK_TIME_NONE;
  if (gst_segment_clip(&pad->segment, GST_FORMAT_TIME, from, to, nullptr, nullptr)) return b;
  gst_buffer_unref(b);
  return nullptr;
}

// Events

// Serialized events come here when what was before them has been taken off the pad.
static gboolean take_caps(GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event) {
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const bool taken = guard(agg, false, [&] {
    if (is_guide(pad))
      joint_of(agg).take_guide_caps(caps);
    else
      joint_of(agg).take_caps(caps);
    return true;
  });
  if (!is_guide(pad)) gst_pad_mark_reconfigure(agg->srcpad);
  gst_event_unref(event);
  return taken;
}

// Any event as it arrives. From GStreamer 1.29 on, the end of a flush of one pad alone does not come to
// sink_event().
static GstFlowReturn sink_event_pre_queue(GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP && is_guide(pad)) joint_of(agg).guide_flushed();
  return parent_class()->sink_event_pre_queue(agg, pad, event);
}

static gboolean sink_event(GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event) {
  switch (GST_EVENT_TYPE(event)) {
  case GST_EVENT_CAPS:
    return take_caps(agg, pad, event);
  case GST_EVENT_SEGMENT: {
    const GstSegment *segment = nullptr;
    gst_event_parse_segment(event, &segment);
    if (!is_guide(pad) && segment->format == GST_FORMAT_TIME) gst_aggregator_update_segment(agg, segment);
    break;
  }
  case GST_EVENT_TAG:
    if (!is_guide(pad)) joint_of(agg).take_tags(event);
    break;
  case GST_EVENT_STREAM_START:
  case GST_EVENT_FLUSH_START:
  case GST_EVENT_FLUSH_STOP:
  case GST_EVENT_EOS:
  case GST_EVENT_GAP:
    break;
  default:
    if (!is_guide(pad)) break;
    gst_event_unref(event); // what is said of the guide is not said of the picture
    return TRUE;
  }
  return parent_class()->sink_event(agg, pad, event);
}

// Queries

static GstCaps *caps_through(GstPad *pad, GstPad *other, GstCaps *filter) {
  GstCaps *templ = gst_pad_get_pad_template_caps(pad);
  GstCaps *peer = gst_pad_peer_query_caps(other, templ);
  GstCaps *both = gst_caps_intersect_full(peer, templ, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(peer);
  gst_caps_unref(templ);
  return filter_caps(both, filter);
}

static void answer_caps(GstQuery *query, GstPad *pad, GstPad *other) {
  GstCaps *filter = nullptr;
  gst_query_parse_caps(query, &filter);
  GstCaps *caps = caps_through(pad, other, filter);
  gst_query_set_caps_result(query, caps);
  gst_caps_unref(caps);
}

static gboolean sink_query(GstAggregator *agg, GstAggregatorPad *pad, GstQuery *query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_CAPS && !is_guide(pad)) {
    answer_caps(query, GST_PAD(pad), agg->srcpad);
    return TRUE;
  }
  return parent_class()->sink_query(agg, pad, query);
}

static gboolean propose_allocation(GstAggregator *, GstAggregatorPad *, GstQuery *, GstQuery *query) {
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return TRUE;
}

static gboolean src_query(GstAggregator *agg, GstQuery *query) {
  GstPad *sink = gst_element_get_static_pad(GST_ELEMENT(agg), "sink");
  gboolean answered = TRUE;
  switch (GST_QUERY_TYPE(query)) {
  case GST_QUERY_CAPS:
    answer_caps(query, agg->srcpad, sink);
    break;
  case GST_QUERY_POSITION:
  case GST_QUERY_DURATION:
  case GST_QUERY_SEEKING:
    answered = gst_pad_peer_query(sink, query);
    break;
  default:
    answered = parent_class()->src_query(agg, query);
  }
  gst_object_unref(sink);
  return answered;
}

// The object

static GstAggregatorPad *new_pad(GstPadTemplate *templ, const char *name) {
  return GST_AGGREGATOR_PAD(g_object_new(GST_TYPE_AGGREGATOR_PAD, "name", name, "direction", GST_PAD_SINK,
                                         "template", templ, nullptr));
}

static GstAggregatorPad *create_new_pad(GstAggregator *agg, GstPadTemplate *templ, const gchar *,
                                        const GstCaps *) {
  GstPad *there = gst_element_get_static_pad(GST_ELEMENT(agg), "guide");
  if (!there) return new_pad(templ, "guide");
  GST_WARNING_OBJECT(agg, "there is only one pad guide, and it is in use");
  gst_object_unref(there);
  return nullptr;
}

static void finalize(GObject *object) {
  delete static_cast<GstClJointBilateral *>(static_cast<gpointer>(object))->joint;
  G_OBJECT_CLASS(gst_cl_joint_bilateral_parent_class)->finalize(object);
}

static void gst_cl_joint_bilateral_init(GstClJointBilateral *self) {
  GstPadTemplate *templ = gst_static_pad_template_get(&sink_template);
  GstAggregatorPad *sink = new_pad(templ, "sink");
  gst_object_unref(templ);
  gst_element_add_pad(GST_ELEMENT(self), GST_PAD(sink));
  self->joint = new Joint(GST_AGGREGATOR(self), sink);
  explain_refused_caps(GST_ELEMENT(self));
}

static void gst_cl_joint_bilateral_class_init(GstClJointBilateralClass *klass) {
  GST_DEBUG_CATEGORY_INIT(cl_joint_bilateral_debug, "cljointbilateral", 0, "Joint bilateral filter");
  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install_with_stats(
      object, "Structure: frames that came out; those of them that a guide was used for (guided); "
              "kernel-time-us, the mean, and kernel-time-last-us, by the device's clock; "
              "bytes-host-to-device and bytes-device-to-host of pictures; backend; device; variant, tuning "
              "and tuning-seconds");
  auto *element = GST_ELEMENT_CLASS(klass);
  element->change_state = change_state;
  gst_element_class_add_static_pad_template_with_gtype(element, &sink_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(element, &guide_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(element, &src_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_set_static_metadata(
      element, "Joint bilateral filter", "Filter/Effect/Video/Hardware",
      "Smooths a picture and keeps the edges of another one, the guide, in OpenCL", VIGIL_AUTHORS);
  auto *agg = GST_AGGREGATOR_CLASS(klass);
  agg->start = start;
  agg->stop = stop;
  agg->flush = flush;
  agg->aggregate = aggregate;
  agg->get_next_time = get_next_time;
  agg->negotiate = negotiate;
  agg->clip = clip;
  agg->sink_event_pre_queue = sink_event_pre_queue;
  agg->sink_event = sink_event;
  agg->sink_query = sink_query;
  agg->src_query = src_query;
  agg->propose_allocation = propose_allocation;
  agg->create_new_pad = create_new_pad;
}

GST_ELEMENT_REGISTER_DEFINE(cljointbilateral, "cljointbilateral", GST_RANK_NONE,
                            gst_cl_joint_bilateral_get_type())
