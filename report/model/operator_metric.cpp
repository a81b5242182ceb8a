#include "report/model/operator_metric.hpp"

#include "report/model/metric_words.hpp"

namespace prof::model {

PROF_METRIC(OperatorMetric, log::OperatorWords, PROF_SAME(calls), PROF_AS(total_ns, ns), PROF_SAME(nested_ns),
            PROF_LEAST_AND_MOST, PROF_SIGNED(host_bytes), PROF_SIGNED(device_bytes), PROF_SAME(flops),
            PROF_SAME(unlinked));

OperatorMetric metric_of(const log::OperatorWords& words) { return metric_from<OperatorMetric>(words); }

OperatorMetric& OperatorMetric::operator+=(const OperatorMetric& other) { return add_up(*this, other); }

}  // namespace prof::model
