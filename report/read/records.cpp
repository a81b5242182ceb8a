#include "report/read/records.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>
#include <utility>

#include "report/read/frees.hpp"
#include "report/read/one_block.hpp"

namespace prof::read {
namespace {

struct Record {
  std::uint32_t node, region;
  const Layout* layout;
  Bytes later, earlier;  // its words; of `earlier` none where that copy does not have it yet

  template <typename Words>
  Words words(Bytes from) const {
    return layout == nullptr ? load<Words>(from, 0) : layout->words<Words>(from);
  }
  template <typename Words>
  Words earlier_words() const {
    return earlier.empty() ? Words{} : words<Words>(earlier);
  }
  template <typename Words>
  void add_to(std::vector<RawRecord<Words>>& to, const Words& its) const {
    to.push_back({node, log::region_slot(region), its, region});
  }
};

// Where records of a class go in the raw log: a member of it, and maybe a member of that.
template <auto... where>
using Goal = std::remove_reference_t<decltype((std::declval<RawLog&>().*....*where))>;
template <typename Records>
using WordsOf = decltype(Records::value_type::words);

template <auto... where>
void read_plain(const Record& record, RawLog& log) {
  using Words = WordsOf<Goal<where...>>;
  record.add_to((log.*....*where), record.words<Words>(record.later));
}

template <auto memory>
void read_memory(const Record& record, RawLog& log) {
  auto words = record.words<log::HeapWords>(record.later);
  take_frees(words, record.earlier_words<log::HeapWords>());
  record.add_to((log.*memory).words, words);
}

template <auto memory>
void read_once(const Record& record, RawLog& log) {
  OnceRecord once;
  once.words = record.words<log::HeapOnceWords>(record.later);
  if (once.words.epochs == 0) return;  // not written yet
  take_frees(once, record.earlier_words<log::HeapOnceWords>());
  record.add_to((log.*memory).once, once);
}

template <auto memory>
void read_block(const Record& record, RawLog& log) {
  const auto once_of = [](const log::BlockWords& words) {
    return once_words(static_cast<std::uint32_t>(words.block >> 32), static_cast<std::uint32_t>(words.block));
  };
  const auto words = record.words<log::BlockWords>(record.later);
  if (words.block == 0) return;  // not written yet
  OnceRecord once;
  once.words = once_of(words);
  take_frees(once, once_of(record.earlier_words<log::BlockWords>()));
  record.add_to((log.*memory).once, once);
}

using Read = void (*)(const Record&, RawLog&);

struct ReadClass {
  log::RecordClass id;
  std::size_t bytes;  // of the words that are read
  Read read;
};

template <auto... where>
constexpr ReadClass plain(log::RecordClass id) {
  return {id, sizeof(WordsOf<Goal<where...>>), read_plain<where...>};
}
template <auto where>
constexpr ReadClass memory(log::RecordClass id) {
  return {id, sizeof(log::HeapWords), read_memory<where>};
}
template <auto where>
constexpr ReadClass once(log::RecordClass id) {
  return {id, sizeof(log::HeapOnceWords), read_once<where>};
}

template <auto where>
constexpr ReadClass block(log::RecordClass id) {
  return {id, sizeof(log::BlockWords), read_block<where>};
}

using R = log::RecordClass;
constexpr ReadClass kClasses[] = {
    plain<&RawLog::cpu>(R::Cpu),
    memory<&RawLog::heap>(R::Heap),
    memory<&RawLog::maps>(R::Map),
    plain<&RawLog::calls>(R::Calls),
    plain<&RawLog::lines>(R::Lines),
    once<&RawLog::heap>(R::HeapOnce),
    plain<&RawLog::heap, &RawMemory::sizes>(R::HeapSizes),
    plain<&RawLog::heap, &RawMemory::growth>(R::HeapGrowth),
    plain<&RawLog::copies>(R::Copy),
    memory<&RawLog::python>(R::Python),
    once<&RawLog::python>(R::PythonOnce),
    plain<&RawLog::python, &RawMemory::sizes>(R::PythonSizes),
    plain<&RawLog::python, &RawMemory::growth>(R::PythonGrowth),
    plain<&RawLog::maps, &RawMemory::growth>(R::MapGrowth),
    plain<&RawLog::api>(R::Api),
    plain<&RawLog::device>(R::Device),
    plain<&RawLog::spreads>(R::Spread),
    plain<&RawLog::idle>(R::Idle),
    plain<&RawLog::ranges>(R::Range),
    memory<&RawLog::segments>(R::Segment),
    plain<&RawLog::segments, &RawMemory::growth>(R::SegmentGrowth),
    memory<&RawLog::tensors>(R::Tensor),
    plain<&RawLog::tensors, &RawMemory::growth>(R::TensorGrowth),
    plain<&RawLog::waits>(R::Wait),
    plain<&RawLog::wait_totals>(R::WaitTotal),
    plain<&RawLog::files>(R::File),
    plain<&RawLog::locks>(R::Lock),
    plain<&RawLog::operators>(R::Operator),
    block<&RawLog::heap>(R::HeapBlock),
    block<&RawLog::python>(R::PythonBlock),
    plain<&RawLog::holds>(R::Hold),
};
static_assert(std::equal(std::begin(kClasses), std::end(kClasses), std::begin(log::kRecordFields),
                         std::end(log::kRecordFields),
                         [](const ReadClass& read, const log::RecordFields& fields) {
                           const log::Field& last = fields.fields.back();
                           return read.id == fields.id && read.bytes == last.offset + last.bytes;
                         }),
              "each class of the contract is read, in its order, as the words it has there");

// By class; null: one of a newer agent.
constexpr std::array<Read, 256> kRead = [] {
  std::array<Read, 256> by_class{};
  for (const ReadClass& it : kClasses) by_class[static_cast<std::size_t>(it.id)] = it.read;
  return by_class;
}();

}  // namespace

void read_records(const Chunk& chunk, const Schema& schema, Bytes earlier, Bytes later, RawLog& log) {
  for (std::size_t at = chunk.begin; at + sizeof(std::uint64_t) <= chunk.end;) {
    const auto head = load<std::uint64_t>(later, at);
    if (head == 0) return;
    const std::size_t body = at + sizeof head;
    const std::size_t length = std::size_t{log::record_words(head)} * sizeof(std::uint64_t);
    if (length > chunk.end - body) {
      ++log.damage.bad_records;
      return;
    }
    const log::RecordClass what = log::record_class(head);
    if (const Read read = kRead[static_cast<std::size_t>(what)]) {
      const bool seen_earlier = load<std::uint64_t>(earlier, at) == head;
      read({log::record_node(head), chunk.header.owner, schema.layout(what), part(later, body, length),
            seen_earlier ? part(earlier, body, length) : Bytes{}},
           log);
    }
    at = body + length;
  }
}

}  // namespace prof::read
