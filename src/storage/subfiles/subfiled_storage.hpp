// A file that is kept in subfiles, as one storage: every transfer is split over the subfiles it touches, and
// started on all of them before any is waited for.
//
// A subfile is a file of the usual kinds of storage (kinds.hpp), opened when it is first touched: an
// aggregator whose domains are dealt as the subfiles are meets few of them. Where a subfile ends before the
// file does, nobody wrote there: zeros are read, as from a hole.
#pragma once

#include <memory>

#include "storage/kinds.hpp"
#include "storage/subfiles/layout_in_force.hpp"
#include "storage/subfiles/set.hpp"

namespace collio::storage {

/// As open_storage(), `request` being for every subfile; its path and holder do not count. One subfile is
/// opened now, number `first` mod the number of subfiles: its kind and reason are those of all. `in_force`:
/// the layout where it may change; null: the set's.
[[nodiscard]] core::Result<Opened> open_subfiled(const SubfileSet& set, const StorageRequest& request,
                                                 std::int64_t first,
                                                 std::shared_ptr<LayoutInForce> in_force = {});

}  // namespace collio::storage
