// SPDX-License-Identifier: LGPL-2.1-or-later
// What PrivacyCover covers, against a plain definition of it: each pixel whose centre lies in a polygon is
// covered in every component, and none that lies further from all polygons than a cell and a pixel.
#include "tools/vigil-monitor/camera/privacy_cover.h"

#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "kernels/rules/geometry.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;

namespace {

constexpr int plain = 77;

GstVideoInfo info_of(GstVideoFormat format, int width, int height) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, format, guint(width), guint(height));
  return info;
}

gst::BufferPtr picture_of(const GstVideoInfo &info, std::mt19937 *noise = nullptr) {
  gst::BufferPtr b(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr));
  GstMapInfo map;
  gst_buffer_map(b.get(), &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = static_cast<std::uint8_t>(noise ? 40 + (*noise)() % 160 : unsigned(plain));
  gst_buffer_unmap(b.get(), &map);
  return b;
}

PrivacyConfig config_of(std::vector<std::vector<Point>> polygons, PrivacyConfig::Fill fill) {
  PrivacyConfig c;
  c.fill = fill;
  for (auto &p : polygons) c.polygons[std::to_string(c.polygons.size())] = {std::move(p)};
  return c;
}

double distance_to(Point p, Point a, Point b, double width, double height) {
  const double dx = (b.x - a.x) * width, dy = (b.y - a.y) * height, px = (p.x - a.x) * width,
               py = (p.y - a.y) * height, length = dx * dx + dy * dy;
  const double t = length > 0 ? std::clamp((px * dx + py * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(px - t * dx, py - t * dy);
}

// Reads what a component has at a pixel of the picture.
int value_at(GstVideoFrame &f, int component, int x, int y) {
  const auto *finfo = f.info.finfo;
  const int cx = x >> GST_VIDEO_FORMAT_INFO_W_SUB(finfo, component),
            cy = y >> GST_VIDEO_FORMAT_INFO_H_SUB(finfo, component);
  return static_cast<const std::uint8_t *>(
      GST_VIDEO_FRAME_COMP_DATA(&f, component))[cy * GST_VIDEO_FRAME_COMP_STRIDE(&f, component) +
                                                cx * GST_VIDEO_FRAME_COMP_PSTRIDE(&f, component)];
}

void black_where_it_is_private() {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> anywhere(0, 1);
  const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUY2,
                                    GST_VIDEO_FORMAT_Y41B, GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_Y444,
                                    GST_VIDEO_FORMAT_RGB,  GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_GRAY8};
  for (int n = 0; n < 180; n++) {
    const int width = 16 + int(random() % 200), height = 16 + int(random() % 120);
    const GstVideoInfo info = info_of(formats[n % 9], width, height);
    std::vector<std::vector<Point>> polygons(1 + random() % 3);
    for (auto &p : polygons)
      for (int i = 0; i < 3; i++) p.push_back({anywhere(random), anywhere(random)});
    PrivacyCover cover(config_of(polygons, PrivacyConfig::Fill::black));
    cover.picture_caps(info);
    const gst::BufferPtr b = picture_of(info);
    cover.draw(b.get());
    GstVideoFrame f;
    gst_video_frame_map(&f, const_cast<GstVideoInfo *>(&info), b.get(), GST_MAP_READ);
    int uncovered = 0, too_much = 0;
    const int darkest = GST_VIDEO_INFO_IS_RGB(&info) || GST_VIDEO_INFO_IS_GRAY(&info) ? 0 : 16;
    constexpr double cell = 4 * 1.5, chroma = 4;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const Point at{(x + 0.5) / width, (y + 0.5) / height};
        double away = 1e9;
        bool in = false;
        for (const auto &p : polygons) {
          in = in || rules::contains(p, at);
          for (std::size_t i = 0; i < p.size(); i++)
            away = std::min(away, distance_to(at, p[i], p[(i + 1) % p.size()], width, height));
        }
        for (guint c = 0; c < std::min(3u, unsigned(GST_VIDEO_FORMAT_INFO_N_COMPONENTS(info.finfo))); c++) {
          const int black = c && !GST_VIDEO_INFO_IS_RGB(&info) ? 128 : darkest, v = value_at(f, int(c), x, y);
          uncovered += in && v != black;
          too_much += !in && away > cell + chroma && v != plain;
        }
      }
    gst_video_frame_unmap(&f);
    expect(uncovered == 0 && too_much == 0,
           text(GST_VIDEO_INFO_NAME(&info), " ", width, "x", height, ": ", uncovered,
                " values are not covered, ", too_much, " are that should not"));
  }
}

