// SPDX-License-Identifier: LGPL-2.1-or-later
// The text of a pass. In tiles, region k is what stencil k makes of region k - 1: the tile and what is left
// of the halo.
#include "kernels/filter/plan.h"

#include <algorithm>

namespace vigil::filter {
namespace {

class Generator {
 public:
  Generator(const Shape &s, bool colour) : shape_(s), colour_(colour), planes_(colour && s.rows ? 3 : 1) {}

  void pass(const Pass &p, std::size_t number) {
    points_.clear();
    prefix_ = text("p", number, "_");
    point_function(p.before, "before");
    for (std::size_t k = 0; k < p.stencils.size(); k++) {
      point_function(p.stencils[k].after, text("after", k));
      stencil_functions(p.stencils[k], k);
    }
    add("__kernel __attribute__((reqd_work_group_size(", shape_.local_x, ", ", shape_.local_y,
        ", 1)))\nvoid pass", number,
        "(__global const uchar *restrict src, int src_offset, int src_stride,\n"
        "  __global uchar *restrict dst, int dst_offset, int dst_stride, int width, int height,\n"
        "  __constant const int *n, __global const ushort *restrict t) {\n"
        "src += src_offset; dst += dst_offset;\n"
        "const int tx = get_group_id(0) * ",
        shape_.tile_width, ", ty = get_group_id(1) * ", shape_.tile_height, ";\n");
    if (!shape_.rows) add("const int item = get_local_id(1) * ", shape_.local_x, " + get_local_id(0);\n");
    if (p.stencils.empty())
      points_only();
    else
      stencils(p);
    add("}\n");
  }
  std::string text_;

 private:
  template <class... Parts>
  void add(const Parts &...parts) {
    text_ += text(parts...);
  }
  // void NAME(int *r, int *g, int *b, n, t), or of one value; nothing for no operations.
  void point_function(const std::vector<PointOp> &ops, const std::string &name) {
    if (ops.empty()) return;
    points_ += text(" ", name, " ");
    const char *arguments = colour_ ? "int *r, int *g, int *b" : "int *r";
    add("inline void ", prefix_, name, "(", arguments,
        ", __constant const int *n, __global const ushort *t) {\n");
    for (const PointOp &op : ops) {
      if (op.matrix) {
        add("{ __constant const int *m = n + ", op.at, ";\nconst int x = mixed(m, m[9], *r, *g, *b), ",
            "y = mixed(m + 3, m[10], *r, *g, *b), z = mixed(m + 6, m[11], *r, *g, *b);\n*r = x; *g = y; *b = "
            "z; }\n");
      } else {
        const char *names[] = {"r", "g", "b"};
        for (int c = 0; c < (colour_ ? 3 : 1); c++)
          add("*", names[c], " = t[", op.at, " + *", names[c], "];\n");
      }
    }
    add("}\n");
  }
  bool has_points(const std::string &name) const {
    return points_.find(text(" ", name, " ")) != points_.npos;
  }
  // The call, with r, g, b in the caller's scope.
  std::string points(const std::string &name) const {
    if (!has_points(name)) return {};
    return text(prefix_, name, colour_ ? "(&r, &g, &b, n, t);\n" : "(&r, n, t);\n");
  }

  void stencil_functions(const StencilOp &s, std::size_t k) {
    if (!s.separable) {
      if (s.kind == Kind::weights) add("WEIGHTS(", prefix_, "square", k, ", ", s.radius, ")\n");
      if (s.kind == Kind::bilateral) add("BILATERAL(", prefix_, "square", k, ", ", s.radius, ")\n");
      return;
    }
    const char *macro = s.kind == Kind::gaussian ? "GAUSSIAN" : s.kind == Kind::box ? "BOX" : "WEIGHTS_";
    const bool halves = s.kind == Kind::weights; // the two directions differ
    add(macro, halves ? "ACROSS" : "", "(", prefix_, "across", k, ", ", s.radius,
        halves ? ")\n" : ", Value, Total)\n");
    add(macro, halves ? "DOWN" : "", "(", prefix_, "down", k, ", ", s.radius,
        halves                ? ")\n"
        : s.kind == Kind::box ? ", Total, Total)\n"
                              : ", Total, Big)\n");
  }

