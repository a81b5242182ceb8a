#include "report/read/records.hpp"

namespace prof::read {
namespace {

class RecordReader {
 public:
  RecordReader(const Chunk& chunk, Bytes earlier, Bytes later, RawLog& log)
      : chunk_(chunk), earlier_(earlier), later_(later), log_(log) {}

  void run() {
    while (at_ + sizeof(std::uint64_t) <= chunk_.end) {
      const auto head = load<std::uint64_t>(later_, at_);
      if (head == 0) return;
      body_ = at_ + sizeof head;
      length_ = std::size_t{log::record_words(head)} * sizeof(std::uint64_t);
      if (length_ > chunk_.end - body_) {
        ++log_.damage.bad_records;
        return;
      }
      node_ = log::record_node(head);
      seen_earlier_ = load<std::uint64_t>(earlier_, at_) == head;
      record(log::record_class(head));
      at_ = body_ + length_;
    }
  }

 private:
  void record(log::RecordClass what) {
    using enum log::RecordClass;
    switch (what) {
      case Cpu:
        return plain(log_.cpu);
      case Calls:
        return plain(log_.calls);
      case Lines:
        return plain(log_.lines);
      case Copy:
        return plain(log_.copies);
      case Heap:
        return memory(log_.heap);
      case HeapOnce:
        return once(log_.heap);
      case HeapSizes:
        return plain(log_.heap.sizes);
      case HeapGrowth:
        return plain(log_.heap.growth);
      case Map:
        return memory(log_.maps);
      case MapGrowth:
        return plain(log_.maps.growth);
      case Python:
        return memory(log_.python);
      case PythonOnce:
        return once(log_.python);
      case PythonSizes:
        return plain(log_.python.sizes);
      case PythonGrowth:
        return plain(log_.python.growth);
      case Api:
        return plain(log_.api);
      case Device:
        return plain(log_.device);
      case Spread:
        return plain(log_.spreads);
      case Idle:
        return plain(log_.idle);
      case Range:
        return plain(log_.ranges);
      case Segment:
        return memory(log_.segments);
      case SegmentGrowth:
        return plain(log_.segments.growth);
      case Tensor:
        return memory(log_.tensors);
      case TensorGrowth:
        return plain(log_.tensors.growth);
      case Wait:
        return plain(log_.waits);
      case WaitTotal:
        return plain(log_.wait_totals);
      case File:
        return plain(log_.files);
      case Lock:
        return plain(log_.locks);
      case Operator:
        return plain(log_.operators);
      default:
        return;  // of a newer agent
    }
  }

  template <typename Words>
  Words later() const {
    return load<Words>(part(later_, body_, length_), 0);
  }
  template <typename Words>
  Words earlier() const {
    return seen_earlier_ ? load<Words>(part(earlier_, body_, length_), 0) : Words{};
  }
  template <typename Words>
  void add(std::vector<RawRecord<Words>>& to, const Words& words) const {
    to.push_back({node_, log::region_slot(chunk_.header.owner), words, chunk_.header.owner});
  }

  template <typename Words>
  void plain(std::vector<RawRecord<Words>>& to) const {
    add(to, later<Words>());
  }

  void memory(RawMemory& to) const {
    auto words = later<log::HeapWords>();
    const auto before = earlier<log::HeapWords>();
    words.freed_count = before.freed_count;
    words.freed_bytes = before.freed_bytes;
    words.temporary = before.temporary;
    words.short_lived = before.short_lived;
    add(to.words, words);
  }

  // A free that only the later copy has does not count as one, but it does tell that the block was there at the peak:
  // both are kept, see OnceRecord.
  void once(RawMemory& to) const {
    constexpr std::uint64_t kOfFree = log::kOnceTemporary | log::kOnceShortLived;
    OnceRecord record;
    record.words = later<log::HeapOnceWords>();
    if (record.words.epochs == 0) return;  // not written yet
    const auto before = earlier<log::HeapOnceWords>();
    record.words.bytes_flags = (record.words.bytes_flags & ~kOfFree) | (before.bytes_flags & kOfFree);
    record.freed = before.epochs >> 32 != 0;
    add(to.once, record);
  }

  const Chunk& chunk_;
  Bytes earlier_, later_;
  RawLog& log_;
  std::size_t at_ = chunk_.begin, body_ = 0, length_ = 0;
  std::uint32_t node_ = 0;
  bool seen_earlier_ = false;
};

}  // namespace

void read_records(const Chunk& chunk, Bytes earlier, Bytes later, RawLog& log) {
  RecordReader(chunk, earlier, later, log).run();
}

}  // namespace prof::read
