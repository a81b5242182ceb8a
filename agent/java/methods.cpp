#include "agent/java/methods.hpp"

#include <string_view>

#include "agent/core/hash_tree.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/text.hpp"
#include "agent/java/names.hpp"
#include "agent/jit/names.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/made_inlines.hpp"

namespace prof::java {
namespace {

using abi::Tools;

// Their tokens. No VM gives the number of a method to another one, whatever becomes of it.
PROF_WIPED constinit pages::Wiped<HashTree> g_known{};

// Memory that the VM gave.
template <class T>
class Given {
 public:
  explicit Given(Tools* tools) : tools_(tools) {}
  ~Given() {
    if (it != nullptr) abi::call<abi::Deallocate>(tools_, abi::kDeallocate, static_cast<void*>(it));
  }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  T* it = nullptr;

 private:
  Tools* const tools_;
};

std::string_view text_of(const Given<char>& given) { return given.it != nullptr ? given.it : std::string_view(); }

struct Described {
  Text<512> name, source;
  std::uint32_t line = 0;
};

// The line of the first bytecode that has one; 0: not known.
std::uint32_t first_line(Tools* tools, abi::Method method) {
  Given<abi::LineNumber> lines(tools);
  std::int32_t count = 0;
  if (abi::call<abi::GetLineNumberTable>(tools, abi::kGetLineNumberTable, method, &count, &lines.it) != abi::kNone)
    return 0;
  const abi::LineNumber* first = nullptr;
  for (std::int32_t i = 0; i < count; ++i) {
    if (first == nullptr || lines.it[i].start < first->start) first = &lines.it[i];
  }
  return first != nullptr && first->line > 0 ? static_cast<std::uint32_t>(first->line) : 0;
}

void describe(Tools* tools, abi::Method method, Described& d) {
  const RealCall nested;  // what the VM allocates for us is not the program's
  Given<char> name(tools), signature(tools), file(tools);
  abi::Class of = nullptr;
  if (abi::call<abi::GetMethodName>(tools, abi::kGetMethodName, method, &name.it, static_cast<char**>(nullptr),
                                    static_cast<char**>(nullptr)) != abi::kNone ||
      abi::call<abi::GetMethodDeclaringClass>(tools, abi::kGetMethodDeclaringClass, method, &of) != abi::kNone ||
      abi::call<abi::GetClassSignature>(tools, abi::kGetClassSignature, of, &signature.it,
                                        static_cast<char**>(nullptr)) != abi::kNone)
    return;
  write_method(d.name, text_of(signature), text_of(name));
  abi::call<abi::GetSourceFileName>(tools, abi::kGetSourceFileName, of, &file.it);
  write_source(d.source, text_of(signature), text_of(file));
  d.line = first_line(tools, method);
}

}  // namespace

MethodFrame frame_of(Tools* tools, abi::Method method) {
  const std::uint64_t hash = (reinterpret_cast<std::uintptr_t>(method) + 1) * 0x9e3779b97f4a7c15ULL;
  MethodFrame known{0, g_known.value.find(hash)};
  if (known.token != 0 && made_inlines::frame_of(known.token, known.word)) return known;
  Described d;
  describe(tools, method, d);
  const HookGuard guard;
  if (!guard || !log::ensure_created()) return {0, 0};
  const std::uint64_t word = jit::frame_of(guard, d.name.view(), d.source.view(), d.line);
  const std::uint32_t token = made_inlines::token_of(word);
  if (token != 0) g_known.value.insert(hash, token);
  return {word, token};
}

void prepare_methods() { pages::wipe_in_child(g_known); }

}  // namespace prof::java
