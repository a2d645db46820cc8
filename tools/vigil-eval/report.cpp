// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report.h"

#include "common/error.h"
#include "tools/base/gst_ptr.h"
#include "vigil-config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <json-glib/json-glib.h>
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

using Builder = std::unique_ptr<JsonBuilder, tools::Releaser<g_object_unref>>;

void add(JsonBuilder *b, const char *name, double v) {
  json_builder_set_member_name(b, name);
  if (std::isnan(v))
    json_builder_add_null_value(b);
  else
    json_builder_add_double_value(b, v);
}
void add(JsonBuilder *b, const char *name, std::uint64_t v) {
  json_builder_set_member_name(b, name);
  json_builder_add_int_value(b, static_cast<gint64>(v));
}
void add(JsonBuilder *b, const char *name, const std::string &v) {
  json_builder_set_member_name(b, name);
  json_builder_add_string_value(b, v.c_str());
}

void add_counts(JsonBuilder *b, const Counts &c) {
  const Measures m = measure(c);
  add(b, "tp", c.tp);
  add(b, "fp", c.fp);
  add(b, "fn", c.fn);
  add(b, "tn", c.tn);
  add(b, "recall", m.recall);
  add(b, "precision", m.precision);
  add(b, "specificity", m.specificity);
  add(b, "f_measure", m.f_measure);
  add(b, "pwc", m.pwc);
  add(b, "false_positive_rate", m.false_positive_rate);
}

void add_evaluation(JsonBuilder *b, const Evaluation &e) {
  json_builder_begin_object(b);
  if (e.setting) {
    add(b, "property", e.setting->property);
    add(b, "value", e.setting->value);
  }
  json_builder_set_member_name(b, "sequences");
  json_builder_begin_array(b);
  for (const SequenceResult &s : e.sequences) {
    json_builder_begin_object(b);
    add(b, "name", s.name);
    add(b, "frames", s.frames);
    add(b, "scored", std::uint64_t{s.scored.size()});
    add(b, "missing", s.missing);
    add_counts(b, s.counts);
    add(b, "seconds", s.seconds);
    add(b, "frames_per_second", s.frames_per_second());
    json_builder_end_object(b);
  }
  json_builder_end_array(b);
  json_builder_set_member_name(b, "pooled");
  json_builder_begin_object(b);
  add_counts(b, pooled(e));
  add(b, "mean_f_measure", mean_f_measure(e));
  json_builder_end_object(b);
  json_builder_end_object(b);
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

void write_json(const std::string &path, const std::string &description,
                const std::vector<Evaluation> &evaluations) {
  Builder b(json_builder_new());
  json_builder_begin_object(b.get());
  add(b.get(), "vigil-eval", std::string(VIGIL_VERSION));
  add(b.get(), "description", description);
  json_builder_set_member_name(b.get(), "runs");
  json_builder_begin_array(b.get());
  for (const Evaluation &e : evaluations) add_evaluation(b.get(), e);
  json_builder_end_array(b.get());
  json_builder_end_object(b.get());
  std::unique_ptr<JsonNode, tools::Releaser<json_node_unref>> root(json_builder_get_root(b.get()));
  tools::TextPtr words(json_to_string(root.get(), TRUE));
  write_file(path, std::string(words.get()) + "\n");
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
  GError *error = nullptr;
  if (g_file_set_contents(path.c_str(), content.data(), static_cast<gssize>(content.size()), &error)) return;
  tools::ErrorPtr owner(error);
  fail(Error::Kind::io, "cannot write ", path, ": ", error->message);
}

} // namespace vigil::eval
