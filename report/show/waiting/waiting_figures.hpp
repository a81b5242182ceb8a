// Figures of files, locks and blocking calls. Each function takes all rows of the list: some columns are in tables only
// where any row has something for them.
#pragma once

#include <vector>

#include "report/fold/waiting/files.hpp"
#include "report/fold/waiting/holds.hpp"
#include "report/fold/waiting/locks.hpp"
#include "report/fold/waiting/waits.hpp"
#include "report/show/figures.hpp"
#include "report/show/view.hpp"

namespace prof::show {

Figures<fold::FileRow> file_figures(const std::vector<fold::FileRow>& rows, const ViewOptions& options);
Figures<fold::VolumeRow> volume_figures(const std::vector<fold::VolumeRow>& rows, const ViewOptions& options);

Figures<fold::LockRow> lock_figures(const Subject& subject, const std::vector<fold::LockRow>& rows,
                                    const ViewOptions& options);

// `tree`: that of which they are.
Figures<fold::Hold> hold_figures(const Subject& subject, const std::vector<fold::Hold>& rows,
                                 const fold::CallTree& tree, const ViewOptions& options);

Figures<fold::WaitRow> blocking_figures(const Subject& subject, const std::vector<fold::WaitRow>& rows,
                                        const ViewOptions& options);
// `blocked_ns`: of all of them.
Figures<fold::WaitPlace> blocking_site_figures(const Subject& subject, double blocked_ns, const ViewOptions& options);

}  // namespace prof::show
