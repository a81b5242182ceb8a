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

void Parts::begin(Backward& backward, std::uint64_t now) {
  backward.began.store(0, std::memory_order_relaxed);
  sum_ = {};
  began_ = from_ = now;
  operators_ns_ = taken_ns_ = taken_backward_ns_ = 0;
  if (depth_ == 0) part_ = StepPart::Other;
  backward_ = seen_ = false;
}

const log::StepFigures& Parts::end(Backward& backward, std::uint64_t now) {
  settle(backward, now);
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

log::StepFigures Parts::so_far(Backward& backward, std::uint64_t now) {
  settle(backward, now);
  log::StepFigures figures = sum_;
  figures.parts_ns[static_cast<std::uint32_t>(without_backward())] += operators_ns_;
  return figures;
}

void Parts::enter(Scope scope, Backward& backward, std::uint64_t now) {
  if (scope != Scope::Data) seen_ = true;
  if (depth_ > 0) {
    ++depth_;
    return;
  }
  settle(backward, now);
  // Gradients are often set to zero between the forward and the backward operators.
  // What was before the first batch was no evaluation.
  if (scope == Scope::Data) resolve(loader_ ? without_backward() : StepPart::Other);
  if (scope == Scope::Optimizer) resolve(backward_ ? StepPart::Optimizer : StepPart::Forward);
  part_ = scope == Scope::Data ? StepPart::Data : StepPart::Optimizer;
  depth_ = 1;
}

void Parts::leave(Scope scope, Backward& backward, std::uint64_t now) {
  if (depth_ == 0) return;
  if (depth_ == 1) {
    settle(backward, now);
    part_ = StepPart::Other;
    if (scope == Scope::Data) batch_ = loader_ = true;
    if (scope == Scope::Optimizer) batch_ = false;
    if (scope != Scope::ZeroGrad) backward_ = false;
  }
  --depth_;
}

bool Parts::operator_begins(bool collective, Backward& backward, std::uint64_t now) {
  seen_ = true;
  if (depth_ > 0) return false;
  settle(backward, now);
  part_ = collective ? StepPart::Communication : StepPart::Forward;
  return collective;
}

void Parts::took(StepPart part, const Backward& backward, std::uint64_t began, std::uint64_t ended) {
  if (depth_ > 0 && part_ == StepPart::Data) return;
  if (began < from_) began = from_;
  if (ended <= began || part == part_) return;
  sum_of(part) += ended - began;
  last_taken_ = part;
  (backward.began.load(std::memory_order_relaxed) != 0 ? taken_backward_ns_ : taken_ns_) += ended - began;
}

void Parts::waited_outside(const Backward& backward, std::uint64_t began, std::uint64_t ended) {
  if (depth_ == 0 && part_ == StepPart::Forward && backward.began.load(std::memory_order_relaxed) == 0)
    took(StepPart::Other, backward, began, ended);
}

void Parts::waited(log::WaitClass what, std::uint64_t ns) { sum_.blocked_ns[static_cast<std::uint32_t>(what)] += ns; }

void Parts::spend(StepPart part, std::uint64_t ns) {
  if (part == StepPart::Forward)
    operators_ns_ += ns;
  else
    sum_of(part) += ns;
}

// All until now is given to a part. Where backward operators ran meanwhile, what was before them was for them.
void Parts::settle(Backward& backward, std::uint64_t now) {
  if (now < from_) now = from_;
  std::uint64_t began = backward.began.exchange(0, std::memory_order_relaxed);
  // Optimizer.step(closure) has forward and backward operators inside.
  const bool closure = depth_ > 0 && part_ == StepPart::Optimizer;
  if (began == 0 || (depth_ > 0 && !closure)) {
    taken_ns_ += taken_backward_ns_;
    spend(part_, less(now - from_, taken_ns_));
  } else {
    std::uint64_t ended = backward.ended.load(std::memory_order_relaxed);
    began = began < from_ ? from_ : began > now ? now : began;
    ended = ended < began ? began : ended > now ? now : ended;
    spend(closure ? StepPart::Forward : part_, less(began - from_, taken_ns_));
    resolve(StepPart::Forward);
    taken_ns_ += taken_backward_ns_;
    spend(StepPart::Backward, less(ended - began, taken_ns_));
    if (!closure) part_ = StepPart::Other;
    spend(part_, less(now - ended, taken_ns_));
    batch_ = false;
    backward_ = seen_ = true;
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
