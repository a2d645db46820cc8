// SPDX-License-Identifier: LGPL-2.1-or-later
#include "options.h"

#include "common/error.h"
#include "tools/base/gst_ptr.h"

namespace vigil::tune {

Options parse_options(int argc, char **argv) {
  gchar *device = nullptr, *only = nullptr, **chains = nullptr;
  gboolean list = FALSE, json = FALSE, exhaustive = FALSE, clear = FALSE, no_tune = FALSE, no_micro = FALSE;
  const GOptionEntry entries[] = {
      {"list-devices", 'l', 0, G_OPTION_ARG_NONE, &list, "list the OpenCL devices and end", nullptr},
      {"device", 'd', 0, G_OPTION_ARG_STRING, &device,
       "number, or part of a name (default: the elements' choice)", "NAME"},
      {"chain", 'c', 0, G_OPTION_ARG_STRING_ARRAY, &chains,
       "tune this chain for clfilter too; may be repeated", "CHAIN"},
      {"only", 'o', 0, G_OPTION_ARG_STRING, &only, "tune this kernel only", "bilateral|filter"},
      {"exhaustive", 'x', 0, G_OPTION_ARG_NONE, &exhaustive,
       "measure longer (all variants are tried in any case)", nullptr},
      {"no-tuning", 0, 0, G_OPTION_ARG_NONE, &no_tune, "microbenchmarks only", nullptr},
      {"no-microbenchmarks", 0, 0, G_OPTION_ARG_NONE, &no_micro, "tuning only", nullptr},
      {"json", 'j', 0, G_OPTION_ARG_NONE, &json, "print JSON", nullptr},
      {"clear", 0, 0, G_OPTION_ARG_NONE, &clear, "forget all results, for all devices, and end", nullptr},
      {nullptr},
  };
  std::unique_ptr<GOptionContext, tools::Releaser<g_option_context_free>> context(
      g_option_context_new(nullptr));
  g_option_context_set_summary(
      context.get(),
      "Finds the fastest variant of each OpenCL kernel on a device and keeps it for the elements,\n"
      "which then start without a search; and measures what the device is good at.");
  g_option_context_set_description(context.get(),
                                   "Exit status: 0 done; 1 an error; 2 wrong arguments; 3 some kernel has no "
                                   "variant that works here.");
  g_option_context_add_main_entries(context.get(), entries, nullptr);
  GError *error = nullptr;
  const bool good = g_option_context_parse(context.get(), &argc, &argv, &error);
  tools::ErrorPtr error_owner(error);
  tools::TextPtr device_owner(device), only_owner(only);
  std::unique_ptr<gchar *, tools::Releaser<g_strfreev>> chains_owner(chains);
  if (!good) fail(Error::Kind::bad_setting, error->message, "; see vigil-tune --help");
  if (argc > 1) fail(Error::Kind::bad_setting, "what is ", argv[1], "? see vigil-tune --help");
  Options o;
  if (device) o.device = device;
  if (only) o.only = only;
  if (only && o.only != "bilateral" && o.only != "filter")
    fail(Error::Kind::bad_setting, "--only ", only, " is not known; it is bilateral or filter");
  for (gchar **c = chains; c && *c; c++) o.chains.push_back(*c);
  o.list = list;
  o.json = json;
  o.exhaustive = exhaustive;
  o.clear = clear;
  o.tune = !no_tune;
  o.micro = !no_micro;
  return o;
}

} // namespace vigil::tune
