// SPDX-License-Identifier: LGPL-2.1-or-later
#include "description.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>

namespace vigil::eval {

namespace {

gst::ObjectPtr<GstElement> parse(const std::string &description, gst::ErrorPtr &error) {
  GError *raw = nullptr;
  GstElement *bin = gst_parse_bin_from_description_full(description.c_str(), TRUE, nullptr,
                                                        GST_PARSE_FLAG_FATAL_ERRORS, &raw);
  error.reset(raw);
  return gst::ObjectPtr<GstElement>(bin ? GST_ELEMENT(gst_object_ref_sink(bin)) : nullptr);
}

void apply(GstBin *bin, const std::string &description, const Setting &setting) {
  GstElement *element = nullptr;
  GParamSpec *spec = find_property(bin, setting.property, &element);
  if (!spec)
    fail(Error::Kind::bad_setting, "no element of \"", description, "\" has a property \"", setting.property,
         "\" that takes numbers");
  GValue number = G_VALUE_INIT, value = G_VALUE_INIT;
  g_value_init(&number, G_TYPE_DOUBLE);
  g_value_set_double(&number, setting.value);
  g_value_init(&value, spec->value_type);
  g_value_transform(&number, &value);
  // Floats that lie on a border may be a rounding beyond it, so the value is set and then looked at.
  const double wanted = setting.value;
  g_param_value_validate(spec, &value);
  g_object_set_property(G_OBJECT(element), setting.property.c_str(), &value);
  g_value_transform(&value, &number);
  const double got = g_value_get_double(&number);
  if (std::abs(got - wanted) > 1e-6 * std::max(1.0, std::abs(wanted)))
    fail(Error::Kind::bad_setting, setting.property, " of ", GST_ELEMENT_NAME(element), " cannot be ", wanted,
         "; the nearest that it takes is ", got);
}

} // namespace

GParamSpec *find_property(GstBin *bin, const std::string &property, GstElement **element) {
  // Sorted runs from the sink up, so the last hit is the first element of the chain.
  std::unique_ptr<GstIterator, gst::Releaser<gst_iterator_free>> all(gst_bin_iterate_sorted(bin));
  GParamSpec *found = nullptr;
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(all.get(), &item) == GST_ITERATOR_OK) {
    auto *candidate = static_cast<GstElement *>(g_value_get_object(&item));
    GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(candidate), property.c_str());
    if (spec && (spec->flags & G_PARAM_WRITABLE) &&
        g_value_type_transformable(G_TYPE_DOUBLE, spec->value_type)) {
      found = spec;
      *element = candidate;
    }
    g_value_reset(&item);
  }
  g_value_unset(&item);
  return found;
}

gst::ObjectPtr<GstElement> parse_bin(const std::string &description) {
  gst::ErrorPtr error, second_error;
  auto bin = parse(description, error);
  // The parser knows caps between elements alone; at an end they need a neighbour.
  if (error) bin = parse("identity ! " + description + " ! identity", second_error);
  if (error && second_error)
    fail(Error::Kind::bad_setting, "\"", description, "\" is not a pipeline: ", error->message);
  return bin;
}

gst::ObjectPtr<GstElement> make_bin(const std::string &description, const std::optional<Setting> &setting) {
  auto bin = parse_bin(description);
  if (bin->numsinkpads != 1 || bin->numsrcpads != 1)
    fail(Error::Kind::bad_setting, "\"", description,
         "\" must take video at one end and give masks at the other, but its open ends are ",
         bin->numsinkpads, " for input and ", bin->numsrcpads, " for output");
  if (setting) apply(GST_BIN(bin.get()), description, *setting);
  return bin;
}

} // namespace vigil::eval
