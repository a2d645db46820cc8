// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/errors.h"

#include "common/error.h"

#include <new>

namespace vigil::gst {
namespace {

struct Meaning {
  GQuark domain;
  int code;
};

Meaning meaning_of(const std::exception &e) {
  if (dynamic_cast<const std::bad_alloc *>(&e)) return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT};
  const auto *error = dynamic_cast<const Error *>(&e);
  if (!error) return {GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED};
  switch (error->kind()) {
  case Error::Kind::no_device:
    return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND};
  case Error::Kind::no_memory:
    return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT};
  case Error::Kind::bad_setting:
    return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS};
  case Error::Kind::bad_data:
    return {GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE};
  case Error::Kind::io:
    return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ};
  case Error::Kind::write:
    return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE};
  case Error::Kind::device:
    return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED};
  }
  return {GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED};
}

void post(GstElement *element, GstMessageType type, const std::exception &e) {
  const Meaning m = meaning_of(e);
  gst_element_message_full(element, type, m.domain, m.code, g_strdup(e.what()), nullptr, __FILE__, __func__,
                           __LINE__);
}

} // namespace

void post_error(GstElement *element, const std::exception &e) {
  post(element, GST_MESSAGE_ERROR, e);
}
void post_warning(GstElement *element, const std::exception &e) {
  post(element, GST_MESSAGE_WARNING, e);
}

GstFlowReturn refuse_without_caps(GstElement *element) {
  GST_ELEMENT_ERROR(element, CORE, NEGOTIATION,
                    ("a frame came before any caps: nothing is known of its format and size. Let the element "
                     "before send caps, or put a caps filter behind it, such as "
                     "video/x-raw,format=NV12,width=640,height=480"),
                    (nullptr));
  return GST_FLOW_NOT_NEGOTIATED;
}

void fail_without_device() {
  fail(Error::Kind::device,
       "there is no device to work on since the last error; stop the pipeline (state NULL) and start "
       "it again");
}

} // namespace vigil::gst
