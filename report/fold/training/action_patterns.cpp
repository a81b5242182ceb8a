#include "report/fold/training/action_patterns.hpp"

#include <algorithm>
#include <iterator>

#include "report/model/text.hpp"

namespace prof::fold {
namespace {

// Of the packages lightning and pytorch_lightning.
bool of_lightning(std::string_view file) {
  return contains(file, "/pytorch_lightning/") || contains(file, "/lightning/pytorch/");
}

// Methods that Lightning calls by their names.
bool is_hook(std::string_view name) {
  constexpr std::string_view kNames[] = {"backward",
                                         "batch_to_device",
                                         "clip_gradients",
                                         "forward",
                                         "lightning_module_state_dict",
                                         "load_state_dict",
                                         "optimizer_zero_grad",
                                         "prepare_data",
                                         "setup",
                                         "state_dict",
                                         "teardown",
                                         "tbptt_split_batch",
                                         "toggle_optimizer",
                                         "transfer_batch_to_device",
                                         "untoggle_optimizer"};
  return is_one_of(name, kNames) || name.starts_with("on_") || name.starts_with("configure_") ||
         name.ends_with("_step") || name.ends_with("_dataloader") || name.ends_with("_epoch_end");
}

// What Lightning's profilers put in front of the hooks that a function of its trainer calls; empty: it calls none.
std::string_view caller_of_hooks(std::string_view name) {
  if (name == "_call_lightning_module_hook") return "[LightningModule]";
  if (name == "_call_lightning_datamodule_hook") return "[LightningDataModule]";
  if (name == "_call_strategy_hook") return "[Strategy]";
  if (name == "_call_callback_hooks" || name == "_call_callbacks_on_save_checkpoint" ||
      name == "_call_callbacks_on_load_checkpoint") {
    return "[Callback]";
  }
  return {};
}

std::string_view loop_of_lightning(std::string_view name, std::string_view file) {
  if (name == "advance" && file.ends_with("/loops/fit_loop.py")) return "run_training_epoch";
  if (name == "run" &&
      (file.ends_with("/loops/optimization/automatic.py") || file.ends_with("/loops/optimization/manual.py"))) {
    return "run_training_batch";
  }
  if (name == "advance" && file.ends_with("/loops/batch/training_batch_loop.py")) return "run_training_batch";
  if (name == "__next__" && (file.ends_with("/loops/fetchers.py") || file.ends_with("/utilities/fetching.py"))) {
    return "dataloader_next";
  }
  return {};
}

std::string action_of_lightning(const PythonFunction& caller, const PythonFunction& callee) {
  const std::string_view name = last_part(callee.name);
  if (of_lightning(callee.file)) {
    if (const std::string_view loop = loop_of_lightning(name, callee.file); !loop.empty()) return std::string(loop);
  }
  if (!of_lightning(caller.file) || !is_hook(name)) return {};
  const std::string_view before = caller_of_hooks(last_part(caller.name));
  return before.empty() ? std::string() : std::string(before) + std::string(callee.name);
}

std::string action_of_transformers(const PythonFunction& caller, const PythonFunction& callee) {
  constexpr std::string_view kTrainer = "/transformers/trainer.py";
  constexpr std::string_view kActions[] = {"_inner_training_loop",
                                           "_load_best_model",
                                           "_load_from_checkpoint",
                                           "_maybe_log_save_evaluate",
                                           "_prepare_inputs",
                                           "_save_checkpoint",
                                           "compute_loss",
                                           "create_optimizer",
                                           "create_scheduler",
                                           "evaluate",
                                           "evaluation_loop",
                                           "get_batch_samples",
                                           "get_eval_dataloader",
                                           "get_train_dataloader",
                                           "log",
                                           "predict",
                                           "prediction_loop",
                                           "prediction_step",
                                           "push_to_hub",
                                           "save_model",
                                           "training_step"};
  const std::string_view name = last_part(callee.name);
  // A class of the program's own may have a method of its own in the place of the Trainer's.
  if ((callee.file.ends_with(kTrainer) || caller.file.ends_with(kTrainer)) && is_one_of(name, kActions)) {
    return "[Trainer]" + std::string(name);
  }
  const bool of_callbacks = caller.file.ends_with("/transformers/trainer_callback.py");
  if (of_callbacks && last_part(caller.name) == "call_event" && name.starts_with("on_")) {
    return "[Callback]" + std::string(callee.name);
  }
  return {};
}

std::string action_of_accelerate(const PythonFunction& callee) {
  const std::string_view name = last_part(callee.name), file = callee.file;
  const bool is = (file.ends_with("/accelerate/accelerator.py") && (name == "backward" || name == "clip_grad_norm_")) ||
                  (file.ends_with("/accelerate/optimizer.py") && (name == "step" || name == "zero_grad")) ||
                  (file.ends_with("/accelerate/scheduler.py") && name == "step") ||
                  (file.ends_with("/accelerate/data_loader.py") && name == "__iter__");
  return is ? "[Accelerate]" + std::string(callee.name) : std::string();
}

}  // namespace

std::string action_of(const PythonFunction& caller, const PythonFunction& callee) {
  std::string out = action_of_lightning(caller, callee);
  if (out.empty()) out = action_of_transformers(caller, callee);
  if (out.empty()) out = action_of_accelerate(callee);
  return out;
}

bool passes_on(const PythonFunction& function) {
  constexpr std::string_view kDecorators[] = {"_fn",   "decorate_autocast", "decorate_context",
                                              "inner", "wrapped",           "wrapper"};
  return is_one_of(last_part(function.name), kDecorators);
}

bool begins_process(const PythonFunction& function) {
  return function.file.ends_with("/multiprocessing/process.py") && last_part(function.name) == "_bootstrap";
}

}  // namespace prof::fold