  // A loop over a region's values. x, y: within it; the body uses cx, cy, the same place, or the nearest
  // whose pixel is inside the picture, moved by `inset`. `left`, `top`: where the region begins in the
  // picture. clamp_y off: rows as they are.
  void each(int w, int h, int halo, int inset, bool clamp_y, const std::string &body) {
    const std::string row = clamp_y ? text("const int cy = clamp(ty - ", halo,
                                           " + y, 0, height - 1) - (ty - ", halo + inset, ");\n")
                                    : text("const int cy = y;\n");
    if (shape_.rows) {
      add("for (int y = 0; y < ", h, "; y++) {\n", row, "const int from = max(0, ", halo, " - tx), to = min(",
          w, ", width - tx + ", halo, ");\nfor (int x = from; x < to; x++) {\nconst int cx = x + ", inset,
          ";\n", body, "}\n}\n");
    } else {
      add("for (int i = item; i < ", w * h, "; i += ", shape_.local_x * shape_.local_y,
          ") {\nconst int x = i % ", w, ", y = i / ", w, ";\nconst int cx = clamp(tx - ", halo,
          " + x, 0, width - 1) - (tx - ", halo + inset, ");\n", row, body, "}\n");
    }
  }
  // rows: repeats the outermost values of region k where the region passes the picture's left or right
  // border.
  void repeat_ends(std::size_t k, int w, int h, int halo) {
    if (!shape_.rows || halo == 0) return;
    const std::string of = buffer(k, 'c');
    each_plane([&] {
      add("for (int y = 0; y < ", h, "; y++) {\nconst int from = max(0, ", halo, " - tx), to = min(", w,
          ", width - tx + ", halo, ");\nfor (int x = 0; x < from; x++) ", of, "[y * ", w, " + x] = ", of,
          "[y * ", w, " + from];\nfor (int x = to; x < ", w, "; x++) ", of, "[y * ", w, " + x] = ", of,
          "[y * ", w, " + to - 1];\n}\n");
    });
  }

  // A pixel of a row at `address` into r, g, b (and a).
  std::string load(const std::string &address) const {
    if (!colour_) return text("int r = LEVELS(", address, ")[0];\n");
    if (shape_.rows)
      return text("__global const Level *q = LEVELS(", address, ");\nint r = q[0], g = q[1], b = q[2];\n");
    return text("const Value q = WIDE ? *(__global const Value *)(", address, ") : vload4(0, LEVELS(",
                address, "));\nint r = q.x, g = q.y, b = q.z;\n");
  }
  // r, g, b to a row; `alpha`: an expression
  std::string store(const std::string &address, const std::string &alpha) const {
    if (!colour_) return text("*RESULTS(", address, ") = r;\n");
    if (shape_.rows)
      return text("__global Level *o = RESULTS(", address, ");\no[0] = r; o[1] = g; o[2] = b; o[3] = ", alpha,
                  ";\n");
    return text("const Value o = (Value)(r, g, b, ", alpha, ");\nif (WIDE) *(__global Value *)(", address,
                ") = o; else vstore4(o, 0, RESULTS(", address, "));\n");
  }

  // A loop over the tile's pixels that are inside the picture: gx, gy.
  void each_result(const std::string &body) {
    if (shape_.rows)
      add("for (int y = 0; y < min(", shape_.tile_height,
          ", height - ty); y++) {\nconst int gy = ty + y, end = min(", shape_.tile_width,
          ", width - tx);\nfor (int x = 0; x < end; x++) {\nconst int gx = tx + x;\n", body, "}\n}\n");
    else
      add("for (int i = item; i < ", shape_.tile_width * shape_.tile_height,
          "; i += ", shape_.local_x * shape_.local_y, ") {\nconst int x = i % ", shape_.tile_width,
          ", y = i / ", shape_.tile_width, ", gx = tx + x, gy = ty + y;\nif (gx < width && gy < height) {\n",
          body, "}\n}\n");
  }
  std::string source_at() const { return "(src + gy * src_stride + gx * BYTES)"; }
  std::string result_at() const { return "(dst + gy * dst_stride + gx * BYTES)"; }
  std::string alpha() const { return "LEVELS" + source_at() + "[3]"; }

  void points_only() {
    each_result(load(source_at()) + points("before") +
                store(result_at(), colour_ && !shape_.rows ? "q.w" : "q[3]"));
  }

  // Planes of a region; `plane` is a number, or c within each_plane().
  template <class P>
  std::string buffer(std::size_t k, P plane) const {
    return text(k % 2 ? "odd" : "even", "[", plane, "]");
  }
  // What is done for each plane: one text, since a compiler on a processor takes a second for three.
  template <class F>
  void each_plane(F statements) {
    add(planes_ > 1 ? text("for (int c = 0; c < ", planes_, "; c++) {\n") : "{\nconst int c = 0;\n");
    statements();
    add("}\n");
  }

  void stencils(const Pass &p) {
    int halo = 0;
    for (const StencilOp &s : p.stencils) halo += s.radius;
    const int tw = shape_.tile_width, th = shape_.tile_height;
    const Tiles tiles = tiles_of(p, shape_);
    for (std::size_t side = 0; side < 2; side++)
      if (tiles.values[side]) add("TILE Value ", buffer(side, planes_), "[", tiles.values[side], "];\n");
    if (tiles.sums) add("TILE Total half_done[", tiles.sums, "];\n");
    load_tile(tw + 2 * halo, th + 2 * halo, halo);
    for (std::size_t k = 0; k < p.stencils.size(); k++) {
      add("BARRIER\n");
      halo -= p.stencils[k].radius;
      stencil(p.stencils[k], k, halo, k + 1 == p.stencils.size());
    }
    if (shape_.rows) {
      std::string body;
      const char *names[] = {"r", "g", "b"};
      for (int c = 0; c < planes_; c++)
        body += text("int ", names[c], " = ", buffer(p.stencils.size(), c), "[y * ", tw, " + x];\n");
      body += points(text("after", p.stencils.size() - 1));
      each_result(body + store(result_at(), alpha()));
    }
  }

