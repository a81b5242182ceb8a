// Actions of trainers: which functions they are, what they took, and what is below them.
#include "report/fold/training/actions.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/fold/training/action_patterns.hpp"
#include "report/formats/json_steps.hpp"
#include "report/show/table.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/loaded_run.hpp"

using namespace prof;
using fold::action_of;
using fold::PythonFunction;
using test::LogBuilder;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr char kLightning[] = "/venv/lib/python3.11/site-packages/lightning/pytorch/";

const fold::Action& action(const fold::Actions& all, const std::string& name) {
  const auto found =
      std::find_if(all.rows.begin(), all.rows.end(), [&](const fold::Action& row) { return row.name == name; });
  REQUIRE(found != all.rows.end());
  return *found;
}

std::int64_t ms(std::int64_t count) { return count * static_cast<std::int64_t>(kMs); }

// A run of Lightning, 2 s, with a worker forked out of it:
//   fit > advance (run_training_epoch) > __next__ (dataloader_next) > wait: 300 ms in a pipe, of it 20 ms CPU
//                                      > _call_lightning_module_hook > wrapper > Net.training_step   400 ms CPU
//                                          > native 50 ms, > Net.helper 100 ms > Net.training_step (again) 10 ms
//                                      > _call_lightning_module_hook > __enter__   5 ms: no hook
//   fit > _bootstrap (a worker) > Net.prepare > advance > Net.helper 70 ms: none of the outer fit's, and an epoch
class LightningRun : public test::LoadedRun {
 public:
  explicit LightningRun(const std::string& options = "PROF_WAIT=on") {
    LogBuilder log;
    log.header.log_id = 1;
    log.info(log::InfoKey::Options, options);
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    const std::string root = kLightning;
    const auto python = [&](std::uint32_t parent, std::uint32_t code) { return log.node(parent, log.python(code, 0)); };
    const auto code = [&](const char* name, const char* qualname, const std::string& file, std::int32_t line) {
      return log.code(name, qualname, file, line);
    };
    const auto fit = code("fit", "Trainer.fit", root + "trainer/trainer.py", 500);
    const auto advance = code("advance", "_FitLoop.advance", root + "loops/fit_loop.py", 300);
    const auto next = code("__next__", "_PrefetchDataFetcher.__next__", root + "loops/fetchers.py", 120);
    const auto call = code("_call_lightning_module_hook", "_call_lightning_module_hook", root + "trainer/call.py", 150);
    const auto wrapper =
        code("decorate_context", "no_grad.<locals>.decorate_context", "/venv/torch/_contextlib.py", 90);
    step_ = code("training_step", "Net.training_step", "/app/net.py", 10);
    const auto helper = code("helper", "Net.helper", "/app/net.py", 40);
    const auto enter =
        code("__enter__", "_GeneratorContextManager.__enter__", "/usr/lib/python3.11/contextlib.py", 130);
    const auto bootstrap =
        code("_bootstrap", "BaseProcess._bootstrap", "/usr/lib/python3.11/multiprocessing/process.py", 290);

    const auto at_fit = python(0, fit), at_epoch = python(at_fit, advance);
    const auto waiting = log.node(python(at_epoch, next), log.named(log::NameKind::Wait, "read", "pipe"));
    log.record(log::RecordClass::Wait, waiting, log::WaitWords{3 * log::kCountUnit, 300 * kMs, 3});
    log.cpu(waiting, 2, 20 * kMs);
    const auto at_call = python(at_epoch, call);
    log.cpu(python(at_call, enter), 1, 5 * kMs);
    const auto at_step = python(python(at_call, wrapper), step_);
    log.cpu(at_step, 24, 240 * kMs);
    log.cpu(log.node(at_step, log.native(log.module("/nowhere/libwork.so"), 0x100)), 5, 50 * kMs);
    const auto at_helper = python(at_step, helper);
    log.cpu(at_helper, 10, 100 * kMs);
    log.cpu(python(at_helper, step_), 1, 10 * kMs);
    log.cpu(python(python(python(at_fit, bootstrap), advance), helper), 7, 70 * kMs);
    if (options.find("PROF_WATCH") != std::string::npos) {
      const auto counted =
          log.node(log.node(0, log.special(log::SpecialFrame::ExactCalls)), log.special(log::SpecialFrame::NoCaller));
      const auto exact = [&](std::uint32_t of, std::uint64_t calls, std::uint64_t ns) {
        log::CallWords words{};
        words.calls = words.primitive = words.edge_calls = calls;
        words.self_ns = words.outer_ns = words.edge_outer_ns = ns;
        log.calls(log.node(counted, log.python(of, log::kWholeCode)), words);
      };
      exact(step_, 8, 500 * kMs);
      exact(code("load", "Reader.load", "/app/reader.py", 3), 4, 8 * kMs);  // too short for a sample
    }
    log.thread(0).flags = log::kThreadMain;
    load(log);
  }

