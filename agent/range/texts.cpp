#include "agent/range/texts.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/core/text.hpp"

namespace prof::range {

struct Registered {
  std::uint32_t hash;
  std::uint32_t size;
  char text[256];
};

namespace {

constexpr std::uint32_t kMost = 4096;
constexpr std::uint32_t kSlots = 2 * kMost;

// Kept in forked children, whose libraries go on with the handles they were given.
struct Texts {
  std::atomic<std::uint32_t> used;
  std::atomic<const Registered*> slots[kSlots];
  Registered texts[kMost];
};
std::atomic<Texts*> g_texts{nullptr};

Texts* texts() {
  Texts* t = g_texts.load(std::memory_order_acquire);
  if (t != nullptr) return t;
  auto* made = static_cast<Texts*>(pages::map(sizeof(Texts), pages::InChild::Kept));
  if (made == nullptr) return nullptr;
  if (g_texts.compare_exchange_strong(t, made)) return made;
  pages::unmap(made, sizeof(Texts));
  return t;
}

std::uint32_t hash_of(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return static_cast<std::uint32_t>(h ^ h >> 32);
}

const Registered* make(Texts& all, std::string_view text, std::uint32_t hash) {
  const std::uint32_t n = all.used.fetch_add(1, std::memory_order_relaxed);
  if (n >= kMost) {
    all.used.store(kMost, std::memory_order_relaxed);
    return nullptr;
  }
  Registered& made = all.texts[n];
  made.hash = hash;
  made.size = static_cast<std::uint32_t>(text.size());
  std::memcpy(made.text, text.data(), text.size());
  return &made;
}

}  // namespace

const Registered* text_handle(std::string_view text) {
  Texts* all = texts();
  if (all == nullptr) return nullptr;
  text = first(text, sizeof(Registered::text) - 1);
  const std::uint32_t hash = hash_of(text);
  const Registered* made = nullptr;
  for (std::uint32_t i = hash;; ++i) {
    std::atomic<const Registered*>& slot = all->slots[i % kSlots];
    const Registered* there = slot.load(std::memory_order_acquire);
    if (there == nullptr) {
      if (made == nullptr) made = make(*all, text, hash);
      if (made == nullptr || slot.compare_exchange_strong(there, made)) return made;
    }
    if (there->hash == hash && text_of(there) == text) return there;
  }
}

std::string_view text_of(const void* handle) {
  const Texts* all = g_texts.load(std::memory_order_acquire);
  if (all == nullptr || handle == nullptr) return {};
  const auto at = reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(all->texts);
  if (at >= sizeof(all->texts) || at % sizeof(Registered) != 0) return {};
  const Registered& t = *static_cast<const Registered*>(handle);
  return {t.text, t.size};
}

std::string_view narrow(const wchar_t* wide, char* room, std::size_t bytes) {
  std::size_t n = 0;
  for (; wide != nullptr && *wide != L'\0'; ++wide) {
    auto c = static_cast<std::uint32_t>(*wide);  // NOLINT(bugprone-signed-char-misuse)
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
    const std::size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    if (n + 1 + more > bytes) break;
    constexpr std::uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
    room[n++] = static_cast<char>(kLead[more] | c >> (6 * more));
    for (std::size_t i = more; i-- > 0;) room[n++] = static_cast<char>(0x80 | (c >> (6 * i) & 0x3f));
  }
  return {room, n};
}

}  // namespace prof::range