  void load_tile(int w, int h, int halo) {
    // Here the region begins where the halo does, and cx, cy are made positions in the picture.
    std::string body =
        load(text("(src + (cy + ty - ", halo, ") * src_stride + (cx + tx - ", halo, ") * BYTES)")) +
        points("before");
    const std::string at = text("[y * ", w, " + x]");
    if (planes_ == 3)
      body += text(buffer(0, 0), at, " = r; ", buffer(0, 1), at, " = g; ", buffer(0, 2), at, " = b;\n");
    else
      body += text(buffer(0, 0), at, colour_ ? " = (Value)(r, g, b, 0);\n" : " = r;\n");
    each(w, h, halo, 0, true, body);
    repeat_ends(0, w, h, halo);
  }

  // What a stencil makes of the place p points to.
  std::string value(const StencilOp &s, std::size_t k) const {
    switch (s.kind) {
    case Kind::weights:
    case Kind::bilateral:
      return text(prefix_, "square", k, "(p, pitch, n + ", s.at, ")");
    case Kind::linear:
      return text(s.absolute ? "linear_absolute" : "linear", "(p, pitch, n + ", s.at, ")");
    case Kind::gradient:
      return text("gradient(p, pitch, n + ", s.at, ")");
    default:
      return "median(p, pitch)";
    }
  }

  void stencil(const StencilOp &s, std::size_t k, int halo, bool last) {
    const int r = s.radius, w = shape_.tile_width + 2 * halo, h = shape_.tile_height + 2 * halo;
    const int pitch = w + 2 * r; // of the region before
    each_plane([&] {
      const std::string from = buffer(k, 'c'), to = buffer(k + 1, 'c');
      std::string body;
      if (s.separable) {
        const int side = 2 * r + 1;
        const auto numbers = [&](int at) { return s.kind == Kind::box ? "" : text(", n + ", s.at + at); };
        const std::string weights = numbers(0), down = numbers(s.kind == Kind::weights ? side : 0);
        // across: all rows that the other direction reads
        each(w, h + 2 * r, halo, r, false,
             text("half_done[y * ", w, " + x] = ", prefix_, "across", k, "(", from, " + cy * ", pitch,
                  " + cx, 1", weights, ");\n"));
        add("BARRIER\n");
        const std::string sum = text(prefix_, "down", k, "(half_done + cy * ", w, " + x, ", w, down, ")");
        body = text("const Value v = ",
                    s.kind == Kind::gaussian ? text("GAUSSIAN_STORED(", sum, ")")
                    : s.kind == Kind::box    ? text("BOX_STORED(", sum, ", ", side * side, "u)")
                                             : sum,
                    ";\n");
      } else {
        body = text("const TILE Value *p = ", from, " + cy * ", pitch, " + cx;\nconst int pitch = ", pitch,
                    ";\nconst Value v = ", value(s, k), ";\n");
      }
      body += shape_.rows ? text(to, "[y * ", w, " + x] = v;\n") : finish(k, last);
      each(w, h, halo, r, true, body);
    });
    if (!has_points_later(k, last)) repeat_ends(k + 1, w, h, halo);
    if (shape_.rows && has_points_later(k, last)) {
      const std::string at = text("[y * ", w, " + x]");
      std::string body, back;
      const char *names[] = {"r", "g", "b"};
      for (int c = 0; c < planes_; c++) {
        body += text("int ", names[c], " = ", buffer(k + 1, c), at, ";\n");
        back += text(buffer(k + 1, c), at, " = ", names[c], ";\n");
      }
      each(w, h, halo, 0, false, body + points(text("after", k)) + back);
      repeat_ends(k + 1, w, h, halo);
    }
  }
  bool has_points_later(std::size_t k, bool last) const { return !last && has_points(text("after", k)); }

  // items: v goes through its point operations, and to the next tile or to the result.
  std::string finish(std::size_t k, bool last) const {
    const std::string name = text("after", k);
    std::string s = colour_ ? "int r = v.x, g = v.y, b = v.z;\n" : "int r = v;\n";
    s += points(name);
    if (last)
      return s + text("const int gx = tx + x, gy = ty + y;\nif (gx < width && gy < height) {\n",
                      store(result_at(), alpha()), "}\n");
    return s + text(buffer(k + 1, 0), "[i] = ", colour_ ? "(Value)(r, g, b, 0)" : "r", ";\n");
  }

  const Shape shape_;
  const bool colour_;
  const int planes_;
  std::string prefix_, points_; // names of the point functions that there are, each between blanks
};

} // namespace

Plan split_all(const Pass &all) {
  if (all.stencils.empty()) return {all};
  Plan plan;
  for (const StencilOp &s : all.stencils) plan.push_back({{}, {s}});
  plan.front().before = all.before;
  return plan;
}

std::string generate(const Plan &plan, const Shape &shape, bool colour) {
  Generator g(shape, colour);
  for (std::size_t i = 0; i < plan.size(); i++) g.pass(plan[i], i);
  return g.text_;
}

} // namespace vigil::filter
