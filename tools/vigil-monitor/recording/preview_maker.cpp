// SPDX-License-Identifier: LGPL-2.1-or-later
#include "preview_maker.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {

PreviewMaker::PreviewMaker(Calls calls)
    : calls_(std::move(calls)), decoder_([warning = calls_.warning](const std::string &why) {
        warning("no previews of the recording are made: " + why);
      }) {}

void PreviewMaker::add(const KeyPicture &picture) {
  constexpr int least = 16, most = 640, quality = 40;
  const auto [shown_width, shown_height] = decoder_.shown_size();
  const auto lines = std::int64_t{width} * shown_height / shown_width / 2 * 2;
  const KeyDecoder::Form form{{width, static_cast<int>(std::clamp<std::int64_t>(lines, least, most))},
                              quality};
  decoder_.make(picture.buffer.get(), form,
                [ready = calls_.ready, segment = picture.segment, at = picture.at](std::string_view jpeg) {
                  ready(segment, at, std::string(jpeg));
                });
}

} // namespace vigil::monitor
