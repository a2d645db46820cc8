// SPDX-License-Identifier: LGPL-2.1-or-later
#include "media.h"

#include "common/error.h"

#include <algorithm>

namespace vigil::monitor {
namespace {

const XmlElement *configuration_of(const XmlElement &profile, const char *in_media, const char *in_media2) {
  const XmlElement *found = profile.child(in_media);
  return found ? found : profile.find({"Configurations", in_media2});
}

bool lists_any(const XmlElement &answer) {
  return std::any_of(answer.children.begin(), answer.children.end(),
                     [](const XmlElement &p) { return p.name == "Profiles" && video_of_profile(p); });
}

} // namespace

const XmlElement *video_of_profile(const XmlElement &profile) {
  return configuration_of(profile, "VideoEncoderConfiguration", "VideoEncoder");
}

const XmlElement *ptz_of_profile(const XmlElement &profile) {
  return configuration_of(profile, "PTZConfiguration", "PTZ");
}

OnvifMedia::OnvifMedia(OnvifClient &client, OnvifServices &services)
    : client_(client), media_(services.find(media_service)), media2_(services.find(media2_service)) {}

XmlElement OnvifMedia::profiles() {
  if (media2_) {
    try {
      XmlElement answer =
          client_.ask(*media2_, vigil::text("<GetProfiles xmlns=\"", media2_service.space,
                                            "\"><Type>VideoEncoder</Type><Type>PTZ</Type></GetProfiles>"));
      if (!media_ || lists_any(answer)) return answer;
    } catch (const Error &e) {
      if (!media_ || e.kind() != Error::Kind::bad_data) throw;
    }
    media2_.reset();
  }
  return client_.ask(*media_, vigil::text("<GetProfiles xmlns=\"", media_service.space, "\"/>"));
}

std::string OnvifMedia::stream_uri(const std::string &token) {
  const std::string profile = vigil::text("<ProfileToken>", xml_escaped(token), "</ProfileToken>");
  if (media2_)
    return client_
        .ask(*media2_, vigil::text("<GetStreamUri xmlns=\"", media2_service.space,
                                   "\"><Protocol>RTSP</Protocol>", profile, "</GetStreamUri>"))
        .text_of({"Uri"});
  return client_
      .ask(*media_,
           vigil::text("<GetStreamUri xmlns=\"", media_service.space,
                       "\"><StreamSetup><Stream xmlns=\"http://www.onvif.org/ver10/schema\">RTP-Unicast"
                       "</Stream><Transport xmlns=\"http://www.onvif.org/ver10/schema\"><Protocol>RTSP"
                       "</Protocol></Transport></StreamSetup>",
                       profile, "</GetStreamUri>"))
      .text_of({"MediaUri", "Uri"});
}

} // namespace vigil::monitor
