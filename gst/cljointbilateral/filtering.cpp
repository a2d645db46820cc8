// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cljointbilateral/filtering.h"

#include "gst/video/formats.h"

namespace vigil::gst::cljointbilateral {
namespace {

bilateral::Config config_of(const FrameKind &kind) {
  return {pixel_format(kind.info), kind.info.width, kind.info.height};
}

// Nothing of the frames is held when apply() is left, by an exception either.
struct Closing {
  Queue &queue;
  DeviceFrameMapping *const slots[3];
  ~Closing() {
    try {
      queue.wait();
    } catch (const std::exception &e) { // it was thrown before, to the caller
      GST_WARNING("the device failed: %s", e.what());
    }
    for (DeviceFrameMapping *slot : slots) slot->close();
  }
};

} // namespace

Filtering::Filtering(ClDevice &device, const FrameKind &kind, const Options &options)
    : tuned_(bilateral::tune(device, config_of(kind).format, options.params, options.tune)),
      filter_(bilateral::make_opencl(device, config_of(kind), *tuned_.variant)), queue_(device.make_queue()),
      timer_(device.make_timer()), picture_(device, kind), guide_(device, kind), out_(device, kind) {}

std::optional<Error> Filtering::apply(GstBuffer *picture, GstBuffer *guide, GstBuffer *out,
                                      const bilateral::Params &params) {
  Queue &queue = *queue_;
  const Closing closing{queue, {&picture_, &guide_, &out_}};
  const ConstImage in = picture_.map_read(picture, queue, copied_);
  ConstImage by;
  std::optional<Error> refused;
  try {
    if (guide) by = guide_.map_read(guide, queue, copied_);
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::bad_data) throw;
    guide_.close();
    refused = e;
  }
  const Image to = out_.map_write(out, queue);
  timer_->start(queue);
  filter_->apply(in, by, to, params, queue);
  timer_->stop(queue);
  out_.write_back(queue, copied_);
  queue.wait();
  out_.finish();
  return refused;
}

} // namespace vigil::gst::cljointbilateral
