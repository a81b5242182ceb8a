// Modules of PyTorch: from the frames of stacks to a tree, a table and JSON.
#include "report/fold/training/modules.hpp"

#include <nlohmann/json.hpp>

#include "report/fold/line_tree.hpp"
#include "report/fold/training/module_path.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/json_modules.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/loaded_run.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using fold::ModuleNode;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr const char* kModulePy = "/venv/site-packages/torch/nn/modules/module.py";

// A stack in words: "main:10 call Net.forward:5 call Linear.forward:7 native", "call" being Module.__call__.
class ModulesRun : public test::LoadedRun {
 public:
  ModulesRun() {
    log_.thread(0).flags = log::kThreadMain;
    log_.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    work_ = log_.module("/nowhere/libwork.so");
  }

  // Functions of 2.x's and 1.13's ways to a forward(); others are in /app/net.py.
  std::uint32_t stack(const std::vector<std::pair<std::string, std::uint32_t>>& frames, std::uint32_t above = 0) {
    std::uint32_t node = above;
    for (const auto& [name, line] : frames) {
      if (name == "native") {
        node = log_.node(node, log_.native(work_, line));
        continue;
      }
      const bool call = name.find("_call_impl") != std::string::npos;
      const auto [found, is_new] = codes_.try_emplace(name);
      if (is_new) {
        const std::size_t dot = name.rfind('.');
        found->second = log_.code(dot == std::string::npos ? name : name.substr(dot + 1), name,
                                  call ? kModulePy : "/app/net.py", 1);
      }
      node = log_.node(node, log_.python_line(found->second, line));
    }
    return node;
  }
  void cpu(std::uint32_t node, std::uint64_t ms) { log_.cpu(node, 1, ms * kMs); }

  void load() { LoadedRun::load(log_); }
  fold::Modules modules() const { return fold::module_tree(run, fold::line_tree(run, symbols, selection), selection); }

  test::LogBuilder& log() { return log_; }

 private:
  test::LogBuilder log_;
  std::uint32_t work_ = 0;
  std::map<std::string, std::uint32_t> codes_;
};

// Two convolutions on lines of their own, each by a Sequential's loop; 1.13's way in, and 2.x's with hooks.
struct Net : ModulesRun {
  Net() {
    cpu(stack({{"main", 10}}), 5);
    cpu(stack({{"main", 10}, {"Module._call_impl", 1}, {"make.<locals>.Net.forward", 20}}), 2);
    const std::vector<std::pair<std::string, std::uint32_t>> in_net{
        {"main", 10}, {"Module._call_impl", 1}, {"make.<locals>.Net.forward", 21}};
    const auto in_sequential = [&](std::vector<std::pair<std::string, std::uint32_t>> more) {
      auto frames = in_net;
      frames.insert(frames.end(), {{"Module._wrapped_call_impl", 2},
                                   {"Module._call_impl", 3},
                                   {"Module._call_impl.<locals>.inner", 4},
                                   {"Sequential.forward", 30}});
      frames.insert(frames.end(), more.begin(), more.end());
      return stack(frames);
    };
    const std::uint32_t conv =
        in_sequential({{"Module._call_impl", 1}, {"Conv2d.forward", 40}, {"Conv2d._conv_forward", 50}, {"native", 9}});
    cpu(conv, 30);
    cpu(in_sequential({{"Module._call_impl", 1}, {"Conv2d.forward", 41}, {"native", 8}}), 10);
    cpu(in_sequential({{"Module._call_impl", 1}, {"wrapper", 3}, {"ReLU.forward", 60}, {"relu", 61}}), 4);
    cpu(in_sequential({{"Module._call_impl", 5}}), 1);
    auto line22 = in_net;
    line22.back().second = 22;
    line22.insert(line22.end(), {{"Module._call_impl", 1}, {"Conv2d.forward", 40}});
    cpu(stack(line22), 3);
    // Not called as a module: a part of what calls it.
    line22.back() = {"Helper.step", 70};
    line22.push_back({"Loss.forward", 71});
    line22.erase(line22.end() - 3);
    cpu(stack(line22), 6);
    log::DeviceWords work{1, 7 * kMs, 7 * kMs, 7 * kMs, 0, 0};
    log().record(log::RecordClass::Device,
                 log().node(log().node(conv, log().named(log::NameKind::Api, "cudaLaunchKernel", "CUDA runtime")),
                            log().named(log::NameKind::Kernel, "gemm")),
                 work);
    log().info(log::InfoKey::Cuda, "state=active");
    load();
  }
};

