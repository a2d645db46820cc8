// SPDX-License-Identifier: LGPL-2.1-or-later
// The arithmetic of buffer pools and latency for elements that hold frames while a device works on them: in
// system memory, in CUDA memory (where they have a CudaContext; null: they know no CUDA memory) or in OpenGL
// memory (likewise).
#pragma once

#include "gst/memory/cuda_context.h"
#include "gst/memory/gl_context.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <gst/base/gstbasetransform.h>

namespace vigil::gst {

// Answers upstream's ALLOCATION query with a pool of the right memory (when it asked for one) that has one
// buffer more than the `held` ones, and with GstVideoMeta. Decoders may fix the number of their surfaces when
// they start, so frames in CUDA memory get some to spare, for a depth that is raised later.
void propose_pool(CudaContext *, GlContext *, GstQuery *, guint held);
// The same where frames that come in go out again: downstream is asked through `src`, and what it wants is
// raised by what is held here.
void propose_downstream_pool(CudaContext *, GlContext *, GstPad *src, GstQuery *, guint held);
// Raises what a query's pools have at least by `more` buffers. Pools that have no room for them are
// withdrawn.
void raise_pools(GstQuery *, guint more);
// Leaves one pool in downstream's answer: downstream's own when it is of our memory and has room for `held`
// further buffers, else one of ours. False when none can be had.
// `in_textures`: frames in system memory come from a pool of textures, too.
bool decide_pool(CudaContext *, GlContext *, GstQuery *, guint held, bool in_textures = false);

// Withdraws GstVideoCropMeta from an answer that is passed on upstream: our elements do not look at parts of
// frames that are larger than their caps say.
void withdraw_crops(GstQuery *);

// How many buffers of the pool that this buffer is from may be held without starving upstream, which needs
// one to go on. `others`: buffers of it that others hold. The answer is remembered for the pool that was seen
// last, until that one is gone: a new pool may have its address.
class PoolLimit {
 public:
  PoolLimit() { g_weak_ref_init(&pool_, nullptr); }
  ~PoolLimit() { g_weak_ref_clear(&pool_); }
  PoolLimit(const PoolLimit &) = delete;
  PoolLimit &operator=(const PoolLimit &) = delete;
  std::size_t of(GstBuffer *, guint others);
  void forget(); // pools are negotiated again

 private:
  bool knows(const GstBufferPool *);
  GWeakRef pool_;
  guint max_ = 0;
};

// How many frames may be held of upstream's pool. For the streaming thread, except downstream_needs().
class InputLimit {
 public:
  // `passes_buffers`: what comes in goes out, so downstream has some of them, too.
  void look_at(GstBuffer *in, bool passes_buffers) {
    most_ = pool_.of(in, passes_buffers ? std::max(1u, downstream_.load()) : 0);
  }
  std::size_t most() const { return most_; }
  void downstream_needs(guint buffers) { downstream_ = buffers; }
  void forget() { pool_.forget(); }

 private:
  PoolLimit pool_;
  std::size_t most_ = SIZE_MAX;
  std::atomic<guint> downstream_ = 0; // buffers that downstream wants to have for itself
};

// Adds the time that `frames` frames last to an answered LATENCY query.
void add_latency(GstBaseTransform *, GstQuery *, int frames);

} // namespace vigil::gst
