// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/cuda_process_context.h"

#include "gst/compat.h"

#include <map>
#include <mutex>

namespace vigil::gst {
namespace {

// After a failure of the GPU nothing can be done in a context that others still hold.
bool works(GstCudaContext *context) {
  return gst_cuda_context_push(context) && gst_cuda_context_pop(nullptr);
}

} // namespace

GstCudaContext *process_cuda_context(int id) {
  static std::mutex mutex;
  // In a map, since a weak reference may not move; never taken down, since elements may outlive main().
  static auto &contexts = *new std::map<int, GWeakRef>;
  const std::lock_guard lock(mutex);
  const auto [at, added] = contexts.try_emplace(id);
  GWeakRef &known = at->second;
  if (added) g_weak_ref_init(&known, nullptr);
  auto *context = static_cast<GstCudaContext *>(g_weak_ref_get(&known));
  if (context && works(context)) return context;
  gst_clear_object(&context);
  context = gst_cuda_context_new(static_cast<guint>(id));
  g_weak_ref_set(&known, context);
  return context;
}

} // namespace vigil::gst
