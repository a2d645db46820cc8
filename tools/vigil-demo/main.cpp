// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-demo: what `./run demo` runs.
#include "common/error.h"
#include "demo.h"
#include "preset.h"

#include <atomic>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <gst/gst.h>

#include "tools/base/gst_ptr.h"

namespace vigil::demo {

namespace {

std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free); // a signal handler sets it

const Element &find_element(const std::string &name) {
  std::string known;
  for (const Element &e : elements) {
    if (name == e.name) return e;
    known += text(" ", e.name);
  }
  fail(Error::Kind::bad_setting, "--element ", name, " is not known; there are:", known);
}

std::string uri_of(const char *argument) {
  if (gst_uri_is_valid(argument)) return argument;
  if (!std::filesystem::exists(argument))
    fail(Error::Kind::io, "there is no file ", argument, ", and it is no URI such as rtsp://camera/stream");
  GError *error = nullptr;
  tools::TextPtr uri(gst_filename_to_uri(argument, &error));
  if (uri) return uri.get();
  tools::ErrorPtr owner(error);
  fail(Error::Kind::io, argument, ": ", error->message);
}

Options parse_options(int argc, char **argv) {
  gchar *element = nullptr, *preset = nullptr, *out = nullptr, **rest = nullptr;
  gint frames = 0;
  const GOptionEntry entries[] = {
      {"element", 'e', 0, G_OPTION_ARG_STRING, &element, "what to show (default: cudamog)", "NAME"},
      {"preset", 'p', 0, G_OPTION_ARG_STRING, &preset,
       "load one of its presets; gst-inspect-1.0 ELEMENT lists them", "NAME"},
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &out, "folder for the results (default: build/demo)", "DIR"},
      {"frames", 'n', 0, G_OPTION_ARG_INT, &frames, "stop after N frames (default: all; 300 of the scene)",
       "N"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &rest, nullptr, nullptr},
      {nullptr},
  };
  std::unique_ptr<GOptionContext, tools::Releaser<g_option_context_free>> context(
      g_option_context_new("[FILE or URI]"));
  g_option_context_set_summary(
      context.get(), "Shows what an element of Vigil finds in a video, or in a synthetic street scene whose\n"
                     "exact truth is known. DIR gets an overlay video and pictures, masks, the background\n"
                     "and the events (events.jsonl, one JSON object a line, times in seconds).");
  g_option_context_set_description(context.get(),
                                   "Ctrl-C ends the input and keeps the results up to there.\n"
                                   "Exit status: 0 done; 1 an error while running; 2 wrong arguments.");
  g_option_context_add_main_entries(context.get(), entries, nullptr);
  g_option_context_add_group(context.get(), gst_init_get_option_group());
  GError *error = nullptr;
  const bool good = g_option_context_parse(context.get(), &argc, &argv, &error);
  tools::ErrorPtr error_owner(error);
  tools::TextPtr element_owner(element), preset_owner(preset), out_owner(out);
  std::unique_ptr<gchar *, tools::Releaser<g_strfreev>> rest_owner(rest);
  if (!good) fail(Error::Kind::bad_setting, error->message, "; see vigil-demo --help");
  if (frames < 0) fail(Error::Kind::bad_setting, "--frames ", frames, " is below 0");
  if (rest && g_strv_length(rest) > 1) fail(Error::Kind::bad_setting, "only one FILE or URI can be shown");
  Options o;
  if (element) o.element = find_element(element);
  if (preset) o.preset = preset;
  if (preset)
    make_bin(o.element.filter ? o.element.filter : o.element.mask, o); // says at once when there is none
  if (out) o.out = out;
  if (rest && rest[0]) o.input = uri_of(rest[0]);
  o.frames = static_cast<std::uint64_t>(frames);
  return o;
}

} // namespace

int main(int argc, char **argv) {
  constexpr int failed = 1, wrong_arguments = 2;
  int status = wrong_arguments;
  try {
    const Options o = parse_options(argc, argv);
    std::setlocale(LC_NUMERIC, "C"); // programs read the output too
    status = failed;
    std::signal(SIGINT, [](int) { stop = true; });
    run(o, stop);
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "vigil-demo: %s\n", e.what());
    return status;
  }
}

} // namespace vigil::demo

int main(int argc, char **argv) {
  return vigil::demo::main(argc, argv);
}
