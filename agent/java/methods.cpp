#include "agent/java/methods.hpp"

#include <string_view>

#include "agent/core/hash_tree.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/text.hpp"
#include "agent/java/given.hpp"
#include "agent/java/line_table.hpp"
#include "agent/java/names.hpp"
#include "agent/jit/names.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/made_inlines.hpp"

namespace prof::java {
namespace {

using abi::Tools;

// Tokens of methods, by their lines. No VM gives the number of a method to another one, whatever becomes of it.
PROF_WIPED constinit pages::Wiped<HashTree> g_known{};

std::uint64_t hash_of(abi::Method method, std::uint32_t line) {
  return (reinterpret_cast<std::uintptr_t>(method) + 1) * 0x9e3779b97f4a7c15ULL ^ line * 0xd6e8feb86659fd93ULL;
}

std::string_view text_of(const Given<char>& given) { return given.it != nullptr ? given.it : std::string_view(); }

struct Described {
  Text<512> name, source;
  std::uint32_t line = 0;
};

// The line of the first bytecode that has one; 0: not known.
std::uint32_t first_line(Tools* tools, abi::Method method) {
  const LineTable lines(tools, method);
  return lines.first();
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

std::uint64_t frame_of(Tools* tools, abi::Method method) {
  std::uint64_t word = 0;
  if (made_inlines::frame_of(g_known.value.find(hash_of(method, 0)), word)) return word;
  Described d;
  describe(tools, method, d);
  const HookGuard guard;
  if (!guard || !log::ensure_created()) return 0;
  word = jit::method_frame_of(guard, d.name.view(), d.source.view(), d.line);
  if (const std::uint32_t token = made_inlines::token_of(word); token != 0)
    g_known.value.insert(hash_of(method, 0), token);
  return word;
}

std::uint32_t token_of(Tools* tools, abi::Method method, std::uint32_t line) {
  if (const std::uint32_t known = g_known.value.find(hash_of(method, line)); known != 0) return known;
  // The VM is not asked for what there is no room for.
  if (made_inlines::is_full()) return g_known.value.find(hash_of(method, 0));
  const std::uint64_t word = frame_of(tools, method);
  if (word == 0 || line == 0) return g_known.value.find(hash_of(method, 0));
  const HookGuard guard;
  const std::uint32_t token = guard ? made_inlines::token_of(jit::at_line(word, line), made_inlines::Of::Line) : 0;
  if (token == 0) return g_known.value.find(hash_of(method, 0));
  g_known.value.insert(hash_of(method, line), token);
  return token;
}

void prepare_methods() { pages::wipe_in_child(g_known); }

}  // namespace prof::java