  fold::Actions actions() const {
    return fold::actions(show::function_tree_with_python(subject()), run, selection);
  }

 private:
  std::uint32_t step_ = 0;
};

}  // namespace

TEST_CASE("actions: hooks of Lightning by who calls them") {
  const std::string file = std::string(kLightning) + "trainer/call.py";
  const PythonFunction call{"_call_lightning_module_hook", file};
  CHECK(action_of(call, {"Net.training_step", "/app/net.py"}) == "[LightningModule]Net.training_step");
  CHECK(action_of(call, {"training_step", "/app/net.py"}) == "[LightningModule]training_step");  // before 3.11
  CHECK(action_of(call, {"Net.on_train_epoch_end", "/app/net.py"}) == "[LightningModule]Net.on_train_epoch_end");
  CHECK(action_of(call, {"Logger.debug", "/usr/lib/python3.11/logging/__init__.py"}).empty());
  CHECK(action_of(call, {"Trainer.lightning_module", std::string(kLightning) + "trainer/trainer.py"}).empty());
  CHECK(action_of({"_call_callback_hooks", file}, {"Stop.on_validation_end", "/app/stop.py"}) ==
        "[Callback]Stop.on_validation_end");
  CHECK(action_of({"_call_strategy_hook", file}, {"Strategy.training_step", "/x/lightning/pytorch/strategies/s.py"}) ==
        "[Strategy]Strategy.training_step");
  // Methods of the trainer itself, as older versions have them.
  CHECK(action_of({"Trainer._call_callback_hooks", "/x/pytorch_lightning/trainer/trainer.py"},
                  {"Stop.on_fit_start", "/app/stop.py"}) == "[Callback]Stop.on_fit_start");
  // A function of that name in another program is nothing.
  CHECK(action_of({"_call_callback_hooks", "/app/mine.py"}, {"Stop.on_fit_start", "/app/stop.py"}).empty());
  CHECK(action_of({}, {"_FitLoop.advance", std::string(kLightning) + "loops/fit_loop.py"}) == "run_training_epoch");
  CHECK(action_of({}, {"run", std::string(kLightning) + "loops/optimization/automatic.py"}) == "run_training_batch");
  CHECK(action_of({}, {"run", "/app/loops/optimization/automatic.py"}).empty());
}

TEST_CASE("actions: those of Hugging Face's Trainer, and of Accelerate") {
  constexpr char kTrainer[] = "/venv/lib/python3.11/site-packages/transformers/trainer.py";
  constexpr char kCallbacks[] = "/venv/lib/python3.11/site-packages/transformers/trainer_callback.py";
  CHECK(action_of({"Trainer._inner_training_loop", kTrainer}, {"Trainer.training_step", kTrainer}) ==
        "[Trainer]training_step");
  CHECK(action_of({"Trainer.training_step", kTrainer}, {"Mine.compute_loss", "/app/t.py"}) == "[Trainer]compute_loss");
  CHECK(action_of({"other", "/app/t.py"}, {"Mine.compute_loss", "/app/t.py"}).empty());
  CHECK(action_of({"CallbackHandler.call_event", kCallbacks}, {"Print.on_step_end", "/app/t.py"}) ==
        "[Callback]Print.on_step_end");
  CHECK(action_of({}, {"Trainer.floating_point_ops", kTrainer}).empty());
  CHECK(action_of({}, {"Accelerator.backward", "/venv/site-packages/accelerate/accelerator.py"}) ==
        "[Accelerate]Accelerator.backward");
  CHECK(action_of({}, {"step", "/app/optimizer.py"}).empty());
}

TEST_CASE("actions: wall time of samples, once for an action within itself, without forked children's") {
  const LightningRun run;
  CHECK(run.run.warnings.empty());
  const fold::Actions all = run.actions();
  CHECK(all.wall_ns == ms(2000));
  CHECK(all.waits_known);
  CHECK(all.rows.size() == 3);
  const fold::Action& step = action(all, "[LightningModule]Net.training_step");
  CHECK(step.sampled.cpu.ns == ms(400));
  CHECK(step.ns() == ms(400));
  CHECK_FALSE(step.exact);
  const fold::Action& next = action(all, "dataloader_next");
  CHECK(next.sampled.cpu.ns == ms(20));
  CHECK(next.sampled.wait.blocked_ns() == ms(280));
  CHECK(next.ns() == ms(300));
  // That of the forked child is an epoch of its own.
  CHECK(action(all, "run_training_epoch").ns() == ms(300 + 5 + 400 + 70));
  CHECK(all.rows.front().name == "run_training_epoch");
}

