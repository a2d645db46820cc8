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
      if (c.size() == max_stages) wrong(token_, text("a chain has at most ", max_stages, " stages"));
      c.push_back(stage());
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

  Stage stage() {
    const Token name = token_;
    if (!at_word()) wrong(name, text("expected the name of a stage", suggestion({}, stage_types())));
    const auto types = stage_types();
    const auto type =
        std::find_if(types.begin(), types.end(), [&](const StageType &t) { return name.text == t.name; });
    if (type == types.end()) wrong(name, text("there is no such stage", suggestion(name.text, types)));
    Stage s{&*type, {}};
    for (const StageParam &p : type->params) s.values.push_back(p.value);
    std::vector<bool> given(s.values.size());
    advance();
    while (at_word()) parameter(s, given);
    if (token_.text == "=")
      wrong(token_, text("expected the name of a parameter of ", type->name, " before ="));
    if (std::string_view(type->name) == "levels" && !(s["white"] - s["black"] >= 1 / 255.))
      wrong(name, text("white (", number(s["white"]), ") must be above black (", number(s["black"]),
                       ") by at least 1/255"));
    return s;
  }

  void parameter(Stage &s, std::vector<bool> &given) {
    const Token name = token_;
    const auto &params = s.type->params;
    if (!next_is_equals())
      wrong(name,
            text("expected ", params.empty() ? "" : "name=value or ", "! after the stage ", s.type->name));
    const auto p =
        std::find_if(params.begin(), params.end(), [&](const auto &i) { return name.text == i.name; });
    if (p == params.end())
      wrong(name, params.empty() ? text("the stage ", s.type->name, " has no parameters")
                                 : text("the stage ", s.type->name, " has no such parameter",
                                        suggestion(name.text, params)));
    const std::size_t i = std::size_t(p - params.begin());
    if (given[i]) wrong(name, "is given twice");
    given[i] = true;
    advance(); // to =
    advance();
    s.values[i] = value(*p);
    advance();
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
  }
  return r;
}

} // namespace vigil::filter
