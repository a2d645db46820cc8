// SPDX-License-Identifier: LGPL-2.1-or-later
#include "uncovered_sink.h"

#include "pipeline_element.h"
#include "record_pipeline.h"

#include <utility>

namespace vigil::monitor {

UncoveredSink::UncoveredSink(GstElement *pipeline, const FrameClock &clock, const FrameDelivery &delivery,
                             RecorderSink::Calls calls, std::function<void()> missing)
    : pipeline_(pipeline), sink_(pipeline, clock, delivery, std::move(calls)), missing_(std::move(missing)) {}

GstElement *UncoveredSink::add(const std::string &caps) {
  if (const StoredFormat *format = stored_format(caps))
    return sink_.add({add_element(pipeline_, format->parser)}, format->caps);
  missing_();
  return nullptr;
}

} // namespace vigil::monitor
