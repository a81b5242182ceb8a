// Figures of operators, modules and actions of PyTorch. What they are given must outlive them.
#pragma once

#include "report/fold/training/actions.hpp"
#include "report/fold/training/modules.hpp"
#include "report/fold/training/operators.hpp"
#include "report/show/figures.hpp"
#include "report/show/view.hpp"

namespace prof::show {

Figures<fold::Action> action_figures(const fold::Actions& actions, const ViewOptions& options);

// Shares are of all rows or, by step, of those of the step.
Figures<fold::OperatorRow> operator_figures(const Subject& subject, const fold::Operators& ops,
                                            const ViewOptions& options);

// Of rows of `modules` itself.
Figures<fold::ModuleNode> module_figures(const Subject& subject, const fold::Modules& modules,
                                         const ViewOptions& options);

}  // namespace prof::show
