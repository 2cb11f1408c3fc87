// The constructors that the table of patterns lists.
#pragma once

#include "pattern.hpp"

namespace collio::bench {

[[nodiscard]] std::unique_ptr<Pattern> make_interleave(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_e3sm(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_contiguous(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_btio(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_s3d(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_mpas(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_ior(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_tile(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_flash(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_gcrm(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_hacc(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_collperf(Options& options, World world);
[[nodiscard]] std::unique_ptr<Pattern> make_wrf(Options& options, World world);

}  // namespace collio::bench
