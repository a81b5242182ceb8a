// A small library with all that libraries have: where module_fuzzer starts.
#include <cstdio>
#include <string>
#include <vector>

namespace sample {
namespace {

struct Counter {
  static int made;
  template <typename T>
  int add(const T& value) {
    sum += static_cast<int>(value);
    return [this](int more) { return sum + more; }(3);
  }
  int sum = 0;
};
int Counter::made = 7;

}  // namespace

std::vector<std::string> words(int count) {
  std::vector<std::string> out;
  Counter counter;
  for (int i = 0; i < count; ++i) out.push_back(std::to_string(counter.add(i) + counter.add(0.5 * i) + Counter::made));
  return out;
}

class Shape {
 public:
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
class Square : public Shape {
 public:
  explicit Square(double side) : side_(side) {}
  double area() const override { return side_ * side_; }

 private:
  double side_;
};

}  // namespace sample

extern "C" int sample_total(int count) {
  const sample::Square square(count);
  const sample::Shape& shape = square;
  std::puts(sample::words(count).front().c_str());
  return static_cast<int>(shape.area());
}
