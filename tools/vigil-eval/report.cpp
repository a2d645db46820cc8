// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report.h"

#include "common/error.h"
#include "common/file.h"
#include "tools/base/json.h"
#include "vigil-config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace vigil::eval {

namespace {

// Shortest text that reads back as the same number, whatever the locale; empty when not defined.
std::string number(double v) {
  if (std::isnan(v)) return "";
  char words[32];
  return {words, std::to_chars(words, words + sizeof words, v).ptr};
}

std::string counts_csv(const Counts &c) {
  return text(c.tp, ',', c.fp, ',', c.fn, ',', c.tn);
}

std::string csv_field(const std::string &s) {
  if (s.find_first_of(",\"\n") == std::string::npos) return s;
  std::string quoted = "\"";
  for (const char c : s) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string cell(double v, int width, int digits) {
  char words[64];
  if (std::isnan(v))
    std::snprintf(words, sizeof words, "%*s", width, "-");
  else
    std::snprintf(words, sizeof words, "%*.*f", width, digits, v);
  return words;
}

std::string measures_cells(const Measures &m) {
  return cell(m.recall, 9, 4) + cell(m.precision, 11, 4) + cell(m.specificity, 13, 4) +
         cell(m.f_measure, 11, 4) + cell(m.pwc, 9, 3);
}

void add_counts(tools::JsonWriter &json, const Counts &c) {
  const Measures m = measure(c);
  json.member("tp", c.tp).member("fp", c.fp).member("fn", c.fn).member("tn", c.tn);
  json.member("recall", m.recall).member("precision", m.precision).member("specificity", m.specificity);
  json.member("f_measure", m.f_measure)
      .member("pwc", m.pwc)
      .member("false_positive_rate", m.false_positive_rate);
}

void add_evaluation(tools::JsonWriter &json, const Evaluation &e) {
  json.begin_object();
  if (e.setting) json.member("property", e.setting->property).member("value", e.setting->value);
  json.name("sequences").begin_array();
  for (const SequenceResult &s : e.sequences) {
    json.begin_object().member("name", s.name).member("frames", s.frames);
    json.member("scored", s.scored.size()).member("missing", s.missing);
    add_counts(json, s.counts);
    json.member("seconds", s.seconds).member("frames_per_second", s.frames_per_second()).end_object();
  }
  json.end_array().name("pooled").begin_object();
  add_counts(json, pooled(e));
  json.member("mean_f_measure", mean_f_measure(e)).end_object().end_object();
}

} // namespace

Counts pooled(const Evaluation &e) {
  Counts sum;
  for (const SequenceResult &s : e.sequences) sum += s.counts;
  return sum;
}

double mean_f_measure(const Evaluation &e) {
  double sum = 0;
  int n = 0;
  for (const SequenceResult &s : e.sequences)
    if (const double f = measure(s.counts).f_measure; !std::isnan(f)) {
      sum += f;
      n++;
    }
  return n ? sum / n : std::numeric_limits<double>::quiet_NaN();
}

void print_table(std::FILE *out, const Evaluation &e) {
  int width = 8;
  for (const SequenceResult &s : e.sequences) width = std::max(width, static_cast<int>(s.name.size()));
  if (e.setting) std::fprintf(out, "%s = %g\n", e.setting->property.c_str(), e.setting->value);
  std::fprintf(out, "%-*s  frames  scored   recall  precision  specificity  F-measure      PWC      fps\n",
               width, "sequence");
  for (const SequenceResult &s : e.sequences)
    std::fprintf(out, "%-*s %7llu %7zu%s%9.1f\n", width, s.name.c_str(),
                 static_cast<unsigned long long>(s.frames), s.scored.size(),
                 measures_cells(measure(s.counts)).c_str(), s.frames_per_second());
  if (e.sequences.size() > 1) {
    std::fprintf(out, "%-*s %15s%s\n", width, "pooled", "", measures_cells(measure(pooled(e))).c_str());
    std::fprintf(out, "%-*s %15s%33s%s\n", width, "mean", "", "", cell(mean_f_measure(e), 11, 4).c_str());
  }
  for (const SequenceResult &s : e.sequences)
    if (s.missing)
      std::fprintf(out, "%s: %llu frames with truth were not scored, because no mask came out for them\n",
                   s.name.c_str(), static_cast<unsigned long long>(s.missing));
}

void print_comparison(std::FILE *out, const std::vector<std::string> &descriptions,
                      const std::vector<Evaluation> &evaluations) {
  int width = 8;
  for (const SequenceResult &s : evaluations.front().sequences)
    width = std::max(width, static_cast<int>(s.name.size()));
  std::fprintf(out, "\n%-*s", width, "sequence");
  for (std::size_t i = 0; i < evaluations.size(); i++) std::fprintf(out, "        [%zu]", i + 1);
  std::fprintf(out, "   (F-measure; %%: false positives, where the truth has no foreground)\n");
  for (std::size_t k = 0; k < evaluations.front().sequences.size(); k++) {
    std::fprintf(out, "%-*s", width, evaluations.front().sequences[k].name.c_str());
    for (const Evaluation &e : evaluations) {
      const Counts &c = e.sequences[k].counts;
      const Measures m = measure(c);
      if (c.tp + c.fn > 0)
        std::fprintf(out, "%s", cell(m.f_measure, 11, 4).c_str());
      else
        std::fprintf(out, "%s%%", cell(100 * m.false_positive_rate, 10, 3).c_str());
    }
    std::fprintf(out, "\n");
  }
  for (std::size_t i = 0; i < descriptions.size(); i++)
    std::fprintf(out, "[%zu] %s\n", i + 1, descriptions[i].c_str());
}

void write_json(const std::string &path, const std::string &description,
                const std::vector<Evaluation> &evaluations) {
  tools::JsonWriter json(true);
  json.begin_object().member("vigil-eval", VIGIL_VERSION).member("description", description);
  json.name("runs").begin_array();
  for (const Evaluation &e : evaluations) add_evaluation(json, e);
  json.end_array().end_object();
  json.save(path);
}

void write_frames_csv(const std::string &path, const Evaluation &e) {
  std::string lines = "sequence,frame,tp,fp,fn,tn,recall,precision,f_measure\n";
  for (const SequenceResult &s : e.sequences)
    for (const FrameResult &f : s.scored) {
      const Measures m = measure(f.counts);
      lines += csv_field(s.name) + ',' + f.frame + ',' + counts_csv(f.counts) + ',' + number(m.recall) + ',' +
               number(m.precision) + ',' + number(m.f_measure) + '\n';
    }
  write_file(path, lines);
}

void write_roc_csv(const std::string &path, const std::vector<Evaluation> &evaluations) {
  std::string lines;
  const auto line = [&](const Setting &setting, const std::string &name, const Counts &c) {
    const Measures m = measure(c);
    lines += number(setting.value) + ',' + csv_field(name) + ',' + counts_csv(c) + ',' + number(m.recall) +
             ',' + number(m.false_positive_rate) + ',' + number(m.precision) + ',' + number(m.f_measure) +
             '\n';
  };
  for (const Evaluation &e : evaluations) {
    if (lines.empty())
      lines = csv_field(e.setting->property) +
              ",sequence,tp,fp,fn,tn,true_positive_rate,false_positive_rate,precision,f_measure\n";
    for (const SequenceResult &s : e.sequences) line(*e.setting, s.name, s.counts);
    line(*e.setting, "pooled", pooled(e));
  }
  write_file(path, lines);
}

void write_file(const std::string &path, const std::string &content) {
  write_file_atomically(path, {reinterpret_cast<const std::uint8_t *>(content.data()), content.size()});
}

} // namespace vigil::eval
