// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the steps of the two papers (tests/bench/mog/ladder.h) on a GPU and compares their speed-up with
// the papers' own. With --dump, masks and backgrounds of every step are written for msssim.py.
#include "common/error.h"
#include "tests/bench/mog/ladder.h"
#include "tests/check/mog/moving_scene.h"
#include "tools/base/json.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

namespace {

using namespace vigil;
using namespace vigil::mog;

constexpr const char *usage =
    "mog_ladder [--size WxH] [--frames N] [--serial-frames N] [--paper A|B] [--json FILE] [--dump FOLDER]\n"
    "  --size           of the frames; 1920x1080\n"
    "  --frames         of a timed run, a multiple of 8; 64\n"
    "  --serial-frames  of a timed run on one thread of the CPU; 8\n"
    "  --paper          A or B: the steps of that one alone\n"
    "  --json           writes the times to FILE\n"
    "  --dump           writes the masks of the last 8 of 40 frames, and the background, of\n"
    "                   each step as PGM or PPM into FOLDER/STEP-PRECISION-K/\n";

struct Options {
  int width = 1920, height = 1080, frames = 64, serial_frames = 8;
  std::string json, dump;
  bool paper_a = true, paper_b = true;
};

Options parse(int argc, char **argv) {
  Options o;
  for (int i = 1; i < argc; i++) {
    const std::string a = argv[i];
    if (a == "--help" || a == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (i + 1 >= argc) fail(Error::Kind::bad_setting, a, " is not known or needs a value\n", usage);
    const std::string value = argv[++i];
    if (a == "--size") {
      if (std::sscanf(value.c_str(), "%dx%d", &o.width, &o.height) != 2)
        fail(Error::Kind::bad_setting, "--size is WIDTHxHEIGHT, not ", value);
    } else if (a == "--frames")
      o.frames = std::stoi(value);
    else if (a == "--serial-frames")
      o.serial_frames = std::stoi(value);
    else if (a == "--paper") {
      if (value != "A" && value != "B") fail(Error::Kind::bad_setting, "--paper is A or B, not ", value);
      o.paper_a = value == "A";
      o.paper_b = value == "B";
    } else if (a == "--json")
      o.json = value;
    else if (a == "--dump")
      o.dump = value;
    else
      fail(Error::Kind::bad_setting, "what is ", a, "?\n", usage);
  }
  if (o.frames < window || o.frames % window || o.serial_frames < 1)
    fail(Error::Kind::bad_setting, "--frames is a multiple of ", window, ", --serial-frames at least 1");
  if (o.width < 1 || o.height < 1 || o.width > 16384 || o.height > 16384)
    fail(Error::Kind::bad_setting, "--size is 1x1 to 16384x16384, not ", o.width, "x", o.height);
  return o;
}

// One line of the table. `paper`: the speed-up over serial double (A), in the order double K=3, double K=5,
// single K=3; 0 where the paper gives none.
struct Entry {
  Rung rung;
  const char *name, *what;
  double paper[3];
};
constexpr Entry entries[] = {
    {Rung::serial, "serial", "one thread of the CPU", {1, 1, 227.3 / 180}},
    {Rung::a, "A", "direct translation", {13, 0, 0}},
    {Rung::b, "B", "coalesced", {41, 0, 0}},
    {Rung::c, "C", "overlapped transfers", {57, 44, 0}},
    {Rung::d, "D", "no sorting", {85, 0, 0}},
    {Rung::e, "E", "predicated update", {86, 0, 0}},
    {Rung::f, "F", "fewer registers", {97, 92, 105}},
    {Rung::w, "W", "windowed, groups of 8", {101, 0, 0}},
    {Rung::serial_b, "serial", "one thread of the CPU, zivkovic", {0, 0, 1}},
    {Rung::b1, "1", "constant memory", {0, 0, 0}},
    {Rung::b2, "2", "coalesced 4-byte input", {0, 0, 0}},
    {Rung::b3, "3", "structure of arrays, pinned", {0, 0, 0}},
    {Rung::b4, "4", "asynchronous", {0, 0, 13}},
};

// Host memory, page-locked where the step asks for it.
class Frames {
 public:
  Frames(Device &device, bool locked, int count, std::size_t bytes) : device_(device), locked_(locked) {
    for (int i = 0; i < count; i++)
      all_.push_back(static_cast<std::uint8_t *>(locked ? device.allocate_host(bytes) : std::malloc(bytes)));
    if (std::find(all_.begin(), all_.end(), nullptr) != all_.end())
      fail(Error::Kind::no_memory, "no ", bytes, " bytes for a frame");
  }
  ~Frames() {
    for (std::uint8_t *p : all_) locked_ ? device_.release_host(p) : std::free(p);
  }
  Frames(const Frames &) = delete;
  std::vector<std::uint8_t *> first(int count) const { // in turn where there are fewer
    std::vector<std::uint8_t *> v;
    for (int i = 0; i < count; i++) v.push_back(all_[i % all_.size()]);
    return v;
  }

 private:
  Device &device_;
  bool locked_;
  std::vector<std::uint8_t *> all_;
};

struct Row {
  std::string name, what, precision;
  int components;
  double kernel_ms, host_ms, speed_up, paper;
};

class Bench {
 public:
  Bench(const Options &o, Device &device) : options_(o), device_(device), scene_(1) {}

  void measure(const Entry &e, bool in_double, int components, double &serial_double_ms) {
    const bool a = is_paper_a(e.rung), serial = e.rung == Rung::serial || e.rung == Rung::serial_b;
    const int pixels = options_.width * options_.height, bytes = bytes_a_pixel(e.rung);
    const Frames in(device_, page_locked(e.rung), 16, std::size_t(pixels) * bytes),
        out(device_, page_locked(e.rung), 16, pixels);
    for (int t = 0; t < 16; t++) std::ranges::copy(painted(t, bytes), in.first(16)[t]);
    Params params;
    params.learning_rate = 1.f / 200;
    params.detect_shadows = false;
    params.background_sigma = 4.f;
    const auto run = [&](Ladder &l, int count) {
      const auto frames = in.first(count), masks = out.first(count);
      l.run(std::vector<const std::uint8_t *>(frames.begin(), frames.end()), masks, params);
    };
    const LadderConfig config{e.rung, in_double, components, options_.width, options_.height};
    const auto ladder = make_ladder(device_, config);
    run(*ladder, serial ? 8 : 104);
    const int count = serial ? options_.serial_frames : options_.frames;
    std::vector<double> ms;
    for (int repeat = 0; repeat < (serial ? 1 : 7); repeat++) {
      const auto start = std::chrono::steady_clock::now();
      run(*ladder, count);
      ms.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() /
          count);
    }
    std::sort(ms.begin(), ms.end());
    const double host_ms = ms[ms.size() / 2];
    const auto frames = in.first(16);
    const double kernel_ms =
        ladder->kernel_milliseconds(std::vector<const std::uint8_t *>(frames.begin(), frames.end()), params);
    if (serial && (in_double || !a)) serial_double_ms = host_ms;
    const Row row{
        e.name,    e.what,  in_double ? "double" : "single", components,
        kernel_ms, host_ms, serial_double_ms / host_ms,      e.paper[in_double ? components == 5 : 2]};
    std::printf("%-7s %-32s K=%d %-6s ", row.name.c_str(), row.what.c_str(), components,
                row.precision.c_str());
    serial ? std::printf("%10s", "-") : std::printf("%10.4f", kernel_ms);
    std::printf(" %12.4f %10.1f", host_ms, row.speed_up);
    row.paper > 0 ? std::printf(" %9.1f\n", row.paper) : std::printf(" %9s\n", "-");
    std::fflush(stdout);
    rows.push_back(row);
    if (!options_.dump.empty()) dump(config, e, in, out, params);
  }

  std::vector<Row> rows;

 private:
  // Picture t of the scene, painted once for all steps that take as many bytes a pixel.
  const std::vector<std::uint8_t> &painted(int t, int bytes) {
    std::vector<std::uint8_t> &picture = painted_[{t, bytes}];
    if (picture.empty()) {
      picture.resize(std::size_t(options_.width) * options_.height * bytes);
      paint(picture.data(), t, bytes);
    }
    return picture;
  }

  // Tightly packed luma, R G B or R G B A.
  void paint(std::uint8_t *to, int t, int bytes) {
    std::vector<std::uint8_t> rgba(bytes == 3 ? std::size_t(options_.width) * options_.height * 4 : 0);
    std::uint8_t *p = bytes == 3 ? rgba.data() : to;
    Image image{
        bytes == 1 ? PixelFormat::gray8 : PixelFormat::rgba, options_.width, options_.height, {p}, {}};
    image.stride[0] = row_bytes(image.format, 0, options_.width);
    scene_.paint(image, t);
    for (std::size_t i = 0; i < rgba.size() / 4; i++) std::copy_n(&rgba[4 * i], 3, to + 3 * i);
  }

  void write(const std::filesystem::path &file, const char *magic, const std::uint8_t *data,
             std::size_t bytes) {
    std::ofstream f(file, std::ios::binary);
    f << magic << '\n' << options_.width << ' ' << options_.height << "\n255\n";
    f.write(reinterpret_cast<const char *>(data), static_cast<std::streamsize>(bytes));
    if (!f) fail(Error::Kind::write, "cannot write ", file.string());
  }

  void dump(const LadderConfig &config, const Entry &e, const Frames &in, const Frames &out,
            const Params &params) {
    const bool a = is_paper_a(e.rung);
    const auto folder =
        std::filesystem::path(options_.dump) /
        text(a ? "a-" : "b-", e.name, config.in_double ? "-double-" : "-single-", config.components);
    std::filesystem::create_directories(folder);
    const auto ladder = make_ladder(device_, config);
    const std::size_t pixels = std::size_t(config.width) * config.height;
    for (int done = 0; done < 40; done += 8) {
      const auto all = in.first(16), masks = out.first(8);
      const std::vector<const std::uint8_t *> frames(all.begin() + done % 16, all.begin() + done % 16 + 8);
      ladder->run(frames, masks, params);
    }
    for (int i = 0; i < 8; i++) write(folder / text("mask-", i, ".pgm"), "P5", out.first(8)[i], pixels);
    const auto background = ladder->background();
    write(folder / (a ? "background.pgm" : "background.ppm"), a ? "P5" : "P6", background.data(),
          background.size());
  }

  const Options &options_;
  Device &device_;
  const MovingScene scene_;
  std::map<std::pair<int, int>, std::vector<std::uint8_t>> painted_;
};

void write_json(const Options &o, const std::string &device, const std::vector<Row> &rows) {
  tools::JsonWriter json(true);
  json.begin_object().member("device", device).member("width", o.width).member("height", o.height);
  json.name("steps").begin_array();
  for (const Row &r : rows)
    json.begin_object()
        .member("step", r.name)
        .member("what", r.what)
        .member("precision", r.precision)
        .member("components", r.components)
        .member("kernel_ms", r.kernel_ms)
        .member("host_to_host_ms", r.host_ms)
        .member("speed_up", r.speed_up)
        .member("paper_speed_up", r.paper)
        .end_object();
  json.end_array().end_object();
  json.save(o.json);
}

int run(const Options &o) {
  const auto device = open_cuda();
  std::printf(
      "%s, %dx%d; times in ms a frame; speed-up: host to host, over serial double (A) or serial (B)\n",
      device->name().c_str(), o.width, o.height);
  std::printf("%-7s %-32s %-10s %10s %12s %10s %9s\n", "step", "", "", "kernel", "host-to-host", "speed-up",
              "paper");
  Bench bench(o, *device);
  for (const int components : {3, 5}) {
    if (!o.paper_a) break;
    double serial_ms = 0;
    for (const bool in_double : {true, false})
      for (const Entry &e : entries)
        if (is_paper_a(e.rung)) bench.measure(e, in_double, components, serial_ms);
  }
  double serial_ms = 0;
  for (const Entry &e : entries)
    if (o.paper_b && !is_paper_a(e.rung)) bench.measure(e, false, 5, serial_ms);
  if (!o.json.empty()) write_json(o, device->name(), bench.rows);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception &e) {
    std::fprintf(stderr, "mog_ladder: %s\n", e.what());
    return 2;
  }
}
