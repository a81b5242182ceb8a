// Why one file could not be read as a log.
#pragma once

#include <stdexcept>
#include <string>

namespace prof::read {

enum class Fault {
  Empty,         // the magic is not stored: the process was killed before its log began. No error of the run
  Unreadable,    // the system refused; or no regular file
  NotALog,       // something else is in the file
  OtherOrder,    // written on a machine of the other byte order
  OtherVersion,  // of a major version that this program does not know
  Truncated,     // ends within the header
  BadHeader,     // the header contradicts itself
};

// what() says what is wrong, without the path.
class LogError : public std::runtime_error {
 public:
  LogError(Fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace prof::read
