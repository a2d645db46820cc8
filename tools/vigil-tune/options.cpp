// SPDX-License-Identifier: LGPL-2.1-or-later
#include "options.h"

#include "common/error.h"
#include "tools/base/options.h"

namespace vigil::tune {

namespace {

struct Raw {
  gchar *device = nullptr, *only = nullptr, **chains = nullptr, *into = nullptr;
  gint first_group = 0;
  gboolean list = FALSE, json = FALSE, exhaustive = FALSE, clear = FALSE, no_tune = FALSE, no_micro = FALSE;
  ~Raw() {
    g_free(device);
    g_free(only);
    g_strfreev(chains);
    g_free(into);
  }
};

} // namespace

Options parse_options(int argc, char **argv) {
  Raw raw;
  const std::vector<GOptionEntry> entries{
      {"list-devices", 'l', 0, G_OPTION_ARG_NONE, &raw.list, "list the OpenCL devices and end", nullptr},
      {"device", 'd', 0, G_OPTION_ARG_STRING, &raw.device,
       "number, or part of a name (default: the elements' choice)", "NAME"},
      {"chain", 'c', 0, G_OPTION_ARG_STRING_ARRAY, &raw.chains,
       "tune this chain for clfilter too; may be repeated", "CHAIN"},
      {"only", 'o', 0, G_OPTION_ARG_STRING, &raw.only, "tune this kernel only", "bilateral|filter"},
      {"exhaustive", 'x', 0, G_OPTION_ARG_NONE, &raw.exhaustive,
       "measure longer (all variants are tried in any case)", nullptr},
      {"no-tuning", 0, 0, G_OPTION_ARG_NONE, &raw.no_tune, "microbenchmarks only", nullptr},
      {"no-microbenchmarks", 0, 0, G_OPTION_ARG_NONE, &raw.no_micro, "tuning only", nullptr},
      {"json", 'j', 0, G_OPTION_ARG_NONE, &raw.json, "print JSON", nullptr},
      {"clear", 0, 0, G_OPTION_ARG_NONE, &raw.clear, "forget all results, for all devices, and end", nullptr},
      {"measure-into", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &raw.into, "", "FILE"},
      {"first-group", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &raw.first_group, "", "N"},
  };
  tools::parse_options(
      {"vigil-tune", "",
       "Finds the fastest variant of each OpenCL kernel on a device and keeps it for the elements,\n"
       "which then start without a search; and measures what the device is good at.",
       "Exit status: 0 done; 1 an error; 2 wrong arguments; 3 some kernel has no variant that works here.",
       false},
      entries, argc, argv);
  Options o;
  if (raw.device) o.device = raw.device;
  if (raw.only) o.only = raw.only;
  if (raw.only && o.only != "bilateral" && o.only != "filter")
    fail(Error::Kind::bad_setting, "--only ", o.only, " is not known; it is bilateral or filter");
  if (raw.into) o.measure_into = raw.into;
  tools::check_range("--first-group", raw.first_group, 0, 1000);
  o.first_group = std::size_t(raw.first_group);
  o.chains = tools::words_of(raw.chains);
  o.list = raw.list;
  o.json = raw.json;
  o.exhaustive = raw.exhaustive;
  o.clear = raw.clear;
  o.tune = !raw.no_tune;
  o.micro = !raw.no_micro;
  return o;
}

} // namespace vigil::tune
