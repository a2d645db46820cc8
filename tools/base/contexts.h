// SPDX-License-Identifier: LGPL-2.1-or-later
// GPU contexts that all pipelines of the process share: the first that one of them makes is given to all that
// ask later. A CUDA context of its own would cost each camera 525 MB and a tenth of its frames
// (docs/reference/embedding.md).
#pragma once

#include <functional>
#include <gst/gst.h>
#include <map>
#include <mutex>
#include <string>

namespace vigil::tools {

class SharedContexts {
 public:
  SharedContexts() = default;
  SharedContexts(const SharedContexts &) = delete;
  SharedContexts &operator=(const SharedContexts &) = delete;
  ~SharedContexts() {
    for (auto &[type, context] : contexts_) gst_context_unref(context);
  }
  // From a bus's sync handler, on any thread. True when the message is done with.
  bool handle(GstMessage *m) {
    if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_HAVE_CONTEXT) {
      GstContext *context = nullptr;
      gst_message_parse_have_context(m, &context);
      const std::lock_guard guard(lock_);
      if (!contexts_.emplace(gst_context_get_context_type(context), context).second)
        gst_context_unref(context);
      return false;
    }
    if (GST_MESSAGE_TYPE(m) != GST_MESSAGE_NEED_CONTEXT) return false;
    const gchar *type = nullptr;
    gst_message_parse_context_type(m, &type);
    GstContext *context = nullptr;
    {
      const std::lock_guard guard(lock_);
      if (const auto c = contexts_.find(type); c != contexts_.end()) context = gst_context_ref(c->second);
    }
    if (!context) return false;
    gst_element_set_context(GST_ELEMENT(GST_MESSAGE_SRC(m)), context);
    gst_context_unref(context);
    return true;
  }

 private:
  std::mutex lock_;
  std::map<std::string, GstContext *, std::less<>> contexts_;
};

} // namespace vigil::tools
