// SPDX-License-Identifier: LGPL-2.1-or-later
#include "options.h"

#include "common/error.h"
#include "gst/video/gst_ptr.h"

namespace vigil::tools {

void parse_options(const Usage &usage, std::vector<GOptionEntry> entries, int argc, char **argv) {
  entries.push_back({nullptr});
  const std::unique_ptr<GOptionContext, gst::Releaser<g_option_context_free>> context(
      g_option_context_new(usage.arguments.empty() ? nullptr : usage.arguments.c_str()));
  g_option_context_set_summary(context.get(), usage.summary.c_str());
  if (!usage.details.empty()) g_option_context_set_description(context.get(), usage.details.c_str());
  g_option_context_add_main_entries(context.get(), entries.data(), nullptr);
  if (usage.of_gstreamer) g_option_context_add_group(context.get(), gst_init_get_option_group());
  GError *error = nullptr;
  const bool good = g_option_context_parse(context.get(), &argc, &argv, &error);
  const gst::ErrorPtr owner(error);
  if (!good) fail(Error::Kind::bad_setting, error->message, "; see ", usage.program, " --help");
  if (argc > 1) // where no entry takes the rest
    fail(Error::Kind::bad_setting, "what is ", argv[1], "? see ", usage.program, " --help");
}

void check_range(const char *option, double value, double least, double most) {
  if (!(value >= least && value <= most))
    fail(Error::Kind::bad_setting, option, " ", value, " is not within ", least, " to ", most);
}

std::vector<std::string> words_of(gchar **list) {
  std::vector<std::string> all;
  for (gchar **w = list; w && *w; w++) all.emplace_back(*w);
  return all;
}

} // namespace vigil::tools
