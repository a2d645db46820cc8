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

#include "gst/video/gst_ptr.h"
#include "tools/base/leave.h"
#include "tools/base/options.h"

namespace vigil::demo {

namespace {

std::atomic<bool> interrupted = false;
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
  gst::TextPtr uri(gst_filename_to_uri(argument, &error));
  if (uri) return uri.get();
  gst::ErrorPtr owner(error);
  fail(Error::Kind::io, argument, ": ", error->message);
}

struct Raw {
  gchar *element = nullptr, *preset = nullptr, *out = nullptr, **rest = nullptr;
  gint frames = 0;
  ~Raw() {
    for (gchar *s : {element, preset, out}) g_free(s);
    g_strfreev(rest);
  }
};

Options parse_options(int argc, char **argv) {
  Raw raw;
  const std::vector<GOptionEntry> entries{
      {"element", 'e', 0, G_OPTION_ARG_STRING, &raw.element, "what to show (default: cudamog)", "NAME"},
      {"preset", 'p', 0, G_OPTION_ARG_STRING, &raw.preset,
       "load one of its presets; gst-inspect-1.0 ELEMENT lists them", "NAME"},
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &raw.out, "folder for the results (default: build/demo)", "DIR"},
      {"frames", 'n', 0, G_OPTION_ARG_INT, &raw.frames,
       "stop after N frames (default: all; 300 of the scene)", "N"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &raw.rest, nullptr, nullptr},
  };
  tools::parse_options(
      {"vigil-demo", "[FILE or URI]",
       "Shows what an element of Vigil finds in a video, or in a synthetic street scene whose\n"
       "exact truth is known. DIR gets an overlay video and pictures, masks, the background\n"
       "and the events (events.jsonl, one JSON object a line, times in seconds).",
       "Ctrl-C ends the input and keeps the results up to there.\n"
       "Exit status: 0 done; 1 an error while running; 2 wrong arguments."},
      entries, argc, argv);
  if (raw.frames < 0) fail(Error::Kind::bad_setting, "--frames ", raw.frames, " is below 0");
  if (raw.rest && g_strv_length(raw.rest) > 1)
    fail(Error::Kind::bad_setting, "only one FILE or URI can be shown");
  Options o;
  if (raw.element) o.element = find_element(raw.element);
  if (raw.preset) o.preset = raw.preset;
  if (raw.preset)
    make_bin(o.element.filter ? o.element.filter : o.element.mask, o); // says at once when there is none
  if (raw.out) o.out = raw.out;
  if (raw.rest && raw.rest[0]) o.input = uri_of(raw.rest[0]);
  o.frames = static_cast<std::uint64_t>(raw.frames);
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
    std::signal(SIGINT, [](int) { interrupted = true; });
    run(o, interrupted);
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "vigil-demo: %s\n", e.what());
    return status;
  }
}

} // namespace vigil::demo

int main(int argc, char **argv) {
  vigil::tools::leave(vigil::demo::main(argc, argv));
}
