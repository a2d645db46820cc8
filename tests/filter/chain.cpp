// SPDX-License-Identifier: LGPL-2.1-or-later
// The language of filter chains: what is read, what is refused and with which words, and that no text
// whatever does more than that.
#include "kernels/filter/definitions.h"
#include "kernels/filter/plan.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace vigil::filter {
namespace {

using test::expect;

void reads(const char *chain, const char *want) {
  try {
    const std::string got = to_text(parse(chain));
    expect(got == want, text("\"", chain, "\" is read as \"", got, "\", not \"", want, "\""));
    expect(to_text(parse(got)) == got, text("\"", got, "\" changes when read again"));
  } catch (const std::exception &e) {
    expect(false, text("\"", chain, "\" is refused: ", e.what()));
  }
}

// The token stands at the column, and all of `words` stand in the message.
void refuses(const std::string &chain, int column, const char *token,
             std::initializer_list<const char *> words) {
  try {
    parse(chain);
    expect(false, text("\"", chain, "\" is not refused"));
  } catch (const ChainError &e) {
    expect(e.column() == column && e.token() == token,
           text("\"", chain, "\": blames column ", e.column(), " \"", e.token(), "\", not ", column, " \"",
                token, "\""));
    for (const char *w : words)
      expect(std::strstr(e.what(), w), text("\"", chain, "\": \"", w, "\" is not in: ", e.what()));
    expect(std::strstr(e.what(), text("column ", column).c_str()), text("the column is not in: ", e.what()));
  }
}

void test_language() {
  reads("", "");
  reads(" \t\n", "");
  reads("invert", "invert");
  reads("gaussian sigma=2 ! grayscale ! sharpen amount=0.5",
        "gaussian sigma=2 ! grayscale ! sharpen amount=0.5");
  reads("gaussian sigma = 2!grayscale!sharpen", "gaussian sigma=2 ! grayscale ! sharpen amount=0.5");
  reads("  box\tradius=+3\n!\nmedian ", "box radius=3 ! median");
  reads("brightness amount=-0", "brightness amount=0");
  reads("brightness amount=1e-1", "brightness amount=0.1");
  reads("levels white=0.5 black=0.25", "levels black=0.25 white=0.5 gamma=1 out-black=0 out-white=1");

  reads("invert repeat=3 ! median", "invert ! invert ! invert ! median");
  reads("box repeat=2 radius=3", "box radius=3 ! box radius=3");
  reads("correlate", "correlate divide=1 offset=0 matrix=1");
  reads("correlate matrix = 1 , 2 , 1 ; -2,4,-2;1,2,1 divide=16",
        "correlate divide=16 offset=0 matrix=1,2,1;-2,4,-2;1,2,1");

  refuses("invert repeat=0", 15, "0", {"repeat must be a whole number from 1 to 32"});
  refuses("median ! invert repeat=32", 10, "invert", {"33 stages", "at most 32"});
  refuses("invert repeat=2 repeat=2", 17, "repeat", {"given twice"});
  refuses("median matrix=1", 8, "matrix", {"median has no parameters"});
  refuses("correlate matrix=1,2", 18, "1", {"2x1", "odd"});
  refuses("correlate matrix=1,2,3;4,5", 18, "1", {"row 2", "has 2 weights", "before 3"});
  refuses("correlate matrix=1,,3", 20, ",", {"a weight of the matrix needs a number"});
  refuses("correlate matrix=1,2,1;", 24, "", {"a weight of the matrix needs a number"});
  refuses("correlate matrix=1,x,1", 20, "x", {"must be a number"});
  refuses("correlate matrix=9,9,9", 1, "correlate", {"add up to 27", "16 is the most"});
  refuses("correlate matrix=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", 48, "1", {"at most 15"});

  reads("user kernel=a/b-c_1.cl p1=2.5 ! invert", "user p0=0 p1=2.5 p2=0 p3=0 kernel=a/b-c_1.cl ! invert");
  reads("user kernel = 'my file!.cl'!invert", "user p0=0 p1=0 p2=0 p3=0 kernel='my file!.cl' ! invert");
  reads("user kernel=\"it's.cl\" repeat=2",
        "user p0=0 p1=0 p2=0 p3=0 kernel=it's.cl ! user p0=0 p1=0 p2=0 p3=0 kernel=it's.cl");
  reads("user kernel=\"'s '.cl\"", "user p0=0 p1=0 p2=0 p3=0 kernel=\"'s '.cl\"");
  refuses("invert ! user p0=1", 10, "user", {"needs the path of a file: kernel=FILE.cl"});
  refuses("user kernel=", 13, "", {"kernel needs the path of a file"});
  refuses("user kernel=!invert", 13, "!", {"kernel needs the path of a file"});
  refuses("user kernel=''", 13, "'", {"kernel needs the path of a file"});
  refuses("user kernel='a.cl", 13, "'", {"closing quote is missing"});
  refuses("user kernel='a\nb.cl'", 13, "'", {"control characters"});
  refuses("user kernel=a.cl kernel=b.cl", 18, "kernel", {"given twice"});
  refuses("invert kernel=a.cl", 8, "kernel", {"invert has no parameters"});

  refuses("gausian sigma=2", 1, "gausian", {"no such stage", "did you mean gaussian?", "median"});
  refuses("blur", 1, "blur", {"no such stage", "there are: brightness"});
  refuses("invert ! Invert", 10, "Invert", {"did you mean invert?"});
  refuses("invert !", 9, "", {"at its end", "expected the name of a stage"});
  refuses("! invert", 1, "!", {"expected the name of a stage"});
  refuses("invert ! ! median", 10, "!", {"expected the name of a stage"});
  refuses("invert median", 8, "median", {"expected ! after the stage invert"});
  refuses("gaussian 2", 10, "2", {"name=value or ! after the stage gaussian"});
  refuses("gaussian sigma", 10, "sigma", {"name=value"});
  refuses("gaussian sigma=", 16, "", {"sigma needs a number from 0.3 to 6"});
  refuses("gaussian sigma=!", 16, "!", {"sigma needs a number from 0.3 to 6"});
  refuses("gaussian =2", 10, "=", {"expected the name of a parameter of gaussian"});
  refuses("gaussian sigma=99", 16, "99", {"sigma must be a number from 0.3 to 6"});
  refuses("gaussian sigma=two", 16, "two", {"must be a number"});
  refuses("gaussian sigma=2,5", 17, ",", {"expected !"});
  refuses("gaussian sigma=nan", 16, "nan", {"must be a number"});
  refuses("gaussian sigma=inf", 16, "inf", {"must be a number"});
  refuses("gaussian sigma=1e999", 16, "1e999", {"must be a number"});
  refuses("gaussian sigma=0x2", 16, "0x2", {"must be a number"});
  refuses("gaussian sigma=+-2", 16, "+-2", {"must be a number"});
  refuses("gaussian sgima=2", 10, "sgima", {"no such parameter", "did you mean sigma?"});
  refuses("gaussian sigma=2 sigma=3", 18, "sigma", {"given twice"});
  refuses("invert amount=1", 8, "amount", {"invert has no parameters"});
  refuses("box radius=1.5", 12, "1.5", {"a whole number from 1 to 16"});
  refuses("invert ! levels black=0.5 white=0.5", 10, "levels", {"white (0.5) must be above black (0.5)"});
  refuses("\xc3\xa4\xc3\xb6 invert", 1, "?", {"expected the name of a stage"});
  refuses("invert ! \xc3\xa4", 10, "?", {});
  refuses("invert \xe2\x82\xac ! 5", 8, "?", {"expected !"});
  refuses(std::string("invert\0median", 13), 7, "?", {"expected !"});
  refuses(std::string(100, 'x'), 1, (std::string(40, 'x') + "...").c_str(), {"no such stage"});
  std::string many = "invert";
  for (int i = 1; i < max_stages; i++) many += "!invert";
  expect(parse(many).size() == max_stages, "the longest chain is refused");
  refuses(many + "!invert", int(many.size()) + 2, "invert", {"at most 32 stages"});
}

// Valid chains with letters changed, lost, doubled and moved, and plain noise: a chain comes out, whose own
// text reads as itself and whose numbers are in their ranges, or a ChainError whose column is in the text.
void test_mutations() {
  std::mt19937 rng(4);
  const char *seeds[] = {"gaussian sigma=2 ! grayscale ! sharpen amount=0.5",
                         "levels black=0.1 white=0.9 gamma=1.2",
                         "convolve nw=1 c=-2 offset=0.5!median!box radius=16",
                         "correlate matrix=1,2,1;2,-4,2;1,2,1 divide=9 ! invert repeat=12",
                         "matrix rr=1 go=-0.25 ! sobel",
                         "user kernel='a b.cl' p0=1 ! user kernel=c.cl!box"};
  int accepted = 0, refused = 0;
  for (int n = 0; n < 200000; n++) {
    std::string s = seeds[rng() % std::size(seeds)];
    if (n % 10 == 0) {
      s.resize(rng() % 64);
      for (char &c : s) c = char(rng());
    }
    for (unsigned k = rng() % 4; k > 0 && !s.empty(); k--) {
      const std::size_t at = rng() % s.size(), to = rng() % s.size();
      constexpr char letters[] = "!= .-+0123456789aeginrst\t\xff";
      switch (rng() % 5) {
      case 0:
        s[at] = letters[rng() % (sizeof letters - 1)];
        break;
      case 1:
        s.erase(at, 1 + rng() % 4);
        break;
      case 2:
        s.insert(at, 1, letters[rng() % (sizeof letters - 1)]);
        break;
      case 3:
        std::swap(s[at], s[to]);
        break;
      default:
        s.insert(at, s.substr(to, rng() % 16));
      }
    }
    try {
      const Chain c = parse(s);
      accepted++;
      expect(to_text(parse(to_text(c))) == to_text(c), text("not the same again: ", to_text(c)));
      for (const Stage &stage : c)
        for (std::size_t i = 0; i < stage.values.size(); i++)
          expect(stage.values[i] >= stage.type->params[i].min && stage.values[i] <= stage.type->params[i].max,
                 text("out of range: ", to_text(c)));
    } catch (const ChainError &e) {
      refused++;
      expect(e.column() >= 1 && e.column() <= int(s.size()) + 1,
             text("column ", e.column(), " of ", s.size()));
    }
  }
  std::printf("%d mutations read, %d refused\n", accepted, refused);
  expect(accepted > 1000 && refused > 1000, "the mutations are too few or too many");
}

// The table itself: defaults in range, names that the language can spell, every stage with numbers of its
// kind.
void test_table() {
  for (const StageType &t : stage_types()) {
    const Chain c = parse(text(t.name, t.takes_file ? " kernel=a.cl" : ""));
    expect(c.size() == 1 && c[0].type == &t, text(t.name, " is not found by its name"));
    for (const StageParam &p : t.params) {
      expect(p.min <= p.value && p.value <= p.max,
             text(t.name, " ", p.name, ": the default is out of range"));
      expect(c[0][p.name] == p.value, text(t.name, " ", p.name, ": not the default"));
      for (const double end : {p.min, p.max}) {
        if (std::string_view(t.name) == "levels") break; // white and black depend on each other
        Chain e = c;
        e[0].values[std::size_t(&p - t.params.data())] = end;
        expect(to_text(parse(to_text(e))) == to_text(e), text(t.name, " ", p.name, "=", end, " is refused"));
      }
    }
    if (t.kind == Kind::user) continue; // reads where it likes
    if (t.kind == Kind::deblock) {
      const Blocks b = blocks_of(c[0], 255);
      expect(b.size == 8 && b.left == 0 && b.strength == 15, "deblock has other numbers");
      continue;
    }
    if (t.kind == Kind::tone) {
      const Tone tone = tone_of(c[0], 255);
      expect(tone.level[0] == 0 && tone.level[255] == tone_levels && tone.anchor == tone_levels &&
                 tone.spatial.front() <= 4096 && tone.spatial.back() == 0 && tone.range[0] == 4096 &&
                 tone.gain[tone_limit] == 65536 && tone.gain.back() == 16 * 65536,
             "tonemap has other numbers");
      continue;
    }
    expect((radius_of(c[0]) == 0) == is_point(t.kind), text(t.name, ": radius ", radius_of(c[0])));
    if (t.kind == Kind::table) table_value(c[0], 100, 255);
    if (t.kind == Kind::linear) linear_of(c[0], 255);
    if (t.kind == Kind::matrix)
      for (const auto &row : matrix_of(c[0], 255).m)
        expect(t.needs_colour || row[0] + row[1] + row[2] == 65536, text(t.name, " changes grey"));
  }
  // The sums that kernels hold in 32 bits.
  std::mt19937 rng(7);
  for (int n = 0; n < 300; n++) {
    Stage s = parse("correlate offset=1")[0];
    const bool rank_one = n % 2;
    s.matrix = {1 + 2 * int(rng() % 8), 1 + 2 * int(rng() % 8), {}};
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<double> row(std::size_t(s.matrix.columns));
    for (double &v : row) v = value(rng);
    double sum = 0;
    for (int y = 0; y < s.matrix.rows; y++) {
      const double factor = value(rng);
      for (const double v : row) {
        s.matrix.values.push_back(rank_one ? v * factor : value(rng));
        sum += std::abs(s.matrix.values.back());
      }
    }
    s.values[0] = sum / (n % 3 ? 1 : max_weight_sum);
    const WeightsInUnits w = weights_of(s, 255);
    const auto of = [](const std::vector<std::int32_t> &k) {
      double absolute = 0;
      for (const double v : k) absolute += std::abs(v);
      return absolute;
    };
    const double half = std::exp2(w.shift - 1), across = 255 * of(w.across) + 2048;
    const double last = w.separable() ? of(w.down) * (across / 4096 + 1) : 255 * of(w.all);
    const double most = 2147483647;
    expect(across <= most && last + double(std::abs(w.offset)) + half <= most && w.shift >= 1,
           text("the sums of a matrix need more than 32 bits: ", last, ", shift ", w.shift));
    // A 1 x n or n x 1 matrix is always of rank one; rounding is worth half a level where weights are many
    // times larger.
    if (n % 3 && (s.matrix.rows == 1 || s.matrix.columns == 1))
      expect(w.separable(),
             text("a matrix of ", s.matrix.columns, "x", s.matrix.rows, " is done in one pass"));
  }
  for (double sigma = 0.3; sigma <= 6; sigma += 0.01) {
    const auto w = gaussian_weights({parse("gaussian")[0].type, {sigma}});
    int sum = w[0];
    for (std::size_t i = 1; i < w.size(); i++) {
      sum += 2 * w[i];
      // w_0 also takes what rounding the others left over, less than one for each
      expect(w[i] >= 0 && w[i] <= w[i - 1] + (i == 1 ? int(w.size()) : 0),
             text("weights for sigma ", sigma, " rise at ", i));
    }
    expect(sum == 4096, text("weights for sigma ", sigma, " add up to ", sum));
  }
}

// Each stage has its row in the table of the element's page, made of the same numbers.
void test_page(const char *path) {
  std::ifstream file(path);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  expect(!page.empty(), text(path, " cannot be read"));
  for (const StageType &t : stage_types()) {
    std::vector<std::pair<std::string, std::string>> groups; // what parameters have in common, their names
    for (const StageParam &p : t.params) {
      const std::string common = text(p.min, "..", p.max, ", ", p.value, ": ", p.blurb);
      auto group = std::ranges::find(groups, common, &std::pair<std::string, std::string>::first);
      if (group == groups.end()) group = groups.insert(group, {common, ""});
      group->second += text("`", p.name, "` ");
    }
    std::string params;
    for (const auto &[common, names] : groups) params += text(params.empty() ? "" : "; ", names, common);
    const std::string row = text("| `", t.name, "` | ",
                                 is_point(t.kind)           ? "point"
                                 : t.kind == Kind::temporal ? "over time"
                                 : t.kind == Kind::deblock  ? "blocks"
                                 : t.kind == Kind::tone     ? "regions"
                                                            : "stencil",
                                 " | ", t.blurb, t.needs_colour ? " (not grey)" : "", " | ", params, " |\n");
    expect(page.find(row) != page.npos, text("not on the page: ", row));
  }
}

// A work-group's tiles fit into local memory, or another shape is taken.
void test_shapes() {
  const Shape large{false, 32, 8, 32, 32}, small{false, 16, 16, 16, 16}, rows{true, 1, 1, 64, 32};
  const Shape all[] = {large, small};
  constexpr std::size_t local = 48 * 1024;
  const auto shape_for = [&](const char *chain, PixelFormat format, const Shape &wanted) {
    return fitting(wanted, all, operations_of(parse(chain), format).all, local, format);
  };
  using enum PixelFormat;
  expect(shape_for("gaussian sigma=2", rgba, large) == large, "a small stencil has not the shape wanted");
  for (const PixelFormat format : {rgba, rgba64})
    for (const char *chain : {"gaussian sigma=6", "invert ! gaussian sigma=6 ! sharpen"}) {
      expect(shape_for(chain, format, large) == small, text(chain, ": its tiles do not fit"));
      expect(shape_for(chain, format, rows) == rows, text(chain, ": rows are not kept"));
    }
  expect(shape_for("box radius=16", rgba, large) == large, "48 kB do not fit into 48 kB");
  expect(shape_for("box radius=16", rgba64, large) == small, "16 bits a sample take no more memory");
  // Two that fit, but not together, are two passes.
  const Pass two = operations_of(parse("box radius=12 ! box radius=12"), rgba64).all;
  const Pass three = operations_of(parse("sharpen ! sharpen ! sharpen"), gray8).all;
  expect(split(three, small, {1, local, {0.01, 0.01, 0.01}}, gray8).size() == 1, "dear passes are not saved");
  expect(split(three, small, {0.01, local, {1, 1, 1}}, gray8).size() == 3, "dear stages are computed twice");
  expect(split(three, small, {0.3, local, {1, 0.01, 1}}, gray8).size() == 2,
         "each stage has not its own cost");
  expect(split(two, small, {1e9, local}, rgba64).size() == 2, "two stages are in one pass that does not fit");
}

} // namespace
} // namespace vigil::filter

// With the path of clfilter's page.
int main(int argc, char **argv) {
  using namespace vigil::filter;
  std::vector<vigil::test::Case> cases = {{"language", test_language},
                                          {"mutations", test_mutations},
                                          {"table", test_table},
                                          {"shapes", test_shapes}};
  if (argc > 1) cases.push_back({"page", [&] { test_page(argv[1]); }});
  return vigil::test::run_cases("filter chain", cases);
}
