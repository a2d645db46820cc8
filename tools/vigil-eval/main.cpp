// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-eval: see options.cpp for what it does, docs/reference/tools/vigil-eval.md for more.
#include "common/error.h"
#include "description.h"
#include "options.h"
#include "plot.h"
#include "report.h"
#include "run.h"
#include "tools/base/leave.h"
#include "tools/base/progress.h"
#include "tracks.h"
#include "vigil-config.h"

#include <clocale>
#include <cstdio>

namespace vigil::eval {

namespace {

using Sources = std::vector<std::unique_ptr<Source>>;

Evaluation evaluate(const Options &o, const std::string &description, const Sources &sources,
                    const std::optional<Setting> &setting) {
  Evaluation e{setting, {}};
  const Job job{.description = description,
                .format = o.format,
                .warmup = o.warmup,
                .patience_seconds = o.patience_seconds,
                .setting = setting};
  for (const auto &source : sources) {
    tools::Progress progress(source->name(), source->frames());
    e.sequences.push_back(run(job, *source, [&] { progress.step(); }));
  }
  return e;
}

// Everything that can be known to be wrong before a frame is decoded.
Sources prepare(Options &o) {
  const auto bin = make_bin(o.description);
  for (const std::string &description : o.compared) make_bin(description);
  if (o.sweep) {
    GstElement *element = nullptr;
    const GParamSpec *spec = find_property(GST_BIN(bin.get()), o.sweep->property, &element);
    if (spec && spec->value_type != G_TYPE_DOUBLE && spec->value_type != G_TYPE_FLOAT)
      round_to_integers(*o.sweep);
    for (const double v : o.sweep->values) make_bin(o.description, Setting{o.sweep->property, v});
  }
  Sources sources;
  for (const std::string &d : o.datasets) sources.push_back(open_source(d, o.rate));
  return sources;
}

void write_roc(const Options &o, const std::vector<Evaluation> &all) {
  std::vector<RocCurve> curves;
  const std::size_t sequences = all.front().sequences.size();
  for (std::size_t i = 0; i < sequences; i++) {
    RocCurve curve{all.front().sequences[i].name, {}};
    for (const Evaluation &e : all) {
      const Measures m = measure(e.sequences[i].counts);
      curve.points.push_back(
          {m.false_positive_rate, m.recall, text(e.setting->property, " = ", e.setting->value)});
    }
    curves.push_back(std::move(curve));
  }
  write_roc_csv(o.out + ".csv", all);
  const std::string title =
      text(o.sweep->property, " from ", o.sweep->values.front(), " to ", o.sweep->values.back());
  write_file(o.out + ".svg", draw_roc(title, o.description, curves));
  std::printf("wrote %s.csv and %s.svg\n", o.out.c_str(), o.out.c_str());
}

void evaluate_all(const Options &o, const Sources &sources) {
  std::vector<Evaluation> all;
  if (o.sweep)
    for (const double v : o.sweep->values) {
      all.push_back(evaluate(o, o.description, sources, Setting{o.sweep->property, v}));
      print_table(stdout, all.back());
      std::fflush(stdout);
    }
  else {
    all.push_back(evaluate(o, o.description, sources, {}));
    print_table(stdout, all.back());
    std::vector<std::string> descriptions = {o.description};
    std::vector<Evaluation> with = all;
    for (const std::string &description : o.compared) {
      std::fflush(stdout);
      with.push_back(evaluate(o, description, sources, {}));
      descriptions.push_back(description);
      print_table(stdout, with.back());
    }
    if (!o.compared.empty()) print_comparison(stdout, descriptions, with);
  }
  if (!o.json.empty()) write_json(o.json, o.description, all);
  if (!o.frames.empty()) write_frames_csv(o.frames, all.front());
  if (o.sweep) write_roc(o, all);
}

} // namespace

int main(int argc, char **argv) {
  constexpr int failed = 1, wrong_arguments = 2;
  int status = wrong_arguments;
  try {
    Options o = parse_options(argc, argv);
    std::setlocale(LC_NUMERIC, "C"); // the table is read by programs too
    if (o.version) {
      std::printf("vigil-eval %s\n", VIGIL_VERSION);
      return 0;
    }
    if (!o.tracks.empty()) {
      status = failed;
      evaluate_tracks(o);
      return 0;
    }
    const Sources sources = prepare(o);
    status = failed;
    evaluate_all(o, sources);
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "vigil-eval: %s\n", e.what());
    return status;
  }
}

} // namespace vigil::eval

int main(int argc, char **argv) {
  vigil::tools::leave(vigil::eval::main(argc, argv));
}