// A polygon thinner than a pixel is covered along its whole length.
void thin() {
  const GstVideoInfo info = info_of(GST_VIDEO_FORMAT_I420, 320, 180);
  PrivacyCover cover(config_of({{{0.1, 0.5001}, {0.9, 0.5001}, {0.9, 0.5002}}}, PrivacyConfig::Fill::black));
  cover.picture_caps(info);
  const gst::BufferPtr b = picture_of(info);
  cover.draw(b.get());
  GstVideoFrame f;
  gst_video_frame_map(&f, const_cast<GstVideoInfo *>(&info), b.get(), GST_MAP_READ);
  for (int x = 32; x < 288; x++) expect(value_at(f, 0, x, 90) == 16, text("pixel ", x));
  expect(value_at(f, 0, 160, 60) == plain, "the rest stays");
  gst_video_frame_unmap(&f);
}

void squares_are_means() {
  std::mt19937 random(5);
  const GstVideoInfo info =
      info_of(GST_VIDEO_FORMAT_NV12, 326, 182); // cells of 8, parts of cells at the borders
  PrivacyCover cover(config_of({{{0, 0}, {1, 0}, {1, 1}, {0, 1}}}, PrivacyConfig::Fill::pixelate));
  cover.picture_caps(info);
  const gst::BufferPtr b = picture_of(info, &random);
  const gst::BufferPtr before(gst_buffer_copy_deep(b.get()));
  cover.draw(b.get());
  GstVideoFrame now, was;
  gst_video_frame_map(&now, const_cast<GstVideoInfo *>(&info), b.get(), GST_MAP_READ);
  gst_video_frame_map(&was, const_cast<GstVideoInfo *>(&info), before.get(), GST_MAP_READ);
  constexpr int side = 8;
  for (int top = 0; top < 182; top += side)
    for (int left = 0; left < 326; left += side) {
      int sum = 0, count = 0;
      bool flat = true;
      for (int y = top; y < std::min(182, top + side); y++)
        for (int x = left; x < std::min(326, left + side); x++, count++) {
          sum += value_at(was, 0, x, y);
          flat = flat && value_at(now, 0, x, y) == value_at(now, 0, left, top);
        }
      expect(flat && value_at(now, 0, left, top) == sum / count, text("square at ", left, ",", top));
    }
  gst_video_frame_unmap(&now);
  gst_video_frame_unmap(&was);
}

// The picture that is analysed shares its memory with the one that is covered.
void others_keep_the_plain_picture() {
  const GstVideoInfo info = info_of(GST_VIDEO_FORMAT_I420, 64, 48);
  PrivacyCover cover(config_of({{{0, 0}, {1, 0}, {1, 1}, {0, 1}}}, PrivacyConfig::Fill::black));
  cover.picture_caps(info);
  const gst::BufferPtr analysed = picture_of(info);
  gst::BufferPtr own(gst_buffer_make_writable(gst_buffer_ref(analysed.get())));
  cover.draw(own.get());
  std::uint8_t seen = 0, covered = 0;
  gst_buffer_extract(analysed.get(), 100, &seen, 1);
  gst_buffer_extract(own.get(), 100, &covered, 1);
  expect(seen == plain && covered == 16, text("analysed ", int(seen), ", covered ", int(covered)));
}

// What hides silhouettes is of another size than the picture.
void silhouettes() {
  std::mt19937 random(9);
  PrivacyConfig config = config_of({}, PrivacyConfig::Fill::black);
  config.silhouettes = true;
  for (int n = 0; n < 60; n++) {
    const GstVideoInfo info = info_of(n % 2 ? GST_VIDEO_FORMAT_I420 : GST_VIDEO_FORMAT_NV12,
                                      16 + int(random() % 300), 16 + int(random() % 200));
    SilhouetteCells cells;
    cells.width = 8 + int(random() % 400);
    cells.height = 8 + int(random() % 300);
    cells.size = 1 + int(random() % 4);
    cells.cells.resize(std::size_t(cells.columns()) * std::size_t(cells.rows()));
    for (int i = 0; i < 3; i++) cells.cells[random() % cells.cells.size()] = 1;
    PrivacyCover cover(config);
    cover.picture_caps(info);
    const gst::BufferPtr b = picture_of(info);
    cover.draw(b.get(), &cells);
    GstVideoFrame f;
    gst_video_frame_map(&f, const_cast<GstVideoInfo *>(&info), b.get(), GST_MAP_READ);
    int bare = 0, too_much = 0;
    for (int y = 0; y < info.height; y++)
      for (int x = 0; x < info.width; x++) {
        // Cells that the pixel touches, and those that are a cell of the picture and a pixel further.
        bool in = false, near = false;
        const double sx = double(cells.width) / info.width / cells.size,
                     sy = double(cells.height) / info.height / cells.size;
        for (int row = 0; row < cells.rows(); row++)
          for (int column = 0; column < cells.columns(); column++) {
            if (!cells.cells[std::size_t(row) * std::size_t(cells.columns()) + std::size_t(column)]) continue;
            in = in ||
                 (x * sx < column + 1 && (x + 1) * sx > column && y * sy < row + 1 && (y + 1) * sy > row);
            near = near || ((x - 5) * sx < column + 1 && (x + 6) * sx > column - 1 &&
                            (y - 5) * sy < row + 1 && (y + 6) * sy > row - 1);
          }
        bare += in && value_at(f, 0, x, y) != 16;
        too_much += !near && value_at(f, 0, x, y) != plain;
      }
    gst_video_frame_unmap(&f);
    expect(bare == 0 && too_much == 0, text(info.width, "x", info.height, ": ", bare, " pixels are bare, ",
                                            too_much, " covered for nothing"));
    if (n > 4) continue;
    // Without a mask, or with one that is not as large as it says, all is covered.
    SilhouetteCells wrong = cells;
    if (n == 1) wrong.cells.pop_back();
    if (n == 2) wrong.cells.push_back(0);
    if (n == 3) wrong.width = 0;
    if (n == 4) wrong.size = 0;
    const gst::BufferPtr whole = picture_of(info);
    cover.draw(whole.get(), n ? &wrong : nullptr);
    gst_video_frame_map(&f, const_cast<GstVideoInfo *>(&info), whole.get(), GST_MAP_READ);
    for (int y = 0; y < info.height; y++)
      for (int x = 0; x < info.width; x++) too_much += value_at(f, 0, x, y) != 16;
    gst_video_frame_unmap(&f);
    expect(too_much == 0, text("case ", n, ": ", too_much, " pixels are bare without a mask"));
  }
}

