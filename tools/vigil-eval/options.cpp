// SPDX-License-Identifier: LGPL-2.1-or-later
#include "options.h"

#include "common/error.h"
#include "tools/base/options.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gst/video/video.h>

namespace vigil::eval {

namespace {

constexpr const char *summary =
    "Scores a pipeline that finds moving foreground against labelled video.\n"
    "\n"
    "DESCRIPTION is a chain as for gst-launch-1.0 that takes video and gives masks\n"
    "(GRAY8; 255 is foreground, everything else background), in one word of the shell.\n"
    "\n"
    "DATASET is a folder or a synthetic scene:\n"
    "  FOLDER with input/in000001.jpg ... and groundtruth/gt000001.png ...\n"
    "      as ChangeDetection.net has them (labels 0 and 50 background, 255 foreground,\n"
    "      85 and 170 not counted); temporalROI.txt and ROI.bmp are heeded.\n"
    "  FOLDER with input/b00000.png ... and hand_segmented_00247.png\n"
    "      as Wallflower has them (foreground from 128 up).\n"
    "  scene:NAME,property=value,...\n"
    "      scenetestsrc with these properties; also width, height, format and frames (300).\n"
    "  FOLDER with one video and hand_segmented_NNNNN.png, frames counted from 0.\n"
    "  @FILE\n"
    "      a dataset in each line, folders relative to the file's own; # begins a comment.\n"
    "\n"
    "With --tracks TRUTH.txt the arguments are files of found tracks, RESULT.txt..., all in\n"
    "the format of MOTChallenge: frame,id,left,top,width,height,... a line; no DESCRIPTION.";

constexpr const char *details =
    "Output: a table with recall, precision, specificity, F-measure and PWC (percentage\n"
    "of wrong classifications) of each sequence, of the counts of all together (pooled),\n"
    "the mean of the F-measures, and frames a second of the whole run, decoding included.\n"
    "Masks and frames are matched by time stamp, so masks may come late or be dropped.\n"
    "\n"
    "A sweep runs everything once for each value of a property (of the first element that\n"
    "has it) and writes PREFIX.csv and PREFIX.svg, the receiver operating characteristic.\n"
    "\n"
    "Exit status: 0 done; 1 an error while running; 2 wrong arguments, nothing was run.\n"
    "\n"
    "Examples:\n"
    "  vigil-eval \"cudamog detect-shadows=true median=5\" cdnet/highway cdnet/pedestrians\n"
    "  vigil-eval --format RGBA --json result.json cudamog scene:street,seed=3,frames=300\n"
    "  vigil-eval --sweep learning-rate=0.0005..0.1 --out roc cudamog cdnet/highway\n"
    "  vigil-eval --tracks gt.txt found.txt";

struct Raw {
  gchar *format = nullptr, *fps = nullptr, *json = nullptr, *frames = nullptr, *sweep = nullptr,
        *out = nullptr, *tracks = nullptr;
  gchar **rest = nullptr, **compared = nullptr;
  gint warmup = 0, patience = 60;
  gdouble iou = 0;
  gboolean version = FALSE;
  ~Raw() {
    for (gchar *s : {format, fps, json, frames, sweep, out, tracks}) g_free(s);
    g_strfreev(rest);
    g_strfreev(compared);
  }
};

void parse(Raw &raw, int argc, char **argv) {
  const std::vector<GOptionEntry> entries{
      {"json", 'j', 0, G_OPTION_ARG_FILENAME, &raw.json, "write the results as JSON", "FILE"},
      {"frames", 'F', 0, G_OPTION_ARG_FILENAME, &raw.frames, "write the counts of each frame as CSV", "FILE"},
      {"format", 'f', 0, G_OPTION_ARG_STRING, &raw.format,
       "convert the frames to this format (default: what decoder and description agree on)", "RGBA"},
      {"fps", 'r', 0, G_OPTION_ARG_STRING, &raw.fps,
       "frame rate of the sequences, e.g. 30000/1001 (default: 25)", "RATE"},
      {"beside", 'b', 0, G_OPTION_ARG_STRING_ARRAY, &raw.compared,
       "run this description on the same frames too, and print both (may be given several times)",
       "DESCRIPTION"},
      {"warmup", 'w', 0, G_OPTION_ARG_INT, &raw.warmup, "do not score the first N frames (default: 0)", "N"},
      {"sweep", 's', 0, G_OPTION_ARG_STRING, &raw.sweep,
       "PROPERTY=LOW..HIGH[:STEPS][:log|:lin] (default: 12 steps, log)", "SWEEP"},
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &raw.out, "of the sweep's .csv and .svg (default: roc)",
       "PREFIX"},
      {"timeout", 't', 0, G_OPTION_ARG_INT, &raw.patience,
       "give up when no mask comes for so many seconds (default: 60)", "SECONDS"},
      {"tracks", 'T', 0, G_OPTION_ARG_FILENAME, &raw.tracks,
       "score tracks: MOTA, IDF1, HOTA and identity switches against these", "TRUTH.txt"},
      {"iou", 'i', 0, G_OPTION_ARG_DOUBLE, &raw.iou,
       "with --tracks: least overlap of boxes that are one for MOTA and IDF1 (default: 0.5)", "IOU"},
      {"version", 'V', 0, G_OPTION_ARG_NONE, &raw.version, "print the version", nullptr},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &raw.rest, nullptr, nullptr},
  };
  tools::parse_options({"vigil-eval", "DESCRIPTION DATASET...", summary, details}, entries, argc, argv);
}

