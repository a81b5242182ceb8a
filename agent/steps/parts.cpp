#include "agent/steps/parts.hpp"

namespace prof::steps {
namespace {

// What is left of `ns` without what was `taken` of it.
std::uint64_t less(std::uint64_t ns, std::uint64_t& taken) {
  const std::uint64_t cut = taken < ns ? taken : ns;
  taken -= cut;
  return ns - cut;
}

}  // namespace

void Parts::begin(OperatorTimes& times, std::uint64_t now) {
  times.backward_began.store(0, std::memory_order_relaxed);
  sum_ = {};
  began_ = from_ = now;
  operators_ns_ = taken_ns_ = taken_backward_ns_ = 0;
  if (depth_ == 0) part_ = StepPart::Other;
  backward_ = seen_ = learned_ = false;
}

const log::StepFigures& Parts::end(OperatorTimes& times, std::uint64_t now) {
  settle(times, now);
  resolve(without_backward());
  std::uint64_t& taken = sum_of(last_taken_);  // more was taken than there was
  taken -= taken_ns_ < taken ? taken_ns_ : taken;
  taken_ns_ = 0;
  std::uint64_t known = 0;
  for (const std::uint64_t ns : sum_.parts_ns) known += ns;
  const std::uint64_t all = from_ > began_ ? from_ - began_ : 0;
  if (all > known) sum_of(StepPart::Other) += all - known;
  return sum_;
}

log::StepFigures Parts::so_far(OperatorTimes& times, std::uint64_t now) {
  settle(times, now);
  log::StepFigures figures = sum_;
  figures.parts_ns[static_cast<std::uint32_t>(without_backward())] += operators_ns_;
  return figures;
}

void Parts::enter(Scope scope, OperatorTimes& times, std::uint64_t now) {
  if (scope != Scope::Data) seen_ = true;
  if (depth_ > 0) {
    ++depth_;
    return;
  }
  settle(times, now);
  // Gradients are often set to zero between the forward and the backward operators.
  // What was before the first batch was no evaluation.
  if (scope == Scope::Data) resolve(loader_ ? without_backward() : StepPart::Other);
  if (scope == Scope::Optimizer) resolve(backward_ ? StepPart::Optimizer : StepPart::Forward);
  part_ = scope == Scope::Data ? StepPart::Data : StepPart::Optimizer;
  depth_ = 1;
}

void Parts::leave(Scope scope, OperatorTimes& times, std::uint64_t now) {
  if (depth_ == 0) return;
  if (depth_ == 1) {
    settle(times, now);
    part_ = StepPart::Other;
    if (scope == Scope::Data) batch_ = loader_ = true;
    if (scope == Scope::Optimizer) batch_ = false;
    if (scope != Scope::ZeroGrad) backward_ = false;
  }
  --depth_;
}

bool Parts::operator_begins(bool collective, OperatorTimes& times, std::uint64_t now) {
  seen_ = true;
  if (depth_ > 0) return false;
  settle(times, now);
  part_ = collective ? StepPart::Communication : StepPart::Forward;
  return collective;
}

void Parts::took(StepPart part, const OperatorTimes& times, std::uint64_t began, std::uint64_t ended) {
  if (depth_ > 0 && part_ == StepPart::Data) return;
  if (began < from_) began = from_;
  if (ended <= began) return;
  count_in_gap(times, began, ended);
  if (part == part_) return;
  sum_of(part) += ended - began;
  last_taken_ = part;
  (times.backward_began.load(std::memory_order_relaxed) != 0 ? taken_backward_ns_ : taken_ns_) += ended - began;
}

void Parts::waited_outside(const OperatorTimes& times, std::uint64_t began, std::uint64_t ended) {
  if (depth_ == 0 && part_ == StepPart::Forward && times.backward_began.load(std::memory_order_relaxed) == 0)
    took(StepPart::Other, times, began, ended);
}

void Parts::waited_for_operators(const OperatorTimes& times, std::uint64_t began, std::uint64_t ended) {
  count_in_gap(times, began, ended);
}

void Parts::waited(log::WaitClass what, std::uint64_t ns) { sum_.blocked_ns[static_cast<std::uint32_t>(what)] += ns; }

void Parts::spend(StepPart part, std::uint64_t ns) {
  if (part == StepPart::Forward)
    operators_ns_ += ns;
  else
    sum_of(part) += ns;
}

void Parts::count_in_gap(const OperatorTimes& times, std::uint64_t began, std::uint64_t ended) {
  const std::uint64_t last = times.last_ended.load(std::memory_order_relaxed);
  if (last == 0 || began < last) return;
  if (gap_ != last) gap_ns_ = 0;
  gap_ = last;
  gap_ns_ += ended - began;
}

// No operator ran from the last one's end until now, or until backward ones began.
void Parts::take_gap(const OperatorTimes& times, std::uint64_t until) {
  const std::uint64_t last = times.last_ended.load(std::memory_order_relaxed);
  if (depth_ > 0 || part_ != StepPart::Forward || last == 0 || until < last || until - last < kPauseNs) return;
  const std::uint64_t known = gap_ == last ? gap_ns_ : 0, from = last < from_ ? from_ : last;
  if (until <= from || until - from <= known) return;
  sum_of(StepPart::Other) += until - from - known;
  last_taken_ = StepPart::Other;
  taken_ns_ += until - from - known;
}

// Where backward operators ran meanwhile, what was before them was for them.
void Parts::settle(OperatorTimes& times, std::uint64_t now) {
  if (now < from_) now = from_;
  std::uint64_t began = times.backward_began.exchange(0, std::memory_order_relaxed);
  take_gap(times, began != 0 && began < now ? began : now);
  // Optimizer.step(closure) has forward and backward operators inside.
  const bool closure = depth_ > 0 && part_ == StepPart::Optimizer;
  if (began == 0 || (depth_ > 0 && !closure)) {
    taken_ns_ += taken_backward_ns_;
    spend(part_, less(now - from_, taken_ns_));
  } else {
    std::uint64_t ended = times.backward_ended.load(std::memory_order_relaxed);
    began = began < from_ ? from_ : began > now ? now : began;
    ended = ended < began ? began : ended > now ? now : ended;
    spend(closure ? StepPart::Forward : part_, less(began - from_, taken_ns_));
    resolve(StepPart::Forward);
    taken_ns_ += taken_backward_ns_;
    spend(StepPart::Backward, less(ended - began, taken_ns_));
    if (!closure) part_ = StepPart::Other;
    spend(part_, less(now - ended, taken_ns_));
    batch_ = false;
    backward_ = seen_ = learned_ = true;
  }
  taken_backward_ns_ = 0;
  from_ = now;
}

void Parts::resolve(StepPart part) {
  sum_of(part) += operators_ns_;
  operators_ns_ = 0;
}

// What operators were for that no backward ones followed: a batch that nothing is learned from, or what a loop does
// between two batches.
StepPart Parts::without_backward() const {
  return batch_ || (!loader_ && !backward_) ? StepPart::Evaluation : StepPart::Other;
}

}  // namespace prof::steps