const ModuleNode& at(const fold::Modules& modules, const std::vector<std::string>& path, std::uint32_t line,
                     const symbols::Symbols& symbols) {
  for (std::uint32_t i = 1; i < modules.nodes.size(); ++i) {
    const ModuleNode& node = modules.nodes[i];
    if (fold::path_of(modules, i) == path && symbols.location(node.called_from).line == line) return node;
  }
  FAIL("no such module");
  return modules.nodes.front();
}

}  // namespace

TEST_CASE("modules are found by the forward() that nn.Module calls, and told apart by the line that calls them") {
  const Net net;
  const fold::Modules modules = net.modules();
  const auto ms = [](std::int64_t ns) { return ns / static_cast<std::int64_t>(kMs); };
  CHECK(modules.nodes.size() == 6);
  CHECK(ms(modules.nodes[0].total.cpu.ns) == 61);
  CHECK(ms(modules.nodes[0].self.cpu.ns) == 5);
  const ModuleNode& outer = at(modules, {"Net"}, 10, net.symbols);
  CHECK(ms(outer.total.cpu.ns) == 56);
  CHECK(ms(outer.self.cpu.ns) == 8);  // its own 2, and the 6 of what it calls without __call__
  const ModuleNode& sequential = at(modules, {"Net", "Sequential"}, 21, net.symbols);
  CHECK(ms(sequential.total.cpu.ns) == 45);
  CHECK(ms(sequential.self.cpu.ns) == 1);
  const ModuleNode& conv = at(modules, {"Net", "Sequential", "Conv2d"}, 30, net.symbols);
  CHECK(ms(conv.self.cpu.ns) == 40);
  CHECK(conv.self.gpu.get().work.ns == 7 * 1'000'000);
  CHECK(ms(at(modules, {"Net", "Sequential", "ReLU"}, 30, net.symbols).self.cpu.ns) == 4);
  CHECK(ms(at(modules, {"Net", "Conv2d"}, 22, net.symbols).self.cpu.ns) == 3);
  CHECK(modules.nodes[0].total.gpu.get().work.ns == 7 * 1'000'000);
}

TEST_CASE("modules are found whatever frames are shown, and chosen as stacks are") {
  Net net;
  net.selection.fold.frames = fold::Frames::Native;
  CHECK(net.modules().nodes.size() == 6);
  net.selection.focus = fold::Pattern("ReLU");
  const fold::Modules modules = net.modules();
  CHECK(modules.nodes.size() == 4);
  CHECK(modules.nodes[0].total.cpu.ns == 4 * 1'000'000);
}

TEST_CASE("modules view: a tree by time, small branches left out and said so") {
  const Net net;
  const show::Sheet sheet = test::sheet_of("modules", net.subject(), {});
  const auto name = [&](std::size_t row) { return std::get<std::string>(sheet.rows.at(row).cells.at(15)); };
  REQUIRE(sheet.rows.size() == 6);
  CHECK(name(1) == "Net");
  CHECK(name(2) == "  Sequential");
  CHECK(name(3) == "    Conv2d");
  CHECK(name(4) == "    ReLU");
  CHECK(name(5) == "  Conv2d");
  const std::string text = show::table(sheet, show::Terminal{});
  CHECK(text.find("net.py:21") != std::string::npos);
  CHECK(text.find("GPU total") != std::string::npos);
  const show::Sheet pruned = test::sheet_of("modules", net.subject(), {.min_percent = 20});
  CHECK(pruned.rows.size() == 4);
  CHECK(pruned.notes.front().find("2 branches below 20 %") == 0);
  const std::string csv = formats::csv(test::sheet_of("modules", net.subject(), {.everything = true}));
  CHECK(csv.find("Net > Sequential > Conv2d,/app/net.py,1,/app/net.py,30") != std::string::npos);
  CHECK(std::get<std::string>(
            test::sheet_of("modules", net.subject(), {.sort = show::SortKey::Name}).rows.at(2).cells.at(15)) ==
        "  Conv2d");
  const auto json = formats::modules_json(net.subject());
  REQUIRE(json.size() == 5);
  const auto conv = std::find_if(json.begin(), json.end(), [](const auto& node) {
    return node["path"] == formats::Json::parse(R"(["Net", "Sequential", "Conv2d"])");
  });
  REQUIRE(conv != json.end());
  CHECK((*conv)["cpu_s"] == Approx(0.04));
  CHECK((*conv)["gpu_s"] == Approx(0.007));
  CHECK((*conv)["called_from"]["function"] == "Sequential.forward");
  CHECK((*conv)["called_from"]["line"] == 30);
}