// The analysis stalls: pictures are left out, and about one a second goes out, covered whole.
void without_masks() {
  PrivacyConfig config = config_of({}, PrivacyConfig::Fill::black);
  config.silhouettes = true;
  GstElement *line = gst_parse_launch(
      "videotestsrc num-buffers=60 pattern=white ! video/x-raw,format=I420,width=64,height=48,framerate=25/1"
      " ! identity name=here sync=true ! appsink name=out sync=false",
      nullptr);
  gst_object_ref_sink(line);
  const gst::ObjectPtr<GstElement> pipeline(line), here(gst_bin_get_by_name(GST_BIN(line), "here")),
      out(gst_bin_get_by_name(GST_BIN(line), "out"));
  const gst::ObjectPtr<GstPad> pad(gst_element_get_static_pad(out.get(), "sink"));
  PrivacyCover::watch(
      pad.get(), config, [](GstPad *, GstBuffer *) { return std::optional<SharedSilhouettes>(); }, line);
  gst_element_set_state(line, GST_STATE_PLAYING);
  int came = 0, bright = 0;
  for (;;) {
    GstSample *next = nullptr;
    g_signal_emit_by_name(out.get(), "pull-sample", &next);
    const gst::SamplePtr sample(next);
    if (!sample) break;
    came++;
    GstMapInfo map;
    gst_buffer_map(gst_sample_get_buffer(sample.get()), &map, GST_MAP_READ);
    for (int i = 0; i < 64 * 48; i++) bright += map.data[i] != 16;
    gst_buffer_unmap(gst_sample_get_buffer(sample.get()), &map);
  }
  gst_element_set_state(line, GST_STATE_NULL);
  expect(came >= 1 && came <= 10 && bright == 0,
         text(came, " of 60 pictures came, with ", bright, " bare pixels"));
}

void refused() {
  const auto throws = [](const std::function<void()> &f) {
    try {
      f();
    } catch (const Error &e) {
      return e.kind() == Error::Kind::bad_data;
    }
    return false;
  };
  PrivacyCover cover(config_of({{{0, 0}, {1, 0}, {1, 1}}}, PrivacyConfig::Fill::black));
  const gst::BufferPtr b = picture_of(info_of(GST_VIDEO_FORMAT_I420, 64, 48));
  expect(throws([&] { cover.draw(b.get()); }), "a picture before its format");
  for (const GstVideoFormat f :
       {GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGB16, GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_GRAY16_LE,
        GST_VIDEO_FORMAT_RGB8P, GST_VIDEO_FORMAT_NV12_64Z32}) {
    cover.picture_caps(info_of(GST_VIDEO_FORMAT_I420, 64, 48));
    expect(throws([&] { cover.picture_caps(info_of(f, 64, 48)); }), gst_video_format_to_string(f));
    expect(throws([&] { cover.draw(b.get()); }), "a picture after a format that is refused");
  }
  cover.picture_caps(info_of(GST_VIDEO_FORMAT_I420, 640, 480));
  expect(throws([&] { cover.draw(b.get()); }), "a picture that is smaller than its caps say");
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  return test::run_cases("monitor privacy cover",
                         {{"black where it is private", black_where_it_is_private},
                          {"thin", thin},
                          {"squares are means", squares_are_means},
                          {"others keep the plain picture", others_keep_the_plain_picture},
                          {"silhouettes", silhouettes},
                          {"without masks", without_masks},
                          {"refused", refused}});
}
