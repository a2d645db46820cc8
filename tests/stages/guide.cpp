// SPDX-License-Identifier: LGPL-2.1-or-later
// The stage of docs/develop/adding-a-stage.md does what the page says.
#include "tests/stages/darkness.h"

#include "gst/cudamog/stage_list.h"
#include "tests/stages/rig.h"
#include "tests/unit.h"

#include <string>
#include <utility>

namespace {

using namespace vigil;
using namespace vigil::test;

void a_stage_of_ones_own() {
  Rig rig;
  tamper::TamperDetector detector;
  rig.settings.exposure = ExposureMode::off; // the light of all frames counts
  auto stages = make_stages(*rig.device, rig.model, detector);
  const auto gate = std::find_if(stages.begin(), stages.end(),
                                 [](const auto &s) { return std::string(s->name()) == "motion-gate"; });
  expect(gate != stages.end(), "the list has a motion gate");
  stages.insert(gate, std::make_unique<DarknessStage>(*rig.device));
  StageList list(*rig.device, rig.model, std::move(stages));
  list.set_format(rig.format);
  const auto see = [&](Picture &p) {
    auto f = list.make_frame();
    Picture out;
    f->settings = rig.settings;
    f->settings_number = 1;
    f->seconds = 0.04;
    f->input = p.image();
    f->output = out.image();
    FrameContext *const one = f.get();
    list.submit({&one, 1}, *rig.queue);
    list.finish(*f, *rig.queue);
    return f->detections.boxes.size();
  };
  for (const bool dark : {false, true}) {
    list.start_over(Restart::all);
    rig.model.clear();
    Picture still = dark ? ground(0, 0, 0.05) : ground(), thing = still;
    thing.fill(40, 40, 20, 20, 250);
    for (int i = 0; i < 60; i++) see(still);
    const std::size_t boxes = see(thing);
    expect(boxes == (dark ? 0u : 1u), dark ? "a dark frame has no boxes" : "a bright one has");
  }
}

} // namespace

int main() {
  return run_cases("stage guide", {{"a stage of one's own", a_stage_of_ones_own}});
}
