// SPDX-License-Identifier: LGPL-2.1-or-later
//! Embeds cudamog in Rust: prints motion events, reads the boxes of each frame, and changes a property while
//! playing.
//!   motion-events [PIPELINE]     a description that contains an element named "watch"
use gst::prelude::*;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

const STANDARD: &str =
    "scenetestsrc num-buffers=300 ! cudamog name=watch output=passthrough ! fakesink";

/// The boxes of a frame: x, y, width and height in pixels.
fn boxes(buffer: &gst::BufferRef) -> Vec<(u32, u32, u32, u32)> {
    buffer
        .iter_meta::<gst_video::VideoRegionOfInterestMeta>()
        .filter(|meta| meta.roi_type() == "motion")
        .map(|meta| meta.rect())
        .collect()
}

/// Runs on the streaming thread, so it must be quick.
fn watch_frames(pad: &gst::Pad) {
    let most = AtomicUsize::new(0);
    pad.add_probe(gst::PadProbeType::BUFFER, move |_, info| {
        let count = info.buffer().map_or(0, |buffer| boxes(buffer).len());
        if count > most.fetch_max(count, Ordering::Relaxed) {
            println!("{count} moving objects at once");
        }
        gst::PadProbeReturn::Ok
    });
}

fn report(event: &gst::StructureRef, watch: &gst::Element) -> Result<(), Box<dyn Error>> {
    let name = event.name();
    if name != "motion-begin" && name != "motion-end" {
        return Ok(());
    }
    let time = event.get::<u64>("running-time")? as f64 / 1e9;
    let fraction: f64 = event.get("changed-fraction")?;
    println!("{name} at {time:.2} s, {:.1} % of the picture", 100.0 * fraction);
    // During motion the model learns nothing under foreground; afterwards at the default rate.
    let rate = if name == "motion-begin" { 0.0 } else { 0.02f32 };
    watch.set_property("foreground-rate", rate);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    gst::init()?;
    let description = std::env::args().nth(1).unwrap_or_else(|| STANDARD.into());
    let pipeline = gst::parse::launch(&description)?
        .downcast::<gst::Pipeline>()
        .map_err(|_| "the description is no pipeline of several elements")?;
    let watch = pipeline
        .by_name("watch")
        .ok_or("no element is named \"watch\"")?;
    watch_frames(&watch.static_pad("src").ok_or("\"watch\" has no pad \"src\"")?);

    let bus = pipeline.bus().ok_or("the pipeline has no bus")?;
    let started = pipeline.set_state(gst::State::Playing);
    // Where the start fails, the bus already has the reason.
    let patience = if started.is_ok() { gst::ClockTime::NONE } else { Some(gst::ClockTime::ZERO) };
    let mut result: Result<(), Box<dyn Error>> = started.map(|_| ()).map_err(Into::into);
    for message in bus.iter_timed(patience) {
        match message.view() {
            gst::MessageView::Element(m) if message.src() == Some(watch.upcast_ref()) => {
                if let Some(event) = m.structure() {
                    report(event, &watch)?;
                }
            }
            gst::MessageView::Error(e) => {
                result = Err(e.error().to_string().into());
                break;
            }
            gst::MessageView::Eos(_) => break,
            _ => (),
        }
    }
    pipeline.set_state(gst::State::Null)?;
    result
}
