// SPDX-License-Identifier: LGPL-2.1-or-later
#include "reference.h"

#include "config.h"
#include "text.h"
#include "yaml.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace vigil::monitor {

namespace {

struct KeyReference {
  std::string_view path;     // describes the keys below it, too, that have no entry of their own
  std::string_view values;   // empty: as the reader says
  std::string_view standard; // the default; empty: none is worth saying
  std::string_view meaning;
};

constexpr KeyReference table[] = {
    {"http.listen", "ADDRESS:PORT", "127.0.0.1:8090",
     "An address that others can reach needs tokens. 0.0.0.0 and [::] are all addresses."},
    {"http.token_file", "file", "`token` in the storage folder",
     "[Tokens](monitor.md#tokens-and-sessions). It is made when it is missing."},
    {"http.local", "`none`, `view`, `admin`", "",
     "Role of requests from [this machine](monitor.md#this-machine)."},
    {"http.certificate", "PEM file", "none", "TLS. Needs `key`."},
    {"http.key", "PEM file", "none", "Private key of the certificate."},
    {"http.hosts", "list of names", "none", "Names under which browsers may call this server."},
    {"http.framed", "", "false",
     "Pages of the same address, as those of Home Assistant, may show this page inside them."},
    {"http.webrtc.enabled", "", "true", "[Live picture by WebRTC](live-stream.md#webrtc)."},
    {"http.webrtc.ports", "FIRST-LAST", "any",
     "UDP ports of live pictures, for a firewall: one for each viewer."},
    {"http.webrtc.stun", "HOST:PORT", "none",
     "Server that says this machine's outer address, and learns when views begin."},
    {"http.webrtc.turn", "HOST:PORT", "none",
     "[Server that relays](../how-to/remote-access.md#live-picture-from-outside) where no direct way is "
     "open."},
    {"http.webrtc.turn_user", "text", "required with `turn`", "User of the TURN server."},
    {"http.webrtc.turn_password", "text", "required with `turn`", "Password of that user."},

    {"rtsp.listen", "ADDRESS:PORT", "required",
     "Cameras and their findings by [RTSP](monitor.md#rtsp). Without the section there is no RTSP server."},
    {"rtsp.max_clients", "", "16", "Connections at a time. Further ones are refused."},

    {"mqtt.host", "name or address", "required", "The broker. Without the section there is no MQTT."},
    {"mqtt.port", "", "1883, with `tls: true` 8883", "Port of the broker."},
    {"mqtt.user", "text", "none", "User name, for the broker only."},
    {"mqtt.password", "text", "none", "Password, for the broker only."},
    {"mqtt.tls", "", "true with `ca_file`", "Encryption."},
    {"mqtt.ca_file", "file", "none", "Authorities for the certificate of the broker."},
    {"mqtt.commands", "", "true with `user`", "Whether [orders](mqtt.md#orders) are obeyed."},
    {"mqtt.topic_prefix", "text", "`vigil`",
     "First part of each topic: not empty, at most 64 characters, no `#`, `+` or space."},
    {"mqtt.node", "1 to 32 of A-Z a-z 0-9 _ -", "name of the host", "Name of this program at the broker."},
    {"mqtt.discovery", "", "true", "Announce devices to Home Assistant."},

    {"webhook.url", "http:// or https://", "none", "Address that gets [events](mqtt.md#webhook) by POST."},

    {"notify.ITEM.ntfy.server", "http:// or https://", "`https://ntfy.sh`",
     "The [ntfy](https://ntfy.sh) server."},
    {"notify.ITEM.ntfy.topic", "1 to 64 of A-Z a-z 0-9 _ -", "required",
     "Anyone who knows the topic of a public server reads the messages."},
    {"notify.ITEM.ntfy.token", "text", "none", "An access token of the server."},
    {"notify.ITEM.ntfy.ca_file", "file", "those of the system",
     "Authorities for the certificate of the server."},
    {"notify.ITEM.email.host", "name", "required", "The mail server."},
    {"notify.ITEM.email.port", "", "by `tls`: 587, 465 or 25", "Port of the mail server."},
    {"notify.ITEM.email.tls", "`starttls`, `tls`, `none`", "`starttls`",
     "Nothing is sent to a server without the encryption that is set here."},
    {"notify.ITEM.email.ca_file", "file", "those of the system",
     "Authorities for the certificate of the server."},
    {"notify.ITEM.email.user", "text", "none", "Name to sign in with."},
    {"notify.ITEM.email.password", "text", "none",
     "Password to sign in with. Only with TLS, or on this machine."},
    {"notify.ITEM.email.from", "mail address", "required", "Sender."},
    {"notify.ITEM.email.to", "mail address, or a list", "required", "Receivers."},
    {"notify.ITEM.cameras", "list of names", "all", "Events of these cameras."},
    {"notify.ITEM.labels", "list of names", "all",
     "Events of these causes, or with one of these [labels](monitor.md#labels)."},
    {"notify.ITEM.zones", "list of names", "all", "Only events that enter one of these zones, once they do."},
    {"notify.ITEM.quiet_hours", "`\"HH:MM-HH:MM\"`", "none",
     "No messages, by the time zone of this machine. Events of that time are left out."},
    {"notify.ITEM.min_interval", "", "60",
     "Seconds between two messages. Higher: fewer messages of more events."},

    {"push.enabled", "", "true",
     "Whether people may order [messages to a browser or phone](monitor.md#messages-to-a-browser-or-phone) "
     "on the page."},
    {"push.contact", "`mailto:` or https:// address", "the page's address",
     "Whom the operators of push services may ask about these messages."},
    {"push.ca_file", "file", "those of the system", "Authorities for the certificates of push services."},
    {"push.private_addresses", "", "false",
     "Whether a push service, or the proxy to it, may have an address that is not public."},

    {"detector.model", "ONNX file", "required",
     "[Detector](../how-to/detector.md): a network that looks at crops of tracks. None is shipped."},
    {"detector.layout", "`classes`, `fastestdet`, `yolov5`, `yolov8`", "`fastestdet`", "What the output is."},
    {"detector.size", "16..2048, or WxH", "352", "Input of the model in pixels."},
    {"detector.colours", "`rgb`, `bgr`", "`rgb`", "Their order in the input."},
    {"detector.classes", "file, or list of names", "required", "Classes of the model, in its order."},
    {"detector.labels", "label by class", "all, by their names", "Other classes are left out."},
    {"detector.threshold", "", "0.5", "Least score. Higher: fewer and surer names."},
    {"detector.rate", "", "2", "Crops a second of each camera at most. Higher: more processor time."},

    {"labels.codebook", "", "false",
     "Keep a small picture with each taught example, and [learn from them each night](monitor.md#labels)."},
    {"labels.hour", "0..23", "3", "The hour of that, by the time zone of this machine."},

    {"roles.viewer.cameras", "list of names", "all",
     "Cameras that [users](monitor.md#users) of this role see, if they have no list of their own."},
    {"roles.operator.cameras", "list of names", "all",
     "The same for operators. Administrators and tokens see all cameras."},

    {"storage.path", "folder", "", "Where [events and clips](monitor.md#disk) are kept."},
    {"storage.max_size", "size as `200GB`", "no limit",
     "Largest size of clips and recordings here, without previews, exports and database."},
    {"storage.min_free", "size", "1GB", "Free space that retention keeps on the disk."},
    {"storage.cold.path", "folder", "none",
     "A second, larger and slower folder that [older recordings](monitor.md#a-second-folder) are moved to."},
    {"storage.cold.days", "", "1", "Age at which a recording moves. Higher: more stays on the faster disk."},
    {"storage.cold.max_size", "size", "no limit", "Largest size of recordings in the second folder."},
    {"storage.cold.min_free", "size", "1GB", "Free space that retention keeps on the second disk."},

    {"exports.days", "", "7",
     "How long [exports](monitor.md#exports) are kept after they ended. 0: no limit."},

    {"record.enabled", "", "true", "Record clips, and all with `continuous`."},
    {"record.pre_capture", "", "5", "Seconds before the event. Higher: more context, more memory."},
    {"record.post_capture", "", "5",
     "Seconds after the event. New motion meanwhile extends the event. Higher: fewer and longer events."},
    {"record.max_clip", "", "60", "Seconds. A longer event continues as the next one."},
    {"record.retain.days", "", "14", "Age at which events are deleted. 0: no limit."},
    {"record.events.days", "", "", "The same as `retain: {days}`. Give one of them."},
    {"record.continuous.days", "", "not recorded",
     "[Record all day](monitor.md#recording-all-day) and keep it so long. 0: no limit."},
    {"record.continuous.enabled", "", "true", "At a camera: takes back the `continuous` of all cameras."},
    {"record.motion.days", "", "as `continuous`",
     "Age of recordings that overlap events, where it is more. 0: no limit."},
    {"record.audio", "", "true", "Record the sound of `rtsp://` cameras, if it is AAC, Opus or G.711."},

    {"presets.NAME", "properties by element", "", "A set of properties. Cameras use it by `preset: NAME`."},

    {"cameras.NAME.source", "text, or `{record, detect}`", "required",
     "[Address, file, device or elements](monitor.md#source), or [two streams](monitor.md#two-streams)."},
    {"cameras.NAME.title", "1 to 64 characters", "the name", "What people read in the place of the name."},
    {"cameras.NAME.onvif.address", "http:// address", "none",
     "[ONVIF service](monitor.md#turning-a-camera) that turns the camera, with user and password."},
    {"cameras.NAME.onvif.events", "", "false",
     "Make events of what [the camera finds](monitor.md#the-cameras-own-events)."},
    {"cameras.NAME.enabled", "", "true", "Connect the camera."},
    {"cameras.NAME.motion", "", "true", "Make events of motion."},
    {"cameras.NAME.loop", "", "true", "A file begins again at its end."},
    {"cameras.NAME.talk", "true, false, rtsp:// or rtsps:// address", "true",
     "Whether operators may [speak to the camera](monitor.md#talking): by its back channel, or by ANNOUNCE "
     "to "
     "an address."},
    {"cameras.NAME.preset", "name", "none", "A set of `presets`."},
    {"cameras.NAME.live.height", "", "360", "Lines of the pictures on the wall."},
    {"cameras.NAME.live.fps", "", "5", "Pictures a second on the wall."},
    {"cameras.NAME.live.sound", "", "as `record.audio`",
     "Ask an `rtsp://` camera for its sound, to be heard live."},
    {"cameras.NAME.detect.enabled", "", "true",
     "`false`: the camera [only records](monitor.md#cameras-that-only-record)."},
    {"cameras.NAME.detect.height", "`half`, `full`, 90..2160", "`half`",
     "[Size of the analysed pictures](monitor.md#size-of-the-analysed-pictures)."},
    {"cameras.NAME.detect.fps", "`all`, `keys`, 0.5..240", "5",
     "[Rate of the analysed pictures](monitor.md#rate-of-the-analysed-pictures)."},
    {"cameras.NAME.detector", "", "true with `detector`", "Use the detector for this camera."},
    {"cameras.NAME.max_pixels", "", "35389440 (8192x4320)", "A larger picture is refused."},
    {"cameras.NAME.record", "as above", "", "Overrides `record` for this camera."},
    {"cameras.NAME.zones.NAME.coordinates", "coordinates", "required",
     "A polygon in which tracks are counted."},
    {"cameras.NAME.zones.NAME.loiter_seconds", "", "0: never",
     "Seconds after which a track in the zone is an event."},
    {"cameras.NAME.zones.NAME.labels", "list of names", "all",
     "Only tracks with one of these [labels](monitor.md#labels) count."},
    {"cameras.NAME.lines.NAME.coordinates", "coordinates", "required",
     "A line at which crossings are counted."},
    {"cameras.NAME.lines.NAME.direction", "`both`, `in`, `out`", "`both`", "Which crossings are counted."},
    {"cameras.NAME.lines.NAME.labels", "list of names", "all", "As those of a zone."},
    {"cameras.NAME.masks.NAME.coordinates", "coordinates", "required",
     "A polygon in which nothing is looked for."},
    {"cameras.NAME.unmasked.NAME.coordinates", "coordinates", "required", "Not proposed as a mask."},
    {"cameras.NAME.privacy.polygons.NAME.coordinates", "coordinates", "required",
     "A polygon that is [neither recorded nor shown](monitor.md#privacy)."},
    {"cameras.NAME.privacy.silhouettes", "`true`, `false`", "`false`",
     "[What moves](monitor.md#silhouettes) is covered. All pictures are analysed then."},
    {"cameras.NAME.privacy.uncovered_for", "list of roles", "none",
     "`viewer`, `operator`, `admin`: who sees live pictures [uncovered](monitor.md#privacy)."},
    {"cameras.NAME.privacy.fill", "`black`, `pixelate`", "`black`", "What stands there instead."},
    {"cameras.NAME.clbilateral", "properties", "",
     "Properties of the element. Naming an element puts it into the chain."},
    {"cameras.NAME.cudamog", "properties", "", "The same."},
    {"cameras.NAME.boxtrack", "properties", "", "The same."},
    {"cameras.NAME.tracklabel", "properties", "", "The same."},
    {"cameras.NAME.boxrules", "properties", "", "The same."},
    {"cameras.NAME.gpufisher", "properties", "", "The same."},
};

bool describes(std::string_view path, std::string_view key) {
  return key == path || (key.starts_with(path) && key[path.size()] == '.');
}

} // namespace

nlohmann::json configuration_reference() {
  const std::vector<KeyDescription> keys = configuration_keys();
  for (const KeyDescription &key : keys)
    if (std::none_of(std::begin(table), std::end(table),
                     [&](const KeyReference &r) { return describes(r.path, key.path); }))
      throw std::logic_error(text(
          "the key ", key.path, " has no entry in config/reference.cpp; add its default and meaning there"));
  auto rows = nlohmann::json::array();
  for (const KeyReference &r : table) {
    const auto key =
        std::find_if(keys.begin(), keys.end(), [&](const auto &k) { return describes(r.path, k.path); });
    if (key == keys.end())
      throw std::logic_error(
          text("config/reference.cpp describes ", r.path, ", which no reader takes; remove it"));
    rows.push_back({{"path", r.path},
                    {"values", r.values.empty() ? std::string_view(key->values) : r.values},
                    {"default", r.standard},
                    {"meaning", r.meaning}});
  }
  return rows;
}

} // namespace vigil::monitor
