// SPDX-License-Identifier: LGPL-2.1-or-later
// Texts to chains and back.
#include "kernels/filter/filter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

namespace vigil::filter {
namespace {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '+' ||
         c == '.' || c == '_';
}

struct Token {
  std::size_t at = 0;
  std::string_view text; // a word, or one other character; empty at the end
};

std::string printable(std::string_view s) {
  constexpr std::size_t longest = 40;
  std::string r;
  for (const char c : s.substr(0, longest)) r += c >= ' ' && c <= '~' ? c : '?';
  if (s.size() > longest) r += "...";
  return r;
}

std::string number(double v) {
  char b[32];
  const auto r = std::to_chars(b, b + sizeof b, v);
  return {b, r.ptr};
}

// A path that was read has at most one kind of quotes, or begins with none and has no blanks.
std::string quoted(const std::string &path) {
  const bool plain = path.find_first_of(" !") == path.npos && path[0] != '\'' && path[0] != '"';
  if (plain) return path;
  const char *quote = path.find('\'') == path.npos ? "'" : "\"";
  return text(quote, path, quote);
}

// Insertions, deletions and changes of one letter that make b of a.
int distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); j++) row[j] = int(j);
  for (std::size_t i = 1; i <= a.size(); i++) {
    int diagonal = row[0];
    row[0] = int(i);
    for (std::size_t j = 1; j <= b.size(); j++) {
      const int changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// "; did you mean x? There are: x, y, z"
template <class Items>
std::string suggestion(std::string_view word, const Items &items) {
  std::string all;
  const char *nearest = nullptr;
  int best = 3;
  for (const auto &i : items) {
    if (!all.empty()) all += ", ";
    all += i.name;
    const int d = word.size() > 40 ? best : distance(word, i.name);
    if (d < best) {
      best = d;
      nearest = i.name;
    }
  }
  return text(nearest ? text("; did you mean ", nearest, "?") : ";",
              nearest ? " There are: " : " there are: ", all);
}

class Parser {
 public:
  explicit Parser(std::string_view s) : text_(s) { advance(); }

  Chain chain() {
    Chain c;
    if (token_.text.empty()) return c;
    for (;;) {
      const Token at = token_;
      if (c.size() == max_stages) wrong(at, text("a chain has at most ", max_stages, " stages"));
      int repeat = 1;
      const Stage s = stage(repeat);
      if (c.size() + std::size_t(repeat) > max_stages)
        wrong(at, text("repeated ", repeat, " times it makes ", c.size() + std::size_t(repeat),
                       " stages; a chain has at most ", max_stages));
      c.insert(c.end(), std::size_t(repeat), s);
      if (token_.text.empty()) return c;
      if (token_.text != "!") wrong(token_, "expected ! before the next stage, or a parameter as name=value");
      advance();
    }
  }

 private:
  void advance() {
    while (at_ < text_.size() && is_blank(text_[at_])) at_++;
    const std::size_t from = at_;
    while (at_ < text_.size() && is_word(text_[at_])) at_++;
    if (at_ == from && at_ < text_.size()) at_++;
    token_ = {from, text_.substr(from, at_ - from)};
  }
  bool at_word() const { return !token_.text.empty() && is_word(token_.text[0]); }
  bool next_is_equals() const {
    std::size_t i = at_;
    while (i < text_.size() && is_blank(text_[i])) i++;
    return i < text_.size() && text_[i] == '=';
  }
  [[noreturn]] void wrong(const Token &t, const std::string &reason) const {
    int column = 1; // bytes that continue a character of UTF-8 do not count
    for (const char c : text_.substr(0, t.at)) column += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    throw ChainError(column, printable(t.text), reason);
  }

  Stage stage(int &repeat) {
    const Token name = token_;
    if (!at_word()) wrong(name, text("expected the name of a stage", suggestion({}, stage_types())));
    const auto types = stage_types();
    const auto type =
        std::find_if(types.begin(), types.end(), [&](const StageType &t) { return name.text == t.name; });
    if (type == types.end()) wrong(name, text("there is no such stage", suggestion(name.text, types)));
    Stage s{&*type, {}};
    for (const StageParam &p : type->params) s.values.push_back(p.value);
    std::vector<bool> given(s.values.size() + 2); // the last two: repeat, and matrix or kernel
    advance();
    while (at_word()) parameter(s, given, repeat);
    if (token_.text == "=")
      wrong(token_, text("expected the name of a parameter of ", type->name, " before ="));
    if (std::string_view(type->name) == "levels" && !(s["white"] - s["black"] >= 1 / 255.))
      wrong(name, text("white (", number(s["white"]), ") must be above black (", number(s["black"]),
                       ") by at least 1/255"));
    if (type->takes_file && s.file.empty())
      wrong(name, text("the stage ", type->name, " needs the path of a file: kernel=FILE.cl"));
    if (type->takes_matrix) {
      double sum = 0;
      for (const double v : s.matrix.values) sum += std::abs(v / s["divide"]);
      if (!(sum <= max_weight_sum))
        wrong(name,
              text("the absolute values of its weights add up to ", number(sum), " after the division, but ",
                   number(max_weight_sum), " is the most: divide by more"));
    }
    return s;
  }

  void parameter(Stage &s, std::vector<bool> &given, int &repeat) {
    const Token name = token_;
    const auto &params = s.type->params;
    if (!next_is_equals())
      wrong(name,
            text("expected ", params.empty() ? "" : "name=value or ", "! after the stage ", s.type->name));
    static const StageParam repeats{"repeat", 1, 1, max_stages, "", true};
    const bool repeated = name.text == repeats.name, matrix = s.type->takes_matrix && name.text == "matrix",
               file = s.type->takes_file && name.text == "kernel";
    const auto p =
        std::find_if(params.begin(), params.end(), [&](const auto &i) { return name.text == i.name; });
    if (p == params.end() && !repeated && !matrix && !file)
      wrong(name, params.empty() ? text("the stage ", s.type->name, " has no parameters")
                                 : text("the stage ", s.type->name, " has no such parameter",
                                        suggestion(name.text, params)));
    const std::size_t i = std::size_t(p - params.begin()) + (matrix || file);
    if (given[i]) wrong(name, "is given twice");
    given[i] = true;
    advance(); // to =
    if (file) return read_path(s.file);
    advance();
    if (matrix) return read_matrix(s.matrix);
    if (repeated)
      repeat = int(value(repeats));
    else
      s.values[i] = value(*p);
    advance();
  }

  // The token is the = before it.
  void read_path(std::string &path) {
    while (at_ < text_.size() && is_blank(text_[at_])) at_++;
    const Token from{at_, text_.substr(at_, at_ < text_.size())};
    const bool quoted = from.text == "'" || from.text == "\"";
    const std::size_t begin = at_ + quoted;
    at_ = begin;
    const auto inside = [&](char c) { return quoted ? c != from.text[0] : !is_blank(c) && c != '!'; };
    while (at_ < text_.size() && inside(text_[at_])) at_++;
    path = text_.substr(begin, at_ - begin);
    if (quoted && at_ == text_.size()) wrong(from, "a path begins here, whose closing quote is missing");
    if (path.empty()) wrong(from, "kernel needs the path of a file");
    for (const char c : path)
      if (static_cast<unsigned char>(c) < ' ' || c == 127)
        wrong(from, "a path with control characters is not taken; give the file another name");
    at_ += quoted;
    advance();
  }

  // 1,2,1;2,4,2;1,2,1
  void read_matrix(Weights &m) {
    constexpr double most = 65536;
    static const StageParam weight{"a weight of the matrix", 0, -most, most, ""};
    const Token begin = token_;
    m = {0, 0, {}};
    for (int columns = 1;; columns++) {
      m.values.push_back(value(weight));
      if (columns > max_matrix || m.rows >= max_matrix)
        wrong(token_, text("a matrix has at most ", max_matrix, " rows and columns"));
      advance();
      if (token_.text == ",") {
        advance();
        continue;
      }
      m.rows++;
      if (m.rows > 1 && columns != m.columns)
        wrong(begin, text("row ", m.rows, " of the matrix has ", columns, " weights, and the one before ",
                          m.columns));
      m.columns = columns;
      if (token_.text != ";") break;
      columns = 0;
      advance();
    }
    if (m.columns % 2 == 0 || m.rows % 2 == 0)
      wrong(begin, text("the matrix is of ", m.columns, "x", m.rows,
                        " weights; both numbers must be odd, so that it has a middle"));
  }

  double value(const StageParam &p) const {
    const std::string range =
        text(p.whole ? "a whole number from " : "a number from ", number(p.min), " to ", number(p.max));
    std::string_view word = token_.text;
    if (!at_word()) wrong(token_, text(p.name, " needs ", range));
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    double v = 0;
    const auto r = std::from_chars(word.data(), word.data() + word.size(), v);
    if (r.ec != std::errc() || r.ptr != word.data() + word.size() || !std::isfinite(v) ||
        (p.whole && v != std::floor(v)) || v < p.min || v > p.max)
      wrong(token_, text(p.name, " must be ", range));
    return v == 0 ? 0 : v; // no negative zero
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
};

} // namespace

ChainError::ChainError(int column, std::string token, const std::string &reason)
    : Error(Error::Kind::bad_setting, token.empty()
                                          ? text("chain, at its end (column ", column, "): ", reason)
                                          : text("chain, column ", column, ", \"", token, "\": ", reason)),
      column_(column), token_(std::move(token)), reason_(reason) {}

Chain parse(std::string_view s) {
  return Parser(s).chain();
}

std::string to_text(const Chain &chain) {
  std::string r;
  for (const Stage &s : chain) {
    if (!r.empty()) r += " ! ";
    r += s.type->name;
    for (std::size_t i = 0; i < s.values.size(); i++)
      r += text(" ", s.type->params[i].name, "=", number(s.values[i]));
    if (s.type->takes_file) r += text(" kernel=", quoted(s.file));
    if (!s.type->takes_matrix) continue;
    r += " matrix=";
    for (std::size_t i = 0; i < s.matrix.values.size(); i++)
      r += text(i == 0 ? "" : i % std::size_t(s.matrix.columns) == 0 ? ";" : ",", number(s.matrix.values[i]));
  }
  return r;
}

} // namespace vigil::filter
