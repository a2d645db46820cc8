// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes pictures whole and upright before they are looked at: deinterlaces those whose caps say that they
// are interlaced, and turns those whose stream has a tag of their orientation. The elements for it are put
// in when the first such picture comes, so that all other streams pay nothing.
#pragma once

#include <gst/gst.h>

namespace vigil::monitor {

class Straightener {
 public:
  // `source` is linked, or will be, to the static pad `sink`; what is needed is put between the two.
  // `on_gpu`: frames may lie in memory of CUDA. The pads must outlive what comes through them.
  static void watch(GstBin *, GstPad *source, GstPad *sink, bool on_gpu);

 private:
  Straightener(GstBin *bin, GstPad *source, GstPad *sink, bool on_gpu)
      : bin_(bin), source_(source), sink_(sink), on_gpu_(on_gpu) {}
  static GstPadProbeReturn event(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn buffer(GstPad *, GstPadProbeInfo *, gpointer);
  void put_in(GstPad *before, GstPad *after, const char *factory, const char *property, const char *value);

  GstBin *const bin_;
  GstPad *const source_, *const sink_;
  const bool on_gpu_;
  // Of the streaming thread. An element is put in before a buffer, since all events are sent again then.
  bool interlaced_ = false, turned_ = false, deinterlaces_ = false, turns_ = false;
};

} // namespace vigil::monitor
