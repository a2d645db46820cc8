// SPDX-License-Identifier: LGPL-2.1-or-later
#include "preset.h"

#include "common/error.h"
#include "tools/vigil-eval/description.h"

namespace vigil::demo {

namespace {

void load(GstElement *element, const Options &o) {
  if (!GST_IS_PRESET(element)) fail(Error::Kind::bad_setting, o.element.name, " has no presets");
  if (gst_preset_load_preset(GST_PRESET(element), o.preset.c_str())) return;
  std::unique_ptr<gchar *, tools::Releaser<g_strfreev>> names(
      gst_preset_get_preset_names(GST_PRESET(element)));
  std::string known;
  for (gchar **name = names.get(); name && *name; name++) known += text(" ", *name);
  fail(Error::Kind::bad_setting, "--preset ", o.preset, " is not known; ",
       known.empty() ? "none are found: is GST_PRESET_PATH set to the folder of the .prs files?"
                     : text("there are:", known));
}

} // namespace

tools::ObjectPtr<GstElement> make_bin(const char *description, const Options &o) {
  auto bin = eval::make_bin(description);
  if (o.preset.empty()) return bin;
  std::unique_ptr<GstIterator, tools::Releaser<gst_iterator_free>> all(
      gst_bin_iterate_all_by_element_factory_name(GST_BIN(bin.get()), o.element.name));
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(all.get(), &item) == GST_ITERATOR_OK) {
    const tools::ObjectPtr<GstElement> element(GST_ELEMENT(g_value_dup_object(&item)));
    g_value_reset(&item);
    load(element.get(), o);
  }
  g_value_unset(&item);
  return bin;
}

} // namespace vigil::demo
