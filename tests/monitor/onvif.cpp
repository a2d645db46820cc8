// SPDX-License-Identifier: LGPL-2.1-or-later
// What is read of ONVIF devices: XML with its limits, SOAP, addresses, and which streams are chosen.
#include "common/error.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/onvif/address.h"
#include "tools/vigil-monitor/onvif/device.h"
#include "tools/vigil-monitor/onvif/discovery.h"
#include "tools/vigil-monitor/onvif/notices.h"
#include "tools/vigil-monitor/onvif/ptz.h"
#include "tools/vigil-monitor/onvif/ptz_orders.h"
#include "tools/vigil-monitor/onvif/soap.h"

#include <cctype>
#include <functional>
#include <string>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;

namespace {

std::string refused(const std::function<void()> &f) {
  try {
    f();
  } catch (const Error &e) {
    return e.what();
  }
  return "";
}

void xml() {
  const XmlElement e = read_xml("\xEF\xBB\xBF<?xml version='1.0'?><!-- c --><a:r xmlns:a='x' a:k='1 &amp; "
                                "2'> t <b><c><![CDATA[<&]]></c></b>"
                                "<b>second</b></a:r>");
  expect(e.name == "r" && e.text == "t" && e.attribute("k") == "1 & 2",
         "name, text, attribute without prefix");
  expect(e.text_of({"b", "c"}) == "<&" && e.find({"b", "none", "c"}) == nullptr, "paths");
  expect(e.text_of({"none"}).empty() && e.attribute("none").empty(), "what is not there");
  std::string deep, many = "<a>";
  for (int i = 0; i < 33; i++) deep += "<a>";
  for (int i = 0; i < 5000; i++) many += "<b/>";
  const std::string large = "<a>" + std::string(most_xml_bytes, 'x') + "</a>";
  for (const std::string &bad :
       {std::string(), std::string("x"), std::string("<a>"), std::string("<a></b>"), std::string("<a/><b"),
        std::string("<a>&unknown;</a>"), std::string("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>"),
        std::string("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>"), std::string("<a>\xff\xfe</a>"),
        std::string("<a>\0</a>", 8), deep, many + "</a>", large})
    expect(!refused([&] { read_xml(bad); }).empty(), "refused: " + bad.substr(0, 40));
  const XmlElement spaces = read_xml("<a xmlns='one' xmlns:p='two'><p:b xmlns:p='three'/><p:c/><d/></a>");
  expect(spaces.space == "one" && spaces.children[0].space == "three" && spaces.children[1].space == "two" &&
             spaces.children[2].space == "one",
         "namespaces, and where they end");
  expect(!refused([&] { read_xml("<a xmlns='" + std::string(1000, 'x') + "'/>"); }).empty(),
         "a namespace that each of thousands of elements would hold");
  std::string fits;
  for (int i = 0; i < 30; i++) fits = "<a>" + fits + "</a>";
  expect(refused([&] { read_xml(fits); }).empty(), "thirty levels are read");
}

void soap() {
  const std::string nonce = "\x2c\xa2\xb6\xa1\x7f\xf2\x0b\x4c";
  // printf abc2010-01-01T00:00:00Zx | openssl dgst -sha1 -binary | base64
  expect(password_digest("abc", "2010-01-01T00:00:00Z", "x") == "evVMHiMFnhXzurUI/5P7Pzsc6Xg=",
         "digest " + password_digest("abc", "2010-01-01T00:00:00Z", "x"));
  const std::string request = soap_request("<X/>", {"a<b", "secret"}, 0, nonce);
  expect(request.find("a&lt;b") != request.npos && request.find("secret") == request.npos,
         "user and no password");
  expect(request.find("1970-01-01T00:00:00Z") != request.npos && refused([&] { read_xml(request); }).empty(),
         "time, and good XML");
  expect(soap_request("<X/>", {}, 0, nonce).find("Security") == std::string::npos, "nobody signs in");
  const XmlElement fault = soap_body(
      "<e:Envelope "
      "xmlns:e='x'><e:Body><e:Fault><e:Code><e:Value>e:Sender</e:Value><e:Subcode><e:Value>ter:NotAuthorized"
      "</e:Value></e:Subcode></e:Code><e:Reason><e:Text>no</e:Text></e:Reason></e:Fault></e:Body></"
      "e:Envelope>");
  expect(fault_of(fault) == "no" && refuses_login(fault), "a fault");
  for (const char *bad :
       {"<a/>", "<e:Envelope xmlns:e='x'/>", "<e:Envelope xmlns:e='x'><e:Body/></e:Envelope>"})
    expect(!refused([&] { soap_body(bad); }).empty(), std::string("refused: ") + bad);
}

void addresses() {
  expect(device_address("10.0.0.5").url == "http://10.0.0.5/onvif/device_service", "a host alone");
  expect(device_address("Cam.local:8080").host == "cam.local", "small letters");
  expect(device_address("https://10.0.0.5/x").url == "https://10.0.0.5/x", "a whole address");
  const ServiceAddress with = parse_address("rtsp://u:p@[FE80::1]:554/a?b=c#d");
  expect(with.host == "fe80::1" && with.url.find("u:p") == std::string::npos,
         "without user and password: " + with.url);
  for (const char *bad : {"", "/x", "http://", "http:///x", "http://a b/", "http://a\r\nX: y/", "http://a\"/",
                          "rtsp://a/", "file:///x"})
    expect(!refused([&] { device_address(bad); }).empty(), std::string("refused: ") + bad);
  std::string with_password = with_credentials("rtsp://h/x", "u s", "a/b@c:d");
  for (char &c : with_password) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  expect(with_password == "rtsp://u%20s:a%2fb%40c%3ad@h/x", with_password);
  expect(with_credentials("rtsp://h/x", "", "") == "rtsp://h/x", "without a user");
  expect(credentials_in(with_credentials("http://h/x", "u s", "a/b@c:d")) ==
             std::pair<std::string, std::string>("u s", "a/b@c:d"),
         "user and password of an address, decoded");
  expect(credentials_in("http://h/x").first.empty(), "an address without a user");
}

void choice() {
  const auto profile = [](const char *codec, int width, int height, double fps = 25) {
    OnvifProfile p;
    p.token = p.codec = codec;
    p.width = width;
    p.height = height;
    p.fps = fps;
    return p;
  };
  const auto chosen = [](const std::vector<OnvifProfile> &all) {
    const ChosenProfiles c = choose_profiles(all);
    return std::to_string(c.record) + "," + std::to_string(c.detect);
  };
  expect(chosen({profile("H264", 640, 360), profile("H264", 1920, 1080)}) == "1,0", "main and sub");
  expect(chosen({profile("H264", 1920, 1080)}) == "0,0", "one");
  expect(chosen({profile("JPEG", 2592, 1944), profile("H265", 1280, 720), profile("H264", 320, 180)}) ==
             "1,1",
         "JPEG is not recorded, and 180 lines are too few");
  expect(chosen({profile("H264", 1280, 720, 5), profile("H264", 1280, 720, 25)}) == "1,1", "the faster one");
  expect(chosen({profile("JPEG", 640, 480), profile("JPEG", 320, 240)}) == "0,1",
         "JPEG where there is nothing else");
  expect(chosen({profile("H264", 0, 0), profile("H264", 0, 0)}) == "0,0", "no sizes");
}

void discovery() {
  const auto answer = [](const std::string &id, const std::string &addresses) {
    return "<e:Envelope xmlns:e='x'><e:Header><RelatesTo>" + id +
           "</RelatesTo></e:Header><e:Body><ProbeMatches><ProbeMatch><Scopes>onvif://www.onvif.org/name/"
           "A%20b%zz "
           "onvif://www.onvif.org/hardware/H%1b[31m</Scopes><XAddrs>" +
           addresses + "</XAddrs></ProbeMatch></ProbeMatches></e:Body></e:Envelope>";
  };
  const auto found =
      devices_in(answer("1", "https://10.0.0.5/s http://[fe80::1]/x http://10.0.0.5/d"), "10.0.0.5", "1");
  expect(found.size() == 1 && found[0].address == "http://10.0.0.5/d" && found[0].name == "A b%zz",
         "a device");
  expect(found[0].hardware.find('\x1b') == std::string::npos, "no control characters: " + found[0].hardware);
  expect(devices_in(answer("2", "http://10.0.0.5/d"), "10.0.0.5", "1").empty(),
         "an answer to another question");
  for (const char *bad : {"http://10.0.0.6/d", "http://10.0.0.5.evil/d", "http://10.0.0.5@10.0.0.6/d",
                          "ftp://10.0.0.5/", "", "x"})
    expect(!refused([&] { devices_in(answer("1", bad), "10.0.0.5", "1"); }).empty(),
           std::string("refused: ") + bad);
}

// What turns: profile, abilities, presets, and the words of a move.
void ptz() {
  const auto profile = ptz_profile(
      read_xml("<r><Profiles token='a'/><Profiles token='b&amp;&lt;'><PTZConfiguration><NodeToken>n"
               "</NodeToken><DefaultContinuousZoomVelocitySpace/></PTZConfiguration></Profiles></r>"));
  expect(profile && profile->token == "b&<" && profile->node == "n", "the profile that turns");
  expect(profile->abilities == PtzAbilities{false, true, false, 0}, "as far as the profile says");
  expect(!ptz_profile(read_xml("<r><Profiles token='a'/><Profiles><PTZConfiguration/></Profiles></r>")),
         "no profile that turns, or none with a name");
  const auto of_media2 = ptz_profile(
      read_xml("<r><Profiles token='s'><Configurations/></Profiles><Profiles token='m'><Configurations><PTZ>"
               "<NodeToken>n2</NodeToken><DefaultContinuousPanTiltVelocitySpace/></PTZ></Configurations>"
               "</Profiles></r>"));
  expect(of_media2 && of_media2->token == "m" && of_media2->node == "n2" && of_media2->abilities.pan_tilt,
         "the profile that turns, of Media2");
  const auto can = abilities_of(
      read_xml("<r><PTZNode><SupportedPTZSpaces><ContinuousPanTiltVelocitySpace/></SupportedPTZSpaces>"
               "<MaximumNumberOfPresets>99999999999</MaximumNumberOfPresets><HomeSupported>true"
               "</HomeSupported></PTZNode></r>"));
  expect(can && can->pan_tilt && !can->zoom && can->home && can->presets >= 0, "abilities");
  expect(!abilities_of(read_xml("<r/>")), "no node");
  std::string many;
  for (int i = 0; i < 500; i++) many += "<Preset token='t" + std::to_string(i) + "'/>";
  const auto presets = presets_of(
      read_xml("<r><Preset token='1'><Name>Ga\xc2\x9bte</Name></Preset><Preset token='../x'/><Preset/>"
               "<Preset token='a b'/><Preset token='..'/>" +
               many + "</r>"));
  expect(presets.size() == 256 && presets[0].token == "1" && presets[1].token == "t0",
         "presets: no more than 256, and none with a token that is no part of an address");
  expect(presets[0].name.find('\x9b') == std::string::npos && presets[1].name == "t0",
         "their names are fit to be shown: " + presets[0].name);
  const std::string move = move_request("b&<", {true, false, false, 0}, {0.5, -7, 1}, 2);
  const XmlElement read = read_xml(move);
  expect(read.text_of({"ProfileToken"}) == "b&<" && read.text_of({"Timeout"}) == "PT2S", move);
  const XmlElement *speed = read.find({"Velocity", "PanTilt"});
  expect(speed && speed->attribute("x") == "0.500" && speed->attribute("y") == "-1.000",
         "speeds within their range: " + move);
  expect(!read.find({"Velocity", "Zoom"}), "nothing that the camera cannot do");
}

// When a move is stopped, by a clock that the test sets.
void orders() {
  constexpr double never = -1;
  PtzOrders o;
  expect(!o.stop_at() && o.is_last(0), "nothing moves at first");
  const auto first = o.move(10);
  expect(o.stop_at().value_or(never) == 10 + PtzOrders::seconds_of_move && o.is_last(first),
         "a move has its end");
  const auto second = o.move(11);
  expect(!o.is_last(first) && o.stop_at().value_or(never) == 11 + PtzOrders::seconds_of_move,
         "the next move replaces it");
  o.stopped(first);
  expect(o.stop_at().has_value(), "a late answer to an older order stops nothing");
  const auto stop = o.stop(11.5);
  expect(!o.is_last(second) && o.stop_at().value_or(never) == 12.5, "a stop is tried again after a second");
  o.stopped(stop);
  expect(!o.stop_at(), "until the camera took it");
  expect(!o.is_last(stop) || o.stop(20) != stop, "each order has its own number");
  expect(!o.stop_at(), "a stop without a move is not tried again");
  o.move(30);
  int tried = 0;
  double now = 32;
  while (o.stop_at() && tried < 100) {
    const auto number = o.stop_again(now);
    if (!number) break;
    expect(o.is_last(*number) && o.stop_at().value_or(never) == now + 1, "the same order, a second later");
    tried++;
    now++;
  }
  expect(tried == 5 && !o.stop_at(), text("a device that never answers is asked five times, not ", tried));
  o.move(50);
  expect(o.stop_again(52).has_value(), "a new move has all its tries again");
  const auto before = o.travel();
  expect(before.value_or(never) == 53.0 && !o.stop_at(), "a way to a preset is not stopped");
  o.travel_failed(before);
  expect(o.stop_at().value_or(never) == 53.0, "but the move is when the camera did not go");
  o.travel();
  o.move(60);
  o.travel_failed(53.0);
  expect(o.stop_at().value_or(never) == 60 + PtzOrders::seconds_of_move,
         "a move that came meanwhile keeps its end");
}

// What a camera says of itself.
void notices() {
  const auto said = [](const std::string &topic, const std::string &data, const char *operation = "Changed") {
    return "<NotificationMessage><Topic>" + topic +
           "</Topic><Message><Message UtcTime='1970-01-01T00:00:00Z' PropertyOperation='" + operation +
           "'><Source><SimpleItem Name='S' Value='3'/></Source><Data>" + data +
           "</Data></Message></Message></NotificationMessage>";
  };
  const auto item = [](const char *name, const char *value) {
    return std::string("<SimpleItem Name='") + name + "' Value='" + value + "'/>";
  };
  const auto words = [](const std::string &messages) {
    std::string out;
    for (const DeviceNotice &n : notices_of(read_xml("<r>" + messages + "</r>")))
      out += n.label + (n.state == DeviceNotice::State::on    ? "+"
                        : n.state == DeviceNotice::State::off ? "-"
                                                              : "!");
    return out;
  };
  const auto one = [&](const std::string &topic, const std::string &data, const char *operation = "Changed") {
    return words(said(topic, data, operation));
  };
  expect(one("tns1:VideoSource/MotionAlarm", item("State", "true")) == "device-motion+", "motion begins");
  expect(one("tns1:RuleEngine/CellMotionDetector/Motion", item("IsMotion", "0")) == "device-motion-", "ends");
  expect(one("tns1:RuleEngine/TamperDetector/Tamper", item("IsTamper", "true")) == "device-tamper+",
         "tamper");
  expect(one("tns1:Device/Trigger/DigitalInput", item("LogicalState", "1")) == "device-input+", "input");
  expect(one("tns1:RuleEngine/LineDetector/Crossed", item("ObjectId", "1")) == "device-line!", "a line");
  expect(one("tns1:VideoSource/MotionAlarm", item("State", "true"), "Deleted") == "device-motion-", "gone");
  expect(one("tns1:VideoSource/MotionAlarm", item("State", "true"), "Initialized") == "device-motion+",
         "what goes on when it is asked");
  expect(one("tns1:RuleEngine/LineDetector/Crossed", "", "Initialized").empty(), "nothing that happens now");
  for (const char *other :
       {"tns1:Device/HardwareFailure/Fan", "MotionAlarms", "", "///", "x:MotionAlarmer/z"})
    expect(one(other, item("State", "true")).empty(), std::string("another topic: ") + other);
  expect(words("<NotificationMessage/><NotificationMessage><Topic>MotionAlarm</Topic></NotificationMessage>"
               "<NotificationMessage><Message><Message/></Message></NotificationMessage>")
             .empty(),
         "messages without a topic or a message");
  std::string many;
  for (int i = 0; i < 200; i++) many += said("MotionAlarm", item("State", "true"));
  expect(notices_of(read_xml("<r>" + many + "</r>")).size() == most_notices, "no more than 64");
  const std::string headers = reference_headers(read_xml(
      "<r><ReferenceParameters><p:Id xmlns:p='urn:&lt;&quot;'>a&lt;b</p:Id></ReferenceParameters></r>"));
  const XmlElement back = read_xml("<h>" + headers + "</h>");
  expect(back.children.size() == 1 && back.children[0].name == "Id" && back.children[0].text == "a<b" &&
             back.children[0].space == "urn:<\"" &&
             back.children[0].attribute("IsReferenceParameter") == "true",
         "what a camera wants back: " + headers);
  expect(soap_request("<X/>", {}, 0, "n", headers).find("<s:Header>" + headers) != std::string::npos,
         "headers without a user");
}

} // namespace

int main() {
  return test::run_cases("monitor onvif", {{"xml", xml},
                                           {"soap", soap},
                                           {"addresses", addresses},
                                           {"choice", choice},
                                           {"discovery", discovery},
                                           {"ptz", ptz},
                                           {"orders", orders},
                                           {"notices", notices}});
}
