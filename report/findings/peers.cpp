#include "report/findings/peers.hpp"

#include <algorithm>
#include <string_view>

#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"

namespace prof::findings {
namespace {

// What a process was seen to do with sockets.
struct Talk {
  bool accepts = false, connects = false, sends = false;
  bool names = false;  // of its sockets are known, and:
  bool tells = false;  // sends by one that is no accepted one, and is connected
};

Talk talk_of(const model::Process& process) {
  constexpr std::string_view kSends[] = {"send", "write", "pwrite"};
  Talk out;
  // Of all calls: single ones, however short, have no context.
  for (const auto& row : process.tree.wait_totals) {
    if (model::wait_class_of(process, row.frame) != log::WaitClass::Network) continue;
    const std::string& call = process.names[process.tree.frames[row.frame].name].name;
    out.accepts |= call.starts_with("accept");
    out.connects |= call == "connect";
    out.sends |= begins_with_any(call, kSends);
  }
  for (const auto& row : process.tree.files) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (name >= process.names.size()) continue;  // of a damaged log
    const model::Name& socket = process.names[name];
    if (socket.group != "socket" || socket.name == "socket") continue;
    out.names = true;
    // Datagrams by one that is connected to nobody are answers as often as questions.
    const bool to_anybody = socket.name.starts_with("udp *") || socket.name.ends_with("(not connected)") ||
                            socket.name.ends_with("(accepted)");
    out.tells |= row.metric.writes > 0 && !to_anybody;
  }
  return out;
}

}  // namespace

bool accepts_connections(const Evidence& evidence, std::size_t process) {
  return talk_of(evidence.run().processes[process]).accepts;
}

bool asks_peers(const Evidence& evidence, std::size_t process) {
  const Talk talk = talk_of(evidence.run().processes[process]);
  return talk.connects || (talk.names ? talk.tells : talk.sends && !talk.accepts);
}

}  // namespace prof::findings
