// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tools/base/preset.h"

#include "common/error.h"
#include "gst/video/gst_ptr.h"

#include <memory>

namespace vigil::tools {

void load_preset(GstElement *element, const std::string &name) {
  const char *factory = GST_OBJECT_NAME(gst_element_get_factory(element));
  if (!GST_IS_PRESET(element)) fail(Error::Kind::bad_setting, factory, " has no presets");
  GstPreset *preset = GST_PRESET(element);
  if (gst_preset_load_preset(preset, name.c_str())) return;
  const std::unique_ptr<gchar *, gst::Releaser<g_strfreev>> names(gst_preset_get_preset_names(preset));
  std::string known;
  for (gchar **n = names.get(); n && *n; n++) known += text(" ", *n);
  fail(Error::Kind::bad_setting, factory, " has no preset '", name.substr(0, 80), "'; ",
       known.empty() ? "none are found: is GST_PRESET_PATH set to the folder of the .prs files?"
                     : text("there are:", known));
}

} // namespace vigil::tools
