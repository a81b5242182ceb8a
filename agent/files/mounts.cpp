// The file systems that files lie on: written once into the log, when a call on a file has got a context. A process
// that has hardly waited for files need not tell what they lie on, and reading the list takes longer than it lived,
// perhaps.
#include <cstring>

#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/files/mounts.hpp"
#include "agent/files/state.hpp"
#include "agent/log/info.hpp"

namespace prof::files {
namespace {

// Of /proc/self/mountinfo, and of what is written.
constexpr std::size_t kMost = 32 << 10;
PROF_WIPED constinit pages::Wiped<std::atomic<bool>> g_noted{};

std::string_view take_word(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && text[n] != ' ') ++n;
  const std::string_view word = first(text, n);
  text = from(text, n + 1);
  return word;
}

}  // namespace

// "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue": the optional fields end with "-".
bool put_mount(TextBuilder& text, std::string_view line) {
  for (int skipped = 0; skipped < 4; ++skipped) take_word(line);
  const std::string_view path = take_word(line);
  while (!line.empty() && take_word(line) != "-") {
  }
  const std::string_view type = take_word(line), source = take_word(line);
  if (path.empty() || path[0] != '/' || type.empty()) return false;
  text << path << ' ' << type << ' ' << (source.empty() ? "none" : source) << '\n';
  return !text.cut();
}

void note_mounts(const Guard&) {
  if (g_noted.value.load(std::memory_order_relaxed) || g_noted.value.exchange(true, std::memory_order_relaxed)) return;
  auto* room = static_cast<char*>(pages::map(2 * kMost, pages::InChild::Gone));
  if (room == nullptr) return;
  std::string_view all(room, helper_thread::slurp("/proc/self/mountinfo", room, kMost));
  TextBuilder text(room + kMost, kMost);
  std::size_t whole = 0;  // of the text, in lines
  while (!all.empty()) {
    const auto* end = static_cast<const char*>(std::memchr(all.data(), '\n', all.size()));
    if (end == nullptr) break;  // cut off
    const auto length = static_cast<std::size_t>(end - all.data());
    if (put_mount(text, first(all, length))) whole = text.size();
    if (text.cut()) break;
    all = from(all, length + 1);
  }
  log::append_info(log::InfoKey::Mounts, {room + kMost, whole});
  pages::unmap(room, 2 * kMost);
}

void prepare_mounts() { pages::wipe_in_child(g_noted); }

}  // namespace prof::files