TEST_CASE("modules view says why it is empty") {
  const test::SmallRun none;
  CHECK(test::sheet_of("modules", none.subject(), {}).rows.empty());
  CHECK(test::sheet_of("modules", none.subject(), {}).captions.front().find("No module was seen") == 0);
  CHECK(formats::modules_json(none.subject()).is_null());
}

// Catches backward functions that are counted with what is inside them twice, or in the module that runs them.
TEST_CASE("modules: what backward functions took for the operators that a module called") {
  ModulesRun run;
  run.cpu(run.stack({{"main", 1}, {"Module._call_impl", 1}, {"Net.forward", 2}}), 1);
  test::LogBuilder& log = run.log();
  const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::Operators));
  const auto op = [&](std::uint32_t parent, const char* name, const char* kind, std::uint64_t ms,
                      std::uint64_t nested_ms, std::uint64_t unlinked = 0) {
    const std::uint32_t node = log.node(parent, log.named(log::NameKind::Operator, name, kind));
    log::OperatorWords words{};
    words.calls = 1;
    words.total_ns = ms * kMs;
    words.nested_ns = nested_ms * kMs;
    words.unlinked = unlinked;
    log.record(log::RecordClass::Operator, node, words);
    return node;
  };
  const auto in_conv = [&](std::uint32_t above) {
    return run.stack(
        {{"main", 1}, {"Module._call_impl", 1}, {"Net.forward", 3}, {"Module._call_impl", 1}, {"Conv2d.forward", 4}},
        above);
  };
  op(in_conv(root), "aten::conv2d", "forward", 50, 0);
  // Below the engine's function, which has frames of nobody.
  const std::uint32_t engine =
      op(root, "autograd::engine::evaluate_function: ConvolutionBackward0", "backward", 30, 28);
  const std::uint32_t backward = op(in_conv(engine), "ConvolutionBackward0", "backward", 28, 20);
  const std::uint32_t inner = op(backward, "aten::convolution_backward", "forward", 20, 0);
  op(run.stack({{"main", 1}, {"Module._call_impl", 1}, {"Net.forward", 3}}, root), "MulBackward0", "backward", 7, 0);
  op(root, "SumBackward0", "backward", 3, 0, 1);
  log.record(log::RecordClass::Device, log.node(inner, log.named(log::NameKind::Kernel, "dgrad")),
             log::DeviceWords{1, 9 * kMs, 9 * kMs, 9 * kMs, 0, 0});
  log.info(log::InfoKey::Cuda, "state=active");
  run.load();
  const fold::Modules modules = run.modules();
  REQUIRE(modules.backward_known);
  REQUIRE(modules.nodes.size() == 3);
  const auto ms = [](std::int64_t ns) { return ns / static_cast<std::int64_t>(kMs); };
  CHECK(ms(modules.nodes[0].backward_ns) == 40);
  CHECK(ms(modules.nodes[0].self_backward_ns) == 5);  // the engine's 2, and 3 of nobody knows what
  const ModuleNode& net = at(modules, {"Net"}, 1, run.symbols);
  CHECK(ms(net.backward_ns) == 35);
  CHECK(ms(net.self_backward_ns) == 7);
  const ModuleNode& conv = at(modules, {"Net", "Conv2d"}, 3, run.symbols);
  CHECK(ms(conv.backward_ns) == 28);
  CHECK(ms(conv.backward_gpu_ns) == 9);
  CHECK(modules.backward_calls == 4);
  CHECK(modules.unlinked == 1);
  CHECK(conv.total.cpu.ns == 0);
  const show::Sheet sheet = test::sheet_of("modules", run.subject(), {});
  CHECK(sheet.rows.size() == 3);  // though nothing of its forward() was sampled
  CHECK(sheet.notes.front() ==
        "Of 4 calls of backward functions 1 could not be told what made them: they are in no module.");
  run.selection.focus = fold::Pattern("Net");
  CHECK_FALSE(run.modules().backward_known);
}

// What calls itself without end is cut where stacks are.
TEST_CASE("modules within each other as deep as stacks go") {
  ModulesRun run;
  std::vector<std::pair<std::string, std::uint32_t>> frames{{"main", 1}};
  for (int i = 0; i < 900; ++i) frames.insert(frames.end(), {{"Module._call_impl", 1}, {"Nest.forward", 2}});
  run.cpu(run.stack(frames), 1);
  run.load();
  const fold::Modules modules = run.modules();
  CHECK(modules.nodes.size() == 901);
  CHECK(modules.nodes.back().depth == 900);
  CHECK(test::sheet_of("modules", run.subject(), {}).rows.size() == 61);
}