// "@FILE" becomes the datasets that the file lists; anything else stays.
void add_dataset(std::vector<std::string> &datasets, const std::string &word) {
  if (!word.starts_with('@')) {
    datasets.push_back(word);
    return;
  }
  const std::filesystem::path file(word.substr(1));
  std::ifstream in(file);
  if (!in) fail(Error::Kind::io, "cannot read the list of datasets ", file.string());
  const std::size_t before = datasets.size();
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find('#'));
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    datasets.push_back(line.starts_with("scene:") ? line : (file.parent_path() / line).string());
  }
  if (datasets.size() == before) fail(Error::Kind::bad_data, file.string(), " lists no dataset");
}

FrameRate parse_rate(const char *words) {
  FrameRate rate;
  GValue v = G_VALUE_INIT;
  g_value_init(&v, GST_TYPE_FRACTION);
  if (gst_value_deserialize(&v, words))
    rate = {gst_value_get_fraction_numerator(&v), gst_value_get_fraction_denominator(&v)};
  else
    rate.numerator = 0;
  g_value_unset(&v);
  if (rate.numerator < 1)
    fail(Error::Kind::bad_setting, "--fps ", words, " is no rate above 0; examples are 25 and 30000/1001");
  return rate;
}

} // namespace

namespace {

// What --tracks leaves of the options: the rest is about pipelines.
Options track_options(const Raw &raw, guint words) {
  Options o;
  o.tracks = raw.tracks;
  if (words < 1)
    fail(Error::Kind::bad_setting, "--tracks needs files of found tracks; see vigil-eval --help");
  if (raw.format || raw.fps || raw.frames || raw.sweep || raw.out || raw.warmup)
    fail(Error::Kind::bad_setting, "--tracks runs no pipeline: only --iou and --json go with it");
  o.datasets.assign(raw.rest, raw.rest + words);
  if (raw.iou != 0) o.iou = raw.iou;
  if (!(o.iou > 0 && o.iou <= 1))
    fail(Error::Kind::bad_setting, "--iou ", o.iou, " is not above 0 and up to 1");
  if (raw.json) o.json = raw.json;
  return o;
}

} // namespace

Options parse_options(int argc, char **argv) {
  Raw raw;
  parse(raw, argc, argv);
  Options o;
  if (raw.version) {
    o.version = true;
    return o;
  }
  const guint words = raw.rest ? g_strv_length(raw.rest) : 0;
  if (raw.tracks) return track_options(raw, words);
  if (raw.iou != 0) fail(Error::Kind::bad_setting, "--iou is about --tracks, which is not there");
  if (words < 2)
    fail(Error::Kind::bad_setting,
         "a DESCRIPTION and at least one DATASET are needed; see vigil-eval --help");
  o.description = raw.rest[0];
  for (guint i = 1; i < words; i++) add_dataset(o.datasets, raw.rest[i]);
  for (gchar **b = raw.compared; b && *b; b++) o.compared.emplace_back(*b);
  if (raw.format) o.format = raw.format;
  if (raw.format && gst_video_format_from_string(raw.format) == GST_VIDEO_FORMAT_UNKNOWN)
    fail(Error::Kind::bad_setting, "--format ", raw.format,
         " is no video format of GStreamer; examples are "
         "GRAY8, I420, NV12, RGBA");
  if (raw.fps) o.rate = parse_rate(raw.fps);
  if (raw.warmup < 0) fail(Error::Kind::bad_setting, "--warmup ", raw.warmup, " is below 0");
  if (raw.patience < 1) fail(Error::Kind::bad_setting, "--timeout ", raw.patience, " is below 1");
  o.warmup = static_cast<unsigned>(raw.warmup);
  o.patience_seconds = raw.patience;
  if (raw.json) o.json = raw.json;
  if (raw.frames) o.frames = raw.frames;
  if (raw.out) o.out = raw.out;
  if (raw.sweep) o.sweep = parse_sweep(raw.sweep);
  if (o.sweep && raw.frames)
    fail(Error::Kind::bad_setting,
         "--frames cannot be had with --sweep; run the value of interest by itself");
  if (!o.compared.empty() && o.sweep) fail(Error::Kind::bad_setting, "--beside cannot be had with --sweep");
  if (raw.out && !o.sweep)
    fail(Error::Kind::bad_setting, "--out names the files of a --sweep, and there is none");
  return o;
}

} // namespace vigil::eval
