// SPDX-License-Identifier: LGPL-2.1-or-later
#include "export_run.h"

#include "../recording/range.h"
#include "../store/event.h"
#include "common/error.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace vigil::monitor {
namespace {

// CAMERA-20261126T041500Z.mp4, with a number where there is such a one already.
std::string new_name(const std::string &camera, double start, const std::vector<ExportFile> &there) {
  std::string time = utc_timestamp(start);
  time.resize(time.find('.'));
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  const auto taken = [&](const std::string &name) {
    return std::any_of(there.begin(), there.end(), [&](const ExportFile &f) { return f.name == name; });
  };
  std::string name = camera + "-" + time + "Z.mp4";
  for (int n = 2; taken(name); n++) name = text(camera, "-", time, "Z-", n, ".mp4");
  return name;
}

// Segments whose fragments can follow each other in one file.
std::vector<std::vector<Segment>> of_one_stream(std::vector<Segment> segments) {
  std::vector<std::vector<Segment>> out;
  for (Segment &s : segments) {
    if (out.empty() || out.back().front().stream != s.stream) out.emplace_back();
    out.back().push_back(std::move(s));
  }
  return out;
}

// The longest time without a key frame within a segment, in seconds.
double longest_between_keys(const std::vector<Segment> &segments) {
  std::int64_t longest = 0;
  for (const Segment &s : segments) {
    std::int64_t last = 0;
    for (const Fragment &f : s.fragments)
      if (f.key) longest = std::max(longest, f.start - std::exchange(last, f.start));
    longest = std::max(longest, s.duration - last);
  }
  return seconds(longest);
}

class Run {
 public:
  Run(const ExportRequest &request, const ExportSource &source, const std::string &folder,
      ExportProgress &progress)
      : request_(request), source_(source), folder_(folder), progress_(progress) {}

  std::vector<ExportFile> all() {
    for (std::size_t i = 0; i < request_.cameras.size(); i++) {
      begin_ = static_cast<double>(i) / static_cast<double>(request_.cameras.size());
      camera(request_.cameras[i]);
    }
    return std::move(files_);
  }

 private:
  // Asked for in pieces, each of which the database answers soon.
  std::vector<Segment> segments(const std::string &camera, std::int64_t from, std::int64_t to) const {
    constexpr std::int64_t at_once = 6 * 3600 * a_second;
    std::vector<Segment> out;
    std::set<std::string> known;
    for (std::int64_t at = from; at < to; at += at_once)
      for (Segment &s : source_.segments(camera, at, std::min(to, at + at_once)))
        if (known.insert(s.id).second) out.push_back(std::move(s));
    return out;
  }

  void camera(const std::string &name) {
    progress_.check();
    const std::int64_t from = micros(request_.from), to = micros(request_.to);
    std::vector<std::vector<Segment>> streams = of_one_stream(segments(name, from, to));
    bool any = false;
    for (std::size_t i = 0; i < streams.size(); i++) {
      RenderOrder order;
      order.burn_in = request_.burn_in;
      order.timelapse = request_.timelapse.value_or(0);
      constexpr double rate = 25; // of a time lapse, pictures a second
      order.keys_only = order.timelapse > 0 && longest_between_keys(streams[i]) <= order.timelapse / rate;
      auto made =
          RecordingRange::make(streams[i], from, to, source_.file,
                               order.keys_only ? RecordingRange::Which::keys : RecordingRange::Which::all);
      streams[i].clear();
      if (!made) continue;
      any = true;
      order.start = made->start();
      if (made->codecs().find("mp4a") != std::string::npos) order.sound = "aacparse";
      if (made->codecs().find("opus") != std::string::npos) order.sound = "opusparse";
      const double parts = static_cast<double>(streams.size() * request_.cameras.size());
      file(name, std::make_shared<const RecordingRange>(std::move(*made)), order,
           begin_ + static_cast<double>(i) / parts, 1 / parts);
    }
    if (!any)
      fail(Error::Kind::io, "nothing of ", name, "'s recording from ", utc_timestamp(request_.from), " to ",
           utc_timestamp(request_.to), " is there any more");
  }

  void file(const std::string &camera, const std::shared_ptr<const RecordingRange> &range,
            const RenderOrder &order, double begin, double share) {
    ExportFile f;
    f.camera = camera;
    f.start = seconds(range->start());
    f.end = seconds(range->end());
    f.name = new_name(camera, f.start, files_);
    const std::string path = folder_ + "/" + f.name;
    const std::int64_t room = source_.room(),
                       needed = request_.encodes() ? 0 : static_cast<std::int64_t>(range->size());
    if (room < needed)
      fail(Error::Kind::write, "the export needs ", needed, " bytes, and the disk has ",
           std::max<std::int64_t>(room, 0),
           " above min_free; delete other exports, or choose a shorter time");
    const auto out = request_.encodes() ? export_render(path, order, source_.room, progress_)
                                        : export_copy(path, source_.room);
    RecordingRange::Reader reader(range, 0, range->size());
    std::uint64_t done = 0;
    std::string bytes;
    while (reader.next(bytes)) {
      progress_.check();
      out->put(bytes);
      done += bytes.size();
      progress_.share = begin + share * static_cast<double>(done) / static_cast<double>(range->size());
    }
    if (done < range->size())
      fail(Error::Kind::io, "a part of ", camera, "'s recording was deleted while it was exported, after ",
           done, " of ", range->size(), " bytes; export what is still there");
    const auto made = out->finish();
    f.bytes = made.bytes;
    f.sha256 = made.sha256;
    files_.push_back(std::move(f));
  }

  const ExportRequest &request_;
  const ExportSource &source_;
  const std::string &folder_;
  ExportProgress &progress_;
  double begin_ = 0;
  std::vector<ExportFile> files_;
};

} // namespace

std::vector<ExportFile> run_export(const ExportRequest &request, const ExportSource &source,
                                   const std::string &folder, ExportProgress &progress) {
  return Run(request, source, folder, progress).all();
}

} // namespace vigil::monitor
