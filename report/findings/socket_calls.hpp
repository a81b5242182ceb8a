// Calls of libc's that receive from sockets or send by them; of another class they move something else.
#pragma once

#include <array>
#include <string_view>

namespace prof::findings {

using SocketCalls = std::array<std::string_view, 6>;
inline constexpr SocketCalls kReceives = {"recv", "recvfrom", "recvmsg", "read", "readv", "recvmmsg"};
inline constexpr SocketCalls kSends = {"send", "sendto", "sendmsg", "write", "writev", "sendmmsg"};

}  // namespace prof::findings
