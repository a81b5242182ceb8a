#include "agent/files/path.hpp"

#include <cstring>

#include "agent/core/text.hpp"

namespace prof::files {
namespace {

// The first component, which `path` loses with the slashes around it; empty: there is none.
std::string_view take_component(std::string_view& path) {
  std::size_t begin = 0;
  while (begin < path.size() && path[begin] == '/') ++begin;
  const std::string_view rest = from(path, begin);
  const void* slash = rest.empty() ? nullptr : std::memchr(rest.data(), '/', rest.size());
  const std::size_t length =
      slash == nullptr ? rest.size() : static_cast<std::size_t>(static_cast<const char*>(slash) - rest.data());
  path = from(rest, length);
  return first(rest, length);
}

class Writer {
 public:
  Writer(char* to, std::size_t room) : to_(to), room_(room) {}
  void put(std::string_view text) {
    if (text.size() > room_ - size_) {
      full_ = true;
    } else if (!text.empty()) {
      std::memcpy(to_ + size_, text.data(), text.size());
      size_ += text.size();
    }
  }
  std::size_t size() const { return full_ ? 0 : size_; }
  bool empty() const { return size_ == 0 && !full_; }

 private:
  char* to_;
  std::size_t room_, size_ = 0;
  bool full_ = false;
};

}  // namespace

std::string_view directory_of(std::string_view path) {
  const void* slash = path.empty() ? nullptr : memrchr(path.data(), '/', path.size());
  if (slash == nullptr) return {};
  const auto at = static_cast<std::size_t>(static_cast<const char*>(slash) - path.data());
  return first(path, at > 0 ? at : 1);
}

std::size_t put_path(char* to, std::size_t room, std::string_view directory, bool real, std::string_view path) {
  const bool absolute = !path.empty() && path[0] == '/';
  if (absolute || directory == "/") directory = {};
  bool climbs = real || absolute;  // above the root there is nothing
  Writer text(to, room);
  bool begun = false;
  const auto begin = [&] {
    if (!begun) text.put(directory);
    begun = true;
  };
  for (std::string_view c = take_component(path); !c.empty(); c = take_component(path)) {
    if (c == ".") continue;
    if (c == ".." && climbs) {
      directory = directory_of(directory);
      if (directory == "/") directory = {};
      continue;
    }
    climbs = false;
    begin();
    text.put("/");
    text.put(c);
  }
  begin();
  if (text.empty()) text.put("/");
  return text.size();
}

}  // namespace prof::files
