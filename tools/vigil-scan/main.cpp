// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-scan: see docs/reference/tools/vigil-scan.md.
#include "common/error.h"
#include "scan.h"
#include "tools/base/leave.h"
#include "tools/base/options.h"
#include "tools/base/share.h"
#include "vigil-config.h"

#include <charconv>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace vigil::scan {

namespace {

constexpr const char *summary =
    "Looks through video files and keeps what moved: events, tracks, activity a second and, with --vectors,\n"
    "Fisher vectors, as JSON lines and arrays in the folder DIR. What is there already is not done again.\n"
    "vigil-scan query DIR... --like FILE@SECONDS prints the most similar events.";

struct Preset {
  const char *name, *elements;
};
// parts: what it remembers fades with cudamog's history alone, so that a warm-up of some histories is enough.
// fast: luma alone, of pictures that are no wider than 320 pixels. The least area is a quarter of the
// default, as if they had been 640 pixels wide; the median's window is between the default's and half of it.
constexpr Preset presets[] = {
    {"full", "cudamog output=passthrough ! boxtrack"},
    {"parts", "cudamog output=passthrough exposure=off ! boxtrack"},
    {"fast", "videoscale ! video/x-raw,width=[1,320],pixel-aspect-ratio=1/1 ! cudamog output=passthrough "
             "threads=1 color=false median=5 min-area=25 ! boxtrack"}};

// Parts of files have the events of the whole files only where what the chain remembers fades.
std::string chain_of(const char *chain, const char *preset, bool is_split) {
  if (chain && preset) fail(Error::Kind::bad_setting, "--chain and --preset exclude each other");
  if (chain) return chain;
  if (!preset) preset = is_split ? "parts" : "full";
  for (const Preset &p : presets)
    if (!std::strcmp(p.name, preset)) return p.elements;
  fail(Error::Kind::bad_setting, "--preset ", preset, ": there are full, parts and fast");
}

// Seven times cudamog's history of 500 frames, at 15 frames a second: docs/reference/tools/vigil-scan.md says
// why.
constexpr double default_warm_up = 240;

struct Raw {
  gchar *out = nullptr, *chain = nullptr, *preset = nullptr, *vectors = nullptr, *task = nullptr,
        *like = nullptr;
  gchar **rest = nullptr, **lists = nullptr;
  gdouble split = 0, warm_up = default_warm_up, every = 1;
  gint jobs = 1, count = 10;
  gboolean version = FALSE;
  ~Raw() {
    for (gchar *s : {out, chain, preset, vectors, task, like}) g_free(s);
    g_strfreev(rest);
    g_strfreev(lists);
  }
};

void parse(Raw &r, bool is_query, int argc, char **argv) {
  std::vector<GOptionEntry> entries;
  if (is_query)
    entries = {{"like", 'l', 0, G_OPTION_ARG_STRING, &r.like, "the picture to look for", "FILE@SECONDS"},
               {"count", 'n', 0, G_OPTION_ARG_INT, &r.count, "events to print (default: 10)", "N"}};
  else
    entries = {
        {"out", 'o', 0, G_OPTION_ARG_FILENAME, &r.out, "where results are kept", "DIR"},
        {"chain", 'c', 0, G_OPTION_ARG_STRING, &r.chain,
         "elements that look at the frames (default: those of --preset full, with --split of --preset parts)",
         "ELEMENTS"},
        {"preset", 'p', 0, G_OPTION_ARG_STRING, &r.preset,
         "a chain by name: full (the default), parts (the default with --split), or fast: luma alone, at "
         "most "
         "320 pixels wide",
         "NAME"},
        {"list", 'l', 0, G_OPTION_ARG_FILENAME_ARRAY, &r.lists,
         "files and folders, a line each; - is the standard input", "FILE"},
        {"vectors", 'v', 0, G_OPTION_ARG_FILENAME, &r.vectors,
         "keep Fisher vectors of frames in events, made with this model of gpufisher", "MODEL"},
        {"every", 'e', 0, G_OPTION_ARG_DOUBLE, &r.every, "seconds between vectors (default: 1)", "SECONDS"},
        {"split", 's', 0, G_OPTION_ARG_DOUBLE, &r.split, "cut files into parts of this length", "SECONDS"},
        {"warm-up", 'w', 0, G_OPTION_ARG_DOUBLE, &r.warm_up,
         "what the chain sees before a part begins (default: 240)", "SECONDS"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &r.jobs, "files or parts at a time (default: 1)", "N"},
        {"task", 't', 0, G_OPTION_ARG_STRING, &r.task, "do the I-th of N shares, from 0 on", "I/N"},
        {"version", 0, 0, G_OPTION_ARG_NONE, &r.version, "print the version", nullptr}};
  entries.push_back({G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &r.rest, nullptr, nullptr});
  tools::parse_options({"vigil-scan", is_query ? "DIR..." : "FILE...", summary}, entries, argc, argv);
}

Time nanoseconds(double seconds) {
  return std::llround(seconds * double(second));
}
int run_query(const Raw &r) {
  QueryOptions o;
  o.folders = tools::words_of(r.rest);
  tools::check_range("--count", r.count, 1, 1000000);
  o.count = r.count;
  const std::string like = r.like ? r.like : "";
  const auto at = like.rfind('@');
  if (o.folders.empty() || at == std::string::npos)
    fail(Error::Kind::bad_setting, "vigil-scan query takes DIR... and --like FILE@SECONDS");
  double seconds = -1;
  const auto [end, bad] = std::from_chars(like.data() + at + 1, like.data() + like.size(), seconds);
  if (bad != std::errc() || end != like.data() + like.size())
    fail(Error::Kind::bad_setting, "--like ", like, ": after the @ stand seconds, such as 12.5");
  tools::check_range("--like's seconds", seconds, 0, 1e9);
  o.file = like.substr(0, at);
  o.time = nanoseconds(seconds);
  query(o);
  return 0;
}

int run_scan(const Raw &r) {
  ScanOptions o;
  o.files = tools::words_of(r.rest);
  o.lists = tools::words_of(r.lists);
  if (!r.out || (o.files.empty() && o.lists.empty()))
    fail(Error::Kind::bad_setting, "vigil-scan takes --out DIR and FILE... or --list FILE");
  tools::check_range("--split", r.split, 0, 1e6);
  tools::check_range("--warm-up", r.warm_up, 0, 1e6);
  tools::check_range("--every", r.every, 0.001, 1e6);
  tools::check_range("--jobs", r.jobs, 1, 1024);
  o.out = r.out;
  o.chain.elements = chain_of(r.chain, r.preset, r.split > 0);
  o.chain.model = r.vectors ? r.vectors : "";
  o.chain.vectors_every = nanoseconds(r.every);
  o.chain.warm_up = nanoseconds(r.warm_up);
  o.split = nanoseconds(r.split);
  o.jobs = r.jobs;
  if (r.task) o.task = tools::parse_share("--task", r.task);
  const Outcome all = scan(o);
  std::fprintf(stderr, "%d done, %d were there, %d failed, %d broken off\n", all.done, all.skipped,
               all.failed, all.broken_off);
  constexpr int some_failed = 3;
  return all.failed || all.broken_off ? some_failed : 0;
}

} // namespace

int main(int argc, char **argv) {
  constexpr int failed = 1, wrong_arguments = 2;
  const bool is_query = argc > 1 && !std::strcmp(argv[1], "query");
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error, as a full disk is
  try {
    Raw raw;
    parse(raw, is_query, is_query ? argc - 1 : argc, is_query ? argv + 1 : argv);
    std::setlocale(LC_NUMERIC, "C");
    if (raw.version) return std::printf("vigil-scan %s\n", VIGIL_VERSION) < 0;
    return is_query ? run_query(raw) : run_scan(raw);
  } catch (const Error &e) {
    std::fprintf(stderr, "vigil-scan: %s\n", e.what());
    return e.kind() == Error::Kind::bad_setting ? wrong_arguments : failed;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "vigil-scan: %s\n", e.what());
    return failed;
  }
}

} // namespace vigil::scan

int main(int argc, char **argv) {
  vigil::tools::leave(vigil::scan::main(argc, argv));
}
