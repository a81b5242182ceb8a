#include "agent/ops/operator_cache.hpp"

#include <cstring>

#include "agent/core/text.hpp"
#include "agent/log/conditions.hpp"
#include "agent/ops/flops.hpp"
#include "agent/ops/links.hpp"
#include "agent/ops/names.hpp"
#include "agent/tree/context.hpp"
#include "agent/tree/names.hpp"

namespace prof::ops {
namespace {

constexpr std::size_t kLongestScope = 4000;

// The names are PyTorch's, some of them made for the one call: they are known by what stands in them. With 64 bits of
// hash no two of the few thousand that a program has are taken for one another.
class Hash {
 public:
  explicit Hash(std::uint64_t seed) : h_(seed * 0x9e3779b97f4a7c15ULL) {}
  void mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(h_ ^ a ^ 0x9e3779b97f4a7c15ULL) * (b ^ 0xe7037ed1a0b428dbULL);
    h_ = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  void mix(std::string_view text) {
    const char* at = text.data();
    std::size_t left = text.size();
    h_ ^= left * 0x8ebc6af09c88c6e3ULL;
    for (; left > 16; left -= 16, at += 16) mix(load<std::uint64_t>(at), load<std::uint64_t>(at + 8));
    // The last bytes with some before them once more, where there are any: with the size that says the same.
    const char* const end = at + left;
    if (text.size() >= 16) return mix(load<std::uint64_t>(end - 16), load<std::uint64_t>(end - 8));
    if (left >= 8) return mix(load<std::uint64_t>(at), load<std::uint64_t>(end - 8));
    if (left >= 4) return mix(load<std::uint32_t>(at), load<std::uint32_t>(end - 4));
    std::uint64_t word = 0;
    for (; at != end; ++at) word = word << 8 | static_cast<unsigned char>(*at);
    mix(word, 0);
  }
  // The sizes of a tensor, or none.
  void mix(const std::int64_t* begin, const std::int64_t* end) {
    const auto size = [&] { return begin != end ? static_cast<std::uint64_t>(*begin++) : 0; };
    const auto count = static_cast<std::uint64_t>(end - begin);
    mix(count, size());
    while (begin != end) {
      const std::uint64_t first = size();
      mix(first, size());
    }
  }
  void mix(Inputs& inputs) {
    Hash quick = *this;
    if (inputs.each([&quick](const std::int64_t* begin, const std::int64_t* end) { quick.mix(begin, end); })) {
      *this = quick;
      return;
    }
    const Sizes& sizes = inputs.sizes();
    for (const Vector<std::int64_t>* input = sizes.begin; input != sizes.end; ++input) mix(input->begin, input->end);
  }
  std::uint64_t value() const { return h_ | 1; }

 private:
  template <class T>
  static T load(const char* at) {
    T word;
    std::memcpy(&word, at, sizeof(word));
    return word;
  }

  std::uint64_t h_;
};

[[gnu::noinline]] bool learn(const Guard& guard, Scope scope, const RecordFunction* function, std::string_view name,
                             Inputs* shaped, std::uint32_t parent, std::uint64_t key, CachedOperator& known) {
  if (scope == Scope::Function) Numbers::learn(common.torch, function);
  ShapesText shapes;
  if (shaped != nullptr) write_shapes(shaped->sizes(), shapes);
  char room[kLongestScope + 1];
  if (scope == Scope::User) name = without_number(first(name, kLongestScope), room);
  const std::uint64_t frame = frame_of(guard, scope, name, shapes.view());
  if (frame == 0) return false;
  if (parent == 0) {
    constexpr auto root = static_cast<std::uint64_t>(log::SpecialFrame::Operators);
    parent = tree::child_of(guard, 0, log::frame_word(log::FrameKind::Special, root));
  }
  const std::uint32_t node = parent != 0 ? tree::child_of(guard, parent, frame) : 0;
  if (node == 0) {
    count_loss(log::Loss::TreeFull);
    return false;
  }
  auto* words = reinterpret_cast<log::OperatorWords*>(
      tree::record_of(guard, node, log::RecordClass::Operator, log::kOperatorWordCount));
  if (words == nullptr) return false;
  known = {key,
           words,
           frame,
           node,
           scope == Scope::Function && !Inputs::refused(name) ? formula_of(name) : Formula::None,
           steps::role_of(name, scope == Scope::User, scope == Scope::BackwardFunction),
           known.next,
           known.next_name};
  return true;
}

// The operator with this key; what comes next is fetched into the cache meanwhile, as far as it can be foreseen.
inline const CachedOperator* find(const Guard& guard, Thread& mine, Scope scope, const RecordFunction* function,
                                  std::string_view name, Inputs* shaped, std::uint32_t parent, std::uint64_t key) {
  // Two places for each, so that two that take turns do not drive each other out.
  std::uint32_t at = key >> 40 & (kCachedOperators - 1);
  if (mine.cache[at].key != key) [[unlikely]] {
    if (mine.cache[at ^ 1].key == key || mine.cache[at].key != 0) at ^= 1;
    if (mine.cache[at].key != key && !learn(guard, scope, function, name, shaped, parent, key, mine.cache[at]))
      return nullptr;
  }
  CachedOperator& before = mine.cache[mine.last];
  if (before.next != at || before.next_name != name.data()) {
    before.next = static_cast<std::uint16_t>(at);
    before.next_name = name.data();
  }
  mine.last = at;
  const CachedOperator& known = mine.cache[at];
  __builtin_prefetch(known.next_name);
  __builtin_prefetch(&mine.cache[known.next]);
  __builtin_prefetch(&known.words->calls, 1);
  __builtin_prefetch(&known.words->max_ns, 1);
  return &known;
}

inline Hash hash_of(Scope scope, std::string_view name, std::uint32_t parent) {
  Hash hash(std::uint64_t{parent} << 8 | static_cast<std::uint64_t>(scope));
  hash.mix(name);
  return hash;
}

}  // namespace

const CachedOperator* cached_operator(const Guard& guard, Thread& mine, Scope scope, const RecordFunction* function,
                                      std::uint32_t parent) {
  const std::string_view name = common.torch.name_of(function);
  return find(guard, mine, scope, function, name, nullptr, parent, hash_of(scope, name, parent).value());
}

const CachedOperator* cached_operator(const Guard& guard, Thread& mine, Scope scope, Inputs& inputs, bool shapes,
                                      std::uint32_t parent) {
  const std::string_view name = common.torch.name_of(inputs.function());
  Hash hash = hash_of(scope, name, parent);
  Inputs* shaped = shapes && scope != Scope::User && !Inputs::refused(name) ? &inputs : nullptr;
  if (shaped != nullptr) hash.mix(*shaped);
  return find(guard, mine, scope, inputs.function(), name, shaped, parent, hash.value());
}

}  // namespace prof::ops
