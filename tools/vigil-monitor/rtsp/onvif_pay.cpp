// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onvif_pay.h"

#include <algorithm>
#include <gst/rtp/gstrtpbasepayload.h>
#include <gst/rtp/gstrtpbuffer.h>

struct VigilOnvifPay {
  GstRTPBasePayload parent;
};
struct VigilOnvifPayClass {
  GstRTPBasePayloadClass parent_class;
};
G_DEFINE_TYPE(VigilOnvifPay, vigil_onvif_pay, GST_TYPE_RTP_BASE_PAYLOAD)

namespace vigil::monitor {
namespace {

constexpr guint clock_rate = 90000;

GstStaticPadTemplate sink_of_documents = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("application/x-onvif-metadata"));
GstStaticPadTemplate src_of_packets = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS("application/x-rtp, media=(string)application, payload=(int)[96, 127], "
                    "clock-rate=(int)90000, encoding-name=(string)VND.ONVIF.METADATA"));

gboolean set_caps_of_documents(GstRTPBasePayload *pay, GstCaps *) {
  gst_rtp_base_payload_set_options(pay, "application", TRUE, "VND.ONVIF.METADATA", clock_rate);
  return gst_rtp_base_payload_set_outcaps(pay, nullptr);
}

GstFlowReturn pay_document(GstRTPBasePayload *pay, GstBuffer *document) {
  const gsize size = gst_buffer_get_size(document);
  const guint most = std::max(1u, gst_rtp_buffer_calc_payload_len(GST_RTP_BASE_PAYLOAD_MTU(pay), 0, 0));
  GstBufferList *packets = gst_buffer_list_new();
  for (gsize at = 0; at < size;) {
    const gsize part = std::min<gsize>(most, size - at);
    GstBuffer *packet = gst_rtp_base_payload_allocate_output_buffer(pay, 0, 0, 0);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    gst_rtp_buffer_map(packet, GST_MAP_WRITE, &rtp);
    gst_rtp_buffer_set_marker(&rtp, at + part == size);
    gst_rtp_buffer_unmap(&rtp);
    GST_BUFFER_PTS(packet) = GST_BUFFER_PTS(document);
    gst_buffer_list_add(packets, gst_buffer_append(packet, gst_buffer_copy_region(
                                                               document, GST_BUFFER_COPY_MEMORY, at, part)));
    at += part;
  }
  gst_buffer_unref(document);
  if (gst_buffer_list_length(packets) == 0) {
    gst_buffer_list_unref(packets);
    return GST_FLOW_OK;
  }
  return gst_rtp_base_payload_push_list(pay, packets);
}

} // namespace

GstElement *new_onvif_pay(const char *name) {
  return GST_ELEMENT(g_object_new(vigil_onvif_pay_get_type(), "name", name, nullptr));
}

} // namespace vigil::monitor

static void vigil_onvif_pay_init(VigilOnvifPay *) {}

static void vigil_onvif_pay_class_init(VigilOnvifPayClass *klass) {
  using namespace vigil::monitor;
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_of_documents);
  gst_element_class_add_static_pad_template(element, &src_of_packets);
  gst_element_class_set_static_metadata(element, "ONVIF metadata as RTP", "Codec/Payloader/Network/RTP",
                                        "Puts documents of ONVIF's metadata stream into RTP packets",
                                        "Vigil");
  auto *pay = GST_RTP_BASE_PAYLOAD_CLASS(klass);
  pay->set_caps = set_caps_of_documents;
  pay->handle_buffer = pay_document;
}
