// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/gl/program.h"

#include "common/error.h"

#include <algorithm>
#include <charconv>
#include <regex.h> // the C library's: the compiler takes four seconds for that of C++
#include <utility>

namespace vigil {
namespace {

constexpr const char *everywhere = R"(
void main() {
  gl_Position = vec4(vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0, 0.0, 1.0);
}
)";

std::string prologue(const GlDevice &d, GLenum stage, std::string_view definitions) {
  const bool compute = stage == GL_COMPUTE_SHADER;
  std::string s = d.es() ? (compute ? "#version 310 es\n" : "#version 300 es\n")
                         : (compute ? "#version 430\n" : "#version 330\n");
  if (d.es()) {
    s += "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp "
         "usampler2D;\n";
    if (compute) s += "precision highp image2D;\nprecision highp uimage2D;\n";
  }
  return s.append(definitions);
}

template <class Get, class Log>
std::string log_of(GLuint object, Get get, Log read) {
  GLint length = 0;
  get(object, GL_INFO_LOG_LENGTH, &length);
  std::string s(std::size_t(std::max(length, 1)), '\0');
  read(object, GLsizei(s.size()), nullptr, s.data());
  return s.substr(0, s.find('\0'));
}

int lines_of(std::string_view s) {
  return static_cast<int>(std::count(s.begin(), s.end(), '\n'));
}

// `before` is put before the files.
GLuint compile(const GlDevice &d, GLenum stage, const std::string &before,
               std::initializer_list<GlSource> files) {
  std::string all = before;
  for (const GlSource &f : files) all += f.text;
  const char *start = all.c_str();
  const GLuint shader = d.gl.CreateShader(stage);
  d.gl.ShaderSource(shader, 1, &start, nullptr);
  d.gl.CompileShader(shader);
  GLint good = 0;
  d.gl.GetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good) return shader;
  const std::string log =
      name_lines(log_of(shader, d.gl.GetShaderiv, d.gl.GetShaderInfoLog), lines_of(before), files);
  d.gl.DeleteShader(shader);
  fail(Error::Kind::device, files.size() > 0 ? (files.end() - 1)->path : "the vertex shader",
       " does not compile on ", d.name(), ":\n", log);
}

// Where a line of a compiler's log says which line of the source it is about.
class LogPlacePattern {
 public:
  LogPlacePattern() {
    // Mesa "0:15(8): ", NVIDIA "0(15) : ", others "ERROR: 0:15: "
    regcomp(&pattern_, R"(^(ERROR: |WARNING: )?[0-9]+(:([0-9]+)(\([0-9]+\))?|\(([0-9]+)\)) ?:)",
            REG_EXTENDED);
  }
  ~LogPlacePattern() { regfree(&pattern_); }
  LogPlacePattern(const LogPlacePattern &) = delete;
  LogPlacePattern &operator=(const LogPlacePattern &) = delete;

  // The number of the source's line; `rest` becomes what follows. 0: the line says none.
  int find(const std::string &line, std::string &rest) const {
    regmatch_t m[6];
    if (regexec(&pattern_, line.c_str(), 6, m, 0) != 0) return 0;
    const regmatch_t &digits = m[3].rm_so >= 0 ? m[3] : m[5];
    int number = 0; // stays 0 when there are too many digits
    std::from_chars(line.data() + digits.rm_so, line.data() + digits.rm_eo, number);
    rest = line.substr(std::size_t(m[0].rm_eo));
    return number;
  }

 private:
  regex_t pattern_;
};

} // namespace

std::string name_lines(std::string_view log, int prologue_lines, std::initializer_list<GlSource> files) {
  static const LogPlacePattern place;
  std::string result;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    std::string line(log.substr(at, end - at));
    at = end + 1;
    std::string rest;
    if (int number = place.find(line, rest) - prologue_lines; number > 0) {
      for (const GlSource &f : files) {
        const int length = lines_of(f.text);
        if (number >= 1 && number <= length) {
          line = text(f.path, ":", number, ":", rest);
          break;
        }
        number -= length;
      }
    }
    result += line + "\n";
  }
  return result;
}

GlProgram::GlProgram(const GlDevice &d, GLenum stage, std::initializer_list<GlSource> files,
                     std::string_view definitions)
    : device_(&d) {
  const std::string before = prologue(d, stage, definitions);
  const GLuint shader = compile(d, stage, before, files);
  GLuint vertex = 0;
  if (stage == GL_FRAGMENT_SHADER)
    vertex = compile(d, GL_VERTEX_SHADER, prologue(d, GL_VERTEX_SHADER, {}) + everywhere, {});
  id_ = d.gl.CreateProgram();
  for (const GLuint s : {shader, vertex})
    if (s) {
      d.gl.AttachShader(id_, s);
      d.gl.DeleteShader(s); // lives on as part of the program
    }
  d.gl.LinkProgram(id_);
  GLint good = 0;
  d.gl.GetProgramiv(id_, GL_LINK_STATUS, &good);
  if (good) return;
  const std::string log =
      name_lines(log_of(id_, d.gl.GetProgramiv, d.gl.GetProgramInfoLog), lines_of(before), files);
  d.gl.DeleteProgram(id_);
  fail(Error::Kind::device, (files.end() - 1)->path, " does not link on ", d.name(), ":\n", log);
}
GlProgram GlProgram::compute(const GlDevice &d, std::initializer_list<GlSource> files,
                             std::string_view definitions) {
  return {d, GL_COMPUTE_SHADER, files, definitions};
}
GlProgram GlProgram::fragment(const GlDevice &d, std::initializer_list<GlSource> files,
                              std::string_view definitions) {
  return {d, GL_FRAGMENT_SHADER, files, definitions};
}
GlProgram::~GlProgram() {
  if (id_) device_->gl.DeleteProgram(id_);
}
void GlProgram::swap(GlProgram &o) noexcept {
  std::swap(device_, o.device_);
  std::swap(id_, o.id_);
  std::swap(locations_, o.locations_);
}

GLint GlProgram::at(const char *uniform) const {
  const auto found = locations_.find(std::string_view(uniform));
  if (found != locations_.end()) return found->second;
  return locations_[uniform] = device_->gl.GetUniformLocation(id_, uniform);
}
void GlProgram::bind(const char *sampler, int unit, GLuint texture) const {
  device_->gl.ActiveTexture(GLenum(GL_TEXTURE0 + unit));
  device_->gl.BindTexture(GL_TEXTURE_2D, texture);
  set(sampler, unit);
}

} // namespace vigil
