// SPDX-License-Identifier: LGPL-2.1-or-later
#include "straightener.h"

#include "common/guarded.h"

#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <string_view>
#include <vector>

namespace vigil::monitor {
namespace {

bool is_interlaced(GstEvent *event) {
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const GstStructure *s = gst_caps_get_size(caps) ? gst_caps_get_structure(caps, 0) : nullptr;
  const char *mode = s ? gst_structure_get_string(s, "interlace-mode") : nullptr;
  return mode && std::string_view(mode) != "progressive";
}

bool is_turned(GstEvent *event) {
  GstTagList *tags = nullptr;
  gst_event_parse_tag(event, &tags);
  gchar *text = nullptr;
  gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &text);
  const gst::TextPtr orientation(text);
  return orientation && std::string_view(orientation.get()) != "rotate-0";
}

} // namespace

void Straightener::watch(GstBin *bin, GstPad *source, GstPad *sink, bool on_gpu) {
  const auto gone = [](gpointer user) { delete static_cast<Straightener *>(user); };
  auto *self = new Straightener(bin, source, sink, on_gpu);
  gst_pad_add_probe(source, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, guarded<event, GST_PAD_PROBE_OK>, self,
                    nullptr);
  gst_pad_add_probe(source, GST_PAD_PROBE_TYPE_BUFFER, guarded<buffer, GST_PAD_PROBE_OK>, self, gone);
}

GstPadProbeReturn Straightener::event(GstPad *, GstPadProbeInfo *info, gpointer user) {
  Straightener &self = *static_cast<Straightener *>(user);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) == GST_EVENT_TAG && is_turned(event)) self.turned_ = true;
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS || !is_interlaced(event)) return GST_PAD_PROBE_OK;
  self.interlaced_ = true;
  return self.deinterlaces_ ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP; // what comes next would refuse it
}

GstPadProbeReturn Straightener::buffer(GstPad *, GstPadProbeInfo *, gpointer user) {
  Straightener &self = *static_cast<Straightener *>(user);
  try {
    if (self.interlaced_ && !self.deinterlaces_) {
      self.deinterlaces_ = true;
      const gst::ObjectPtr<GstPad> after(gst_pad_get_peer(self.source_));
      // One picture of two fields: twice as many would cost twice the time.
      if (after) self.put_in(self.source_, after.get(), "deinterlace", "fields", "top");
    }
    if (self.turned_ && !self.turns_) { // behind deinterlace: lines of a turned picture are no fields
      self.turns_ = true;
      const gst::ObjectPtr<GstPad> before(gst_pad_get_peer(self.sink_));
      if (before) self.put_in(before.get(), self.sink_, "videoflip", "video-direction", "auto");
    }
  } catch (const Error &e) {
    GST_ELEMENT_ERROR(self.bin_, CORE, MISSING_PLUGIN, ("%s", e.what()), (nullptr));
    return GST_PAD_PROBE_DROP;
  }
  return GST_PAD_PROBE_OK;
}

void Straightener::put_in(GstPad *before, GstPad *after, const char *factory, const char *property,
                          const char *value) {
  std::vector<GstElement *> elements;
  const auto add = [&](const char *name) {
    elements.push_back(tools::make_element(name));
    gst_bin_add(bin_, elements.back());
    if (elements.size() > 1) tools::link({elements[elements.size() - 2], elements.back()});
  };
  if (on_gpu_) add("cudadownload");
  add("videoconvert"); // the element takes fewer formats than decoders give
  add(factory);
  gst_util_set_object_arg(G_OBJECT(elements.back()), property, value);
  for (auto e = elements.rbegin(); e != elements.rend(); ++e) gst_element_sync_state_with_parent(*e);
  const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(elements.front(), "sink")),
      out(gst_element_get_static_pad(elements.back(), "src"));
  gst_pad_unlink(before, after);
  if (GST_PAD_LINK_FAILED(gst_pad_link(out.get(), after)) ||
      GST_PAD_LINK_FAILED(gst_pad_link(before, in.get())))
    fail(Error::Kind::bad_setting, "the element ", factory, " cannot be put in before the camera's chain");
}

} // namespace vigil::monitor
