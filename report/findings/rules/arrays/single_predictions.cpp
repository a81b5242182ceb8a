// A fitted model is asked for one row at a time: each call looks at its input, whatever there is to compute.
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/library_family.hpp"
#include "report/findings/thresholds.hpp"

namespace prof::findings {
namespace single_predictions {
namespace {

constexpr fold::FunctionAt kAsked[] = {
    {"/sklearn/", "predict"},           {"/sklearn/", "predict_proba"},  {"/sklearn/", "predict_log_proba"},
    {"/sklearn/", "decision_function"}, {"/sklearn/", "score_samples"},  {"/sklearn/", "kneighbors"},
    {"/sklearn/", "transform"},         {"/xgboost/", "predict"},        {"/xgboost/", "predict_proba"},
    {"/xgboost/", "inplace_predict"},   {"/lightgbm/", "predict"},       {"/lightgbm/", "predict_proba"},
    {"/catboost/", "predict"},          {"/catboost/", "predict_proba"},
};
// Fitting is no asking, and texts are taken apart by Python however many there are.
constexpr fold::FunctionAt kElse[] = {{"/sklearn/feature_extraction/", ""},
                                      {"/sklearn/", "fit"},
                                      {"/sklearn/", "fit_transform"},
                                      {"/sklearn/", "partial_fit"}};
constexpr LibraryFamily kFamily{
    .rule = "single-predictions",
    .functions = kAsked,
    .title = "A model is asked for one row at a time, and looks at its input each time",
    .advice =
        "Give it all rows at once, before the loop: model.predict(X) checks its input, and a forest hands out its "
        "trees, once for a call. Where rows come one by one, collect those of some milliseconds, or export the model "
        "(ONNX, treelite).",
    .interpreted = kOfSmallCalls,
    .rather = kElse,
    .repeated = true};

}  // namespace
}  // namespace single_predictions

const Rule kSinglePredictionsRule{single_predictions::kFamily.rule, "models asked for one row at a time",
                                  no_python_frames, look<single_predictions::kFamily>};

}  // namespace prof::findings
