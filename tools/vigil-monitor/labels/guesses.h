// SPDX-License-Identifier: LGPL-2.1-or-later
// What an event is called when nobody has said it, by the tracks that it saw and its looks.
#pragma once

#include "label_store.h"

#include <span>
#include <string>
#include <vector>

namespace vigil::monitor {

// For each track the taught label that fits best, of those with at least three examples, or, if none fits,
// what a detector or the shape rule says. Of an event without tracks by its looks alone. The best score of
// each label.
EventLabels guesses_of(const label::Classifier &, std::span<const EventTrack>,
                       const std::vector<float> &looks);

// The track that a person means who gives an event this label: the one that is most like it; of those that
// are alike, the one with the most views, which comes first. Null: there is none.
const EventTrack *track_of(const label::Classifier &, std::span<const EventTrack>, const std::string &label);

} // namespace vigil::monitor
