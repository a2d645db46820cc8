// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-train: see summary for what it does, docs/reference/tools/vigil-train.md for more.
#include "commands.h"
#include "common/error.h"
#include "interrupt.h"
#include "tools/base/options.h"
#include "vigil-config.h"

#include <clocale>
#include <cstdio>
#include <cstring>

namespace vigil::train {

namespace {

constexpr const char *summary =
    "Trains and tests what the element gpufisher uses.\n"
    "\n"
    "  vigil-train codebook -o MODEL FILE...       learns a codebook from videos and pictures\n"
    "  vigil-train motion -o MODEL MODEL FILE...   adds a codebook of what changes between frames\n"
    "  vigil-train classifier -l LABELS MODEL      learns to tell labelled frames apart\n"
    "  vigil-train evaluate -l LABELS MODEL        scores the classifier on other labelled frames\n"
    "  vigil-train statistics -o FILE MODEL FILE...   one expectation step over a share of the files\n"
    "  vigil-train maximise -o MODEL MODEL FILE...    the maximisation step, of all shares' statistics\n"
    "  vigil-train describe MODEL                  prints what a model holds\n"
    "  vigil-train import -o MODEL FILE.npz        makes a codebook of numpy arrays\n"
    "\n"
    "vigil-train COMMAND --help lists a command's options.\n";

struct Command {
  const char *name, *arguments, *summary;
};
constexpr Command commands[] = {
    {"codebook", "FILE... (or --labels)",
     "Samples dense SIFT descriptors of all frames of FILE (videos, pictures, folders of them), fits a\n"
     "projection and a mixture of Gaussians. Ctrl-C leaves a checkpoint, and --resume goes on from it."},
    {"motion", "MODEL FILE... (or MODEL and --labels)",
     "Adds a codebook of motion to MODEL, which holds one of pictures: dense SIFT of the difference between\n"
     "each frame and the one LAG frames before it. Vectors get longer, and a classifier must be trained "
     "again."},
    {"classifier", "MODEL",
     "Trains a linear classifier on Fisher vectors of labelled frames and calibrates the scores at which\n"
     "events begin and end. LABELS is a CSV file with the header video,first,last,class, or a folder with\n"
     "a folder of pictures or videos for each class. A frame in several lines has all of their classes."},
    {"evaluate", "MODEL",
     "Scores labelled frames: area under the ROC curve, average precision, confusion, events found, late\n"
     "and false. --out PREFIX writes PREFIX-classes.csv, PREFIX-frames.csv, PREFIX-roc.csv, PREFIX.svg (the\n"
     "ROC curve) and, of videos, PREFIX-time.svg (scores over time)."},
    {"statistics", "MODEL FILE...",
     "One step of expectation over all descriptors of FILE (videos, pictures, folders of them), or of a "
     "share\n"
     "of them, with the mixture of MODEL. What it writes is for maximise."},
    {"maximise", "MODEL STATISTICS...",
     "The next mixture, of statistics of all shares. It has the same bits however files were shared out."},
    {"describe", "MODEL", "Prints what a model holds."},
    {"import", "FILE.npz",
     "Makes a codebook of the arrays means, covariances, priors, projection and (optional) mean of a .npz "
     "file."},
};

// GOption's own variables, and what they mean afterwards.
struct Raw {
  gchar *out = nullptr, *labels = nullptr, *filter = nullptr, *backend = nullptr, *on_error = nullptr,
        *cache = nullptr, *normal = nullptr, *task = nullptr;
  gchar **rest = nullptr;
  gint seed = 1, samples = 1000000, components = 256, projected = 80, iterations = 60, every = 1, threads = 0,
       scales = 8, bin_size = 4, step = 4, folds = 5, window = 5, baseline = 0, lag = 6;
  gdouble floor = 1e-4, tolerance = 1e-4, largest = fisher::SiftParams{}.largest_scale,
          contrast = fisher::SiftParams{}.contrast_threshold, c = 0, false_alarms = 0.01;
  gboolean resume = FALSE, version = FALSE;
  ~Raw() {
    for (gchar *s : {out, labels, filter, backend, on_error, cache, normal, task}) g_free(s);
    g_strfreev(rest);
  }
};

void parse(Raw &r, const Command &command, int argc, char **argv) {
  using Entries = std::vector<GOptionEntry>;
  const Entries common{
      {"filter", 'f', 0, G_OPTION_ARG_STRING, &r.filter,
       "elements that frames go through first, e.g. \"videocrop top=32\"", "CHAIN"},
      {"every", 'e', 0, G_OPTION_ARG_INT, &r.every, "take each N-th frame (default: 1)", "N"},
      {"backend", 'b', 0, G_OPTION_ARG_STRING, &r.backend, "auto, cuda or cpu (default: auto)", "NAME"},
      {"threads", 't', 0, G_OPTION_ARG_INT, &r.threads,
       "threads for descriptors and vectors on the CPU (default: all)", "N"},
      {"on-error", 0, 0, G_OPTION_ARG_STRING, &r.on_error,
       "stop, or skip files that cannot be read (default: stop)", "ACTION"},
  };
  const Entries sift{
      {"scales", 0, 0, G_OPTION_ARG_INT, &r.scales, "number of scales (default: 8)", "N"},
      {"largest-scale", 0, 0, G_OPTION_ARG_DOUBLE, &r.largest, "the first scale (default: 1.4142)", "X"},
      {"bin-size", 0, 0, G_OPTION_ARG_INT, &r.bin_size, "pixels of a descriptor's bin (default: 4)", "N"},
      {"step", 0, 0, G_OPTION_ARG_INT, &r.step, "pixels between descriptors (default: 4)", "N"},
      {"contrast-threshold", 0, 0, G_OPTION_ARG_DOUBLE, &r.contrast, "lowest contrast (default: 0.005)", "X"},
  };
  const Entries out{{"out", 'o', 0, G_OPTION_ARG_FILENAME, &r.out, "what is written", "FILE"}};
  const Entries labelled{
      {"labels", 'l', 0, G_OPTION_ARG_FILENAME, &r.labels, "CSV file or folder of classes", "LABELS"},
      {"cache", 0, 0, G_OPTION_ARG_FILENAME, &r.cache, "keep Fisher vectors in this folder for the next run",
       "FOLDER"},
      {"normal", 0, 0, G_OPTION_ARG_STRING, &r.normal,
       "the class of frames without an event (default: normal)", "CLASS"},
      {"window", 'w', 0, G_OPTION_ARG_INT, &r.window,
       "median of so many scores, as the element's window (default: 5)", "N"},
  };
  Entries entries;
  const auto add = [&](const Entries &more) { entries.insert(entries.end(), more.begin(), more.end()); };
  const std::string name = command.name;
  if (name != "describe") add(out);
  if (name == "codebook" || name == "import") add(sift);
  if (name == "motion")
    add({{"lag", 0, 0, G_OPTION_ARG_INT, &r.lag,
          "frames of the video from one to the other of a difference, whatever --every is (default: 6)",
          "N"}});
  if (name == "codebook" || name == "motion") {
    add(common);
    add({{"labels", 'l', 0, G_OPTION_ARG_FILENAME, &r.labels,
          "take the labelled frames of this, instead of FILE...", "LABELS"},
         {"seed", 's', 0, G_OPTION_ARG_INT, &r.seed, "the same seed gives the same codebook (default: 1)",
          "N"},
         {"samples", 'n', 0, G_OPTION_ARG_INT, &r.samples, "descriptors to learn from (default: 1000000)",
          "N"},
         {"components", 'k', 0, G_OPTION_ARG_INT, &r.components, "of the mixture (default: 256)", "N"},
         {"projected", 'p', 0, G_OPTION_ARG_INT, &r.projected,
          "dimensions that the projection keeps (default: 80)", "N"},
         {"iterations", 'i', 0, G_OPTION_ARG_INT, &r.iterations, "at most (default: 60)", "N"},
         {"tolerance", 0, 0, G_OPTION_ARG_DOUBLE, &r.tolerance,
          "stop when the log-likelihood rises by less than this part of it (default: 0.0001)", "X"},
         {"variance-floor", 0, 0, G_OPTION_ARG_DOUBLE, &r.floor,
          "least variance, as part of the largest of the data (default: 0.0001)", "X"},
         {"resume", 'r', 0, G_OPTION_ARG_NONE, &r.resume, "go on from the checkpoint of an interrupted run",
          nullptr}});
  }
  if (name == "statistics") {
    add(common);
    add({{"task", 0, 0, G_OPTION_ARG_STRING, &r.task, "take the I-th of N shares of the files, from 0 on",
          "I/N"}});
  }
  if (name == "maximise")
    add({{"variance-floor", 0, 0, G_OPTION_ARG_DOUBLE, &r.floor,
          "least variance, as part of the largest of the data (default: 0.0001)", "X"}});
  if (name == "classifier" || name == "evaluate") {
    add(common);
    add(labelled);
  }
  if (name == "classifier")
    add({{"cost", 'C', 0, G_OPTION_ARG_DOUBLE, &r.c,
          "of errors; default: the best of 1, 10, 100 in cross-validation", "X"},
         {"baseline", 0, 0, G_OPTION_ARG_INT, &r.baseline,
          "take away the lower quartile of so many scores before, which is the scene's own (default: 0, "
          "none)",
          "N"},
         {"folds", 0, 0, G_OPTION_ARG_INT, &r.folds, "of the cross-validation (default: 5)", "N"},
         {"false-alarms", 'a', 0, G_OPTION_ARG_DOUBLE, &r.false_alarms,
          "part of the frames without an event that may reach the threshold (default: 0.01)", "X"}});
  add({{G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &r.rest, nullptr, nullptr}});
  tools::parse_options(
      {text("vigil-train ", command.name), text(command.name, " ", command.arguments), command.summary},
      entries, argc, argv);
}

std::string word(const gchar *s, const char *otherwise = "") {
  return s ? s : otherwise;
}

void run(const Command &command, const Raw &r, const std::string &how) {
  constexpr int many = 1 << 30;
  tools::check_range("--every", r.every, 1, many);
  tools::check_range("--threads", r.threads, 0, 4096);
  tools::check_range("--window", r.window, 1, 100000);
  const std::string on_error = word(r.on_error, "stop"), backend = word(r.backend, "auto"),
                    name = command.name;
  if (on_error != "stop" && on_error != "skip")
    fail(Error::Kind::bad_setting, "--on-error ", on_error, " is neither stop nor skip");
  const std::vector<std::string> words = tools::words_of(r.rest);
  const bool shared = name == "statistics" || name == "maximise";
  const bool many_files = name == "codebook" || name == "motion";
  const std::size_t models = name == "codebook" ? 0 : 1; // among the words, before files
  if (shared ? words.size() < 2
             : words.size() < models || (words.size() == models) != (!many_files || r.labels))
    fail(Error::Kind::bad_setting, "vigil-train ", name, " takes ", command.arguments);
  const fisher::SiftParams sift{r.scales, r.largest, r.bin_size, r.step, r.contrast};
  const FeatureOptions features{word(r.filter), r.every, word(r.cache), on_error == "skip"};
  const auto need = [&](const gchar *value, const char *option) {
    if (!value) fail(Error::Kind::bad_setting, "vigil-train ", name, " needs ", option);
  };
  if (name == "describe") return describe(words[0]);
  if (name == "evaluate") {
    need(r.labels, "--labels");
    return evaluate({words[0], word(r.labels), word(r.out), backend, word(r.normal, "normal"), features,
                     r.window, r.threads});
  }
  if (name == "classifier") {
    need(r.labels, "--labels");
    tools::check_range("--folds", r.folds, 2, 100);
    tools::check_range("--cost", r.c, 0, 1e9);
    tools::check_range("--false-alarms", r.false_alarms, 0, 1);
    tools::check_range("--baseline", r.baseline, 0, fisher::max_baseline);
    return train_classifier({words[0], word(r.labels), word(r.out, words[0].c_str()), backend, how,
                             word(r.normal, "normal"), features, r.c, r.false_alarms, r.folds, r.window,
                             r.baseline, r.threads});
  }
  need(r.out, "--out");
  tools::check_range("--variance-floor", r.floor, 1e-9, 1);
  const std::vector<std::string> after(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (name == "statistics")
    return collect_statistics({words[0], word(r.out), word(r.filter), backend, after,
                               r.task ? tools::parse_share("--task", r.task) : tools::Share{}, r.every,
                               r.threads, on_error == "skip"});
  if (name == "maximise") return maximise({words[0], word(r.out), after, r.floor});
  if (name != "motion")
    for_each_param(fisher::params_table, [&](int, const auto &p) {
      tools::check_range(text("--", p.name).c_str(), double(sift.*p.field), double(p.min), double(p.max));
    });
  if (name == "import") return import_npz(words[0], sift, word(r.out));
  tools::check_range("--samples", r.samples, 1, 100000000);
  tools::check_range("--components", r.components, 1, fisher::max_components);
  tools::check_range("--projected", r.projected, 1, fisher::descriptor_length);
  tools::check_range("--iterations", r.iterations, 1, 100000);
  tools::check_range("--tolerance", r.tolerance, 0, 1);
  CodebookOptions o;
  if (name == "motion") {
    tools::check_range("--lag", r.lag, 1, fisher::max_lag);
    o.base = words[0];
    o.lag = r.lag;
  }
  o.videos = name == "motion" ? after : words;
  o.labels = word(r.labels);
  o.out = word(r.out);
  o.filter = word(r.filter);
  o.backend = backend;
  o.how = how;
  o.sift = sift;
  o.samples = r.samples;
  o.components = r.components;
  o.projected = r.projected;
  o.iterations = r.iterations;
  o.every = r.every;
  o.threads = r.threads;
  o.floor = r.floor;
  o.tolerance = r.tolerance;
  o.seed = r.seed;
  o.skip_bad = on_error == "skip";
  o.resume = r.resume;
  train_codebook(o);
}

} // namespace

int main(int argc, char **argv) {
  constexpr int failed = 1, wrong_arguments = 2, interrupted = 130;
  const char *first = argc > 1 ? argv[1] : "";
  if (!std::strcmp(first, "--version")) return std::printf("vigil-train %s\n", VIGIL_VERSION) < 0;
  if (!std::strcmp(first, "--help") || !std::strcmp(first, "-h")) return std::fputs(summary, stdout) < 0;
  for (const Command &command : commands) {
    if (std::strcmp(first, command.name) != 0) continue;
    try {
      std::string how = "vigil-train";
      for (int i = 1; i < argc; i++) // an interrupted run's result is the same as one that was not
        if (std::strcmp(argv[i], "--resume") != 0 && std::strcmp(argv[i], "-r") != 0)
          how += text(' ', argv[i]);
      gchar *clean = g_utf8_make_valid(how.c_str(), -1);
      how = g_strdelimit(clean, "\n\r\t", ' ');
      g_free(clean);
      Raw raw;
      parse(raw, command, argc - 1, argv + 1);
      std::setlocale(LC_NUMERIC, "C"); // tables are read by programs too
      catch_interrupts();
      run(command, raw, how);
      return 0;
    } catch (const Interrupted &) {
      return interrupted;
    } catch (const Error &e) {
      std::fprintf(stderr, "vigil-train: %s\n", e.what());
      return e.kind() == Error::Kind::bad_setting ? wrong_arguments : failed;
    } catch (const std::exception &e) {
      std::fprintf(stderr, "vigil-train: %s\n", e.what());
      return failed;
    }
  }
  std::fprintf(stderr, "vigil-train: '%s' is no command\n\n%s", first, summary);
  return wrong_arguments;
}

} // namespace vigil::train

int main(int argc, char **argv) {
  return vigil::train::main(argc, argv);
}
