// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenGL functions that are used here, found at run time through a loader: EGL's, or that of the code
// that owns the context. Nothing links with libGL, and OpenGL and OpenGL ES are served by one table.
#pragma once

#include <GL/glcorearb.h>
#include <functional>

namespace vigil {

// In OpenGL 3.3 and OpenGL ES 3.0; a context that lacks one of them is refused.
#define VIGIL_GL_REQUIRED(X)                                                                                 \
  X(ACTIVETEXTURE, ActiveTexture)                                                                            \
  X(ATTACHSHADER, AttachShader)                                                                              \
  X(BINDBUFFER, BindBuffer)                                                                                  \
  X(BINDBUFFERBASE, BindBufferBase)                                                                          \
  X(BINDBUFFERRANGE, BindBufferRange)                                                                        \
  X(BINDFRAMEBUFFER, BindFramebuffer)                                                                        \
  X(BINDSAMPLER, BindSampler)                                                                                \
  X(BINDTEXTURE, BindTexture)                                                                                \
  X(BINDVERTEXARRAY, BindVertexArray)                                                                        \
  X(BUFFERDATA, BufferData)                                                                                  \
  X(BUFFERSUBDATA, BufferSubData)                                                                            \
  X(CHECKFRAMEBUFFERSTATUS, CheckFramebufferStatus)                                                          \
  X(CLEAR, Clear)                                                                                            \
  X(CLIENTWAITSYNC, ClientWaitSync)                                                                          \
  X(CLEARBUFFERUIV, ClearBufferuiv)                                                                          \
  X(CLEARCOLOR, ClearColor)                                                                                  \
  X(COLORMASK, ColorMask)                                                                                    \
  X(COMPILESHADER, CompileShader)                                                                            \
  X(COPYBUFFERSUBDATA, CopyBufferSubData)                                                                    \
  X(CREATEPROGRAM, CreateProgram)                                                                            \
  X(CREATESHADER, CreateShader)                                                                              \
  X(DELETEBUFFERS, DeleteBuffers)                                                                            \
  X(DELETEFRAMEBUFFERS, DeleteFramebuffers)                                                                  \
  X(DELETEPROGRAM, DeleteProgram)                                                                            \
  X(DELETEQUERIES, DeleteQueries)                                                                            \
  X(DELETESHADER, DeleteShader)                                                                              \
  X(DELETESYNC, DeleteSync)                                                                                  \
  X(DELETETEXTURES, DeleteTextures)                                                                          \
  X(DELETEVERTEXARRAYS, DeleteVertexArrays)                                                                  \
  X(DISABLE, Disable)                                                                                        \
  X(DRAWARRAYS, DrawArrays)                                                                                  \
  X(DRAWBUFFERS, DrawBuffers)                                                                                \
  X(ENABLE, Enable)                                                                                          \
  X(FENCESYNC, FenceSync)                                                                                    \
  X(FINISH, Finish)                                                                                          \
  X(FLUSH, Flush)                                                                                            \
  X(FRAMEBUFFERTEXTURE2D, FramebufferTexture2D)                                                              \
  X(GENBUFFERS, GenBuffers)                                                                                  \
  X(GENFRAMEBUFFERS, GenFramebuffers)                                                                        \
  X(GENQUERIES, GenQueries)                                                                                  \
  X(GENSAMPLERS, GenSamplers)                                                                                \
  X(GENTEXTURES, GenTextures)                                                                                \
  X(GENVERTEXARRAYS, GenVertexArrays)                                                                        \
  X(GETBOOLEANV, GetBooleanv)                                                                                \
  X(GETERROR, GetError)                                                                                      \
  X(GETFLOATV, GetFloatv)                                                                                    \
  X(GETINTEGER64I_V, GetInteger64i_v)                                                                        \
  X(GETINTEGERI_V, GetIntegeri_v)                                                                            \
  X(GETINTEGERV, GetIntegerv)                                                                                \
  X(GETPROGRAMINFOLOG, GetProgramInfoLog)                                                                    \
  X(GETPROGRAMIV, GetProgramiv)                                                                              \
  X(GETSHADERINFOLOG, GetShaderInfoLog)                                                                      \
  X(GETSHADERIV, GetShaderiv)                                                                                \
  X(GETSTRING, GetString)                                                                                    \
  X(GETUNIFORMLOCATION, GetUniformLocation)                                                                  \
  X(ISBUFFER, IsBuffer)                                                                                      \
  X(ISENABLED, IsEnabled)                                                                                    \
  X(ISPROGRAM, IsProgram)                                                                                    \
  X(ISSAMPLER, IsSampler)                                                                                    \
  X(ISTEXTURE, IsTexture)                                                                                    \
  X(LINKPROGRAM, LinkProgram)                                                                                \
  X(MAPBUFFERRANGE, MapBufferRange)                                                                          \
  X(PIXELSTOREI, PixelStorei)                                                                                \
  X(READPIXELS, ReadPixels)                                                                                  \
  X(SCISSOR, Scissor)                                                                                        \
  X(SHADERSOURCE, ShaderSource)                                                                              \
  X(TEXIMAGE2D, TexImage2D)                                                                                  \
  X(TEXPARAMETERI, TexParameteri)                                                                            \
  X(TEXSUBIMAGE2D, TexSubImage2D)                                                                            \
  X(UNIFORM1I, Uniform1i)                                                                                    \
  X(UNIFORM2I, Uniform2i)                                                                                    \
  X(UNIFORM4I, Uniform4i)                                                                                    \
  X(UNMAPBUFFER, UnmapBuffer)                                                                                \
  X(USEPROGRAM, UseProgram)                                                                                  \
  X(VIEWPORT, Viewport)

// Later versions and extensions; null where the context lacks them.
#define VIGIL_GL_OPTIONAL(X)                                                                                 \
  X(BINDIMAGETEXTURE, BindImageTexture)                                                                      \
  X(BUFFERSTORAGE, BufferStorage)                                                                            \
  X(DISPATCHCOMPUTE, DispatchCompute)                                                                        \
  X(GETGRAPHICSRESETSTATUS, GetGraphicsResetStatus)                                                          \
  X(GETQUERYOBJECTUI64V, GetQueryObjectui64v)                                                                \
  X(GETQUERYOBJECTUIV, GetQueryObjectuiv)                                                                    \
  X(MEMORYBARRIER, MemoryBarrier)                                                                            \
  X(POLYGONMODE, PolygonMode)                                                                                \
  X(QUERYCOUNTER, QueryCounter)                                                                              \
  X(TEXSTORAGE2D, TexStorage2D)

struct GlFunctions {
#define X(upper, name) PFNGL##upper##PROC name = nullptr;
  VIGIL_GL_REQUIRED(X)
  VIGIL_GL_OPTIONAL(X)
#undef X
};

using GlLoader = std::function<void *(const char *name)>;
// Throws Error::no_device, naming the function, when a required one is missing.
GlFunctions load_gl(const GlLoader &);

} // namespace vigil