TEST_CASE("actions: frames that a report leaves out change nothing") {
  LightningRun run;
  run.selection.fold.frames = fold::Frames::Native;
  CHECK(action(run.actions(), "[LightningModule]Net.training_step").ns() == ms(400));
  run.selection.fold.frames = fold::Frames::Python;
  CHECK(action(run.actions(), "[LightningModule]Net.training_step").ns() == ms(400));
}

TEST_CASE("actions: watched functions are exact, and actions by themselves") {
  const LightningRun run("PROF_WAIT=on\nPROF_WATCH=training_step,load");
  const fold::Actions all = run.actions();
  const fold::Action& step = action(all, "[LightningModule]Net.training_step");
  REQUIRE(step.exact);
  CHECK(step.exact->calls == 8);
  CHECK(step.ns() == ms(500));
  CHECK(step.sampled.cpu.ns == ms(400));
  const fold::Action& load = action(all, "Reader.load");
  REQUIRE(load.exact);
  CHECK(load.exact->calls == 4);
  CHECK(load.ns() == ms(8));
  CHECK_FALSE(action(all, "run_training_epoch").exact);
}

TEST_CASE("actions: as Lightning's SimpleProfiler shows them") {
  const LightningRun run("PROF_WAIT=on\nPROF_WATCH=training_step,load");
  show::ViewOptions options;
  const std::vector<show::Sheet> sheets = test::sheets_of("actions", run.subject(), options);
  REQUIRE(sheets.size() == 1);
  const std::string text = show::table(sheets[0], show::Terminal{});
  CAPTURE(text);
  CHECK(text.find("Action") < text.find("Mean duration"));
  CHECK(text.find("Mean duration") < text.find("Num calls"));
  CHECK(text.find("Num calls") < text.find("Total time"));
  CHECK(text.find("62.5 ms") != std::string::npos);  // 500 ms in 8 calls
  CHECK(text.find("Total ") != std::string::npos);
  CHECK(sheets[0].rows.front().cells[0] == show::Cell(std::string("run_training_epoch")));
  options.sort = show::SortKey::Calls;
  CHECK(test::sheets_of("actions", run.subject(), options)[0].rows.front().cells[0] ==
        show::Cell(std::string("[LightningModule]Net.training_step")));
  options.limit = 1;
  CHECK(test::sheets_of("actions", run.subject(), options)[0].rows.size() == 2);  // and the total
}

TEST_CASE("actions: --focus shows the functions below one, with what they took in it alone") {
  const LightningRun run;
  show::ViewOptions options;
  options.focus = "training_step";
  const show::Sheet sheet = test::sheets_of("actions", run.subject(), options)[0];
  const auto row = [&](const std::string& name) {
    const auto found = std::find_if(sheet.rows.begin(), sheet.rows.end(), [&](const show::Row& at) {
      return std::get<std::string>(at.cells[6]).find(name) != std::string::npos;
    });
    REQUIRE(found != sheet.rows.end());
    return std::pair(std::get<std::int64_t>(found->cells[0]), std::get<std::int64_t>(found->cells[2]));
  };
  CHECK(sheet.title == "Functions in the action [LightningModule]Net.training_step");
  CHECK(row("Net.training_step") == std::pair(ms(250), ms(400)));
  CHECK(row("Net.helper") == std::pair(ms(100), ms(110)));  // not what the forked child did in it
  CHECK(row("libwork.so") == std::pair(ms(50), ms(50)));
  CHECK(sheet.rows.size() == 3);
  options.focus = "[LightningModule]Net.training_step";
  CHECK(test::sheets_of("actions", run.subject(), options)[0].rows.size() == 3);
  options.focus = "[LightningModule]Derived.training_step";  // of the object's class, as Lightning has it
  CHECK(test::sheets_of("actions", run.subject(), options)[0].rows.size() == 3);
  options.focus = "^run_|_next$";
  CHECK(test::sheets_of("actions", run.subject(), options)[0].title == "Functions in 2 actions");
  options.focus = "no_such_action";
  std::string complaint;
  try {
    test::sheets_of("actions", run.subject(), options);
  } catch (const show::NoSuchFocus& error) {
    complaint = error.what();
  }
  CHECK(complaint.find("run_training_epoch") != std::string::npos);
}

TEST_CASE("actions: JSON, and null where there were none") {
  const LightningRun run("PROF_WAIT=on\nPROF_WATCH=training_step,load");
  const formats::Json json = formats::actions_json(run.subject());
  REQUIRE(json.size() == 4);
  const auto step = std::find_if(json.begin(), json.end(), [](const formats::Json& row) {
    return row["name"] == "[LightningModule]Net.training_step";
  });
  REQUIRE(step != json.end());
  CHECK((*step)["calls"] == 8);
  CHECK((*step)["exact"] == true);
  CHECK((*step)["total_s"].get<double>() == Approx(0.5));
  CHECK((*step)["cpu_s"].get<double>() == Approx(0.4));
  CHECK(json[0]["calls"].is_null());
}
