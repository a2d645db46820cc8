// SPDX-License-Identifier: LGPL-2.1-or-later
// The background's bytes in 1/65536 grey levels, where adapting starts.
uniform sampler2D background;
layout(location = 0) out uvec4 exact;

void main() {
  exact = uvec4(uvec3(bytes_of(texelFetch(background, ivec2(gl_FragCoord.xy), 0))) << 16, 0u);
}
