// Which layer's setting of a hint is in force where several give one: by the rank that its owner gives it.
#include <gtest/gtest.h>

#include "engine/session/other_settings.hpp"
#include "environment.hpp"
#include "temporary_file.hpp"

namespace collio::engine {
namespace {

using test::Environment;

OtherSettings settings(const Pairs& program = {}, const Pairs& environment = {}, const Pairs& striping = {},
                       const std::string& driver = "") {
  return other_settings({program, environment, driver + "/s/out.nc", "/s/out.nc", striping});
}

TEST(LayeredSettings, TheLaterLayerWinsAndIsNamed) {
  const test::TemporaryFile file("cb_nodes 3\nromio_cb_read disable\n");
  const Environment set{{"OMPI_MCA_io_ompio_num_aggregators", "2"},
                        {"ROMIO_HINTS", file.path()},
                        {"MPICH_MPIIO_HINTS", "*:romio_cb_read=enable"}};
  const OtherSettings found = settings({}, {}, {{"cb_nodes", "1"}, {"striping_unit", "4096"}});
  EXPECT_EQ(found.pairs, (Pairs{{"cb_nodes", "3"}, {"romio_cb_read", "enable"}, {"striping_unit", "4096"}}));
  EXPECT_EQ(found.origins,
            "cb_nodes=3 (ROMIO_HINTS), romio_cb_read=enable (MPICH_MPIIO_HINTS), striping_unit=4096 (the MPI "
            "library)");
  EXPECT_TRUE(found.warnings.empty());
}

TEST(LayeredSettings, TheProgramsInfoStandsBetweenRomioAndCray) {
  const test::TemporaryFile file("cb_nodes 3\nromio_cb_read disable\n");
  const Environment set{{"ROMIO_HINTS", file.path()}, {"MPICH_MPIIO_HINTS", "*:cb_nodes=8"}};
  const Pairs program{{"cb_nodes", "5"}, {"romio_cb_read", "enable"}};
  EXPECT_EQ(settings(program).pairs, (Pairs{{"cb_nodes", "8"}})) << "the rest is the program's";
}

TEST(LayeredSettings, ColliosOwnEnvironmentIsAboveAll) {
  const Environment set{{"OMPI_MCA_io_ompio_num_aggregators", "2"},
                        {"MPICH_MPIIO_HINTS", "*:cb_nodes=8:romio_cb_read=enable"}};
  const OtherSettings found = settings({}, {{"cb_nodes", "6"}});
  EXPECT_EQ(found.pairs, (Pairs{{"romio_cb_read", "enable"}}));
  EXPECT_EQ(found.origins, "romio_cb_read=enable (MPICH_MPIIO_HINTS)");
}

TEST(LayeredSettings, CraysPatternsAreOfThePathWithItsDriverOrWithout) {
  const Environment set{{"MPICH_MPIIO_HINTS", "ufs:/s/*:cb_nodes=7,/s/*:cb_nodes=9"}};
  EXPECT_EQ(settings({}, {}, {}, "ufs:").pairs, (Pairs{{"cb_nodes", "7"}}));
  EXPECT_EQ(settings().pairs, (Pairs{{"cb_nodes", "9"}}));
}

TEST(LayeredSettings, AFileThatCannotBeReadIsNamed) {
  const Environment set{{"ROMIO_HINTS", "/no/such/file"}};
  EXPECT_EQ(settings().warnings,
            (std::vector<std::string>{
                "ROMIO_HINTS=/no/such/file: cannot be read (No such file or directory); it is ignored"}));
  const Environment folder{{"ROMIO_HINTS", "/"}};
  EXPECT_EQ(settings().warnings,
            (std::vector<std::string>{"ROMIO_HINTS=/: cannot be read (Is a directory); it is ignored"}));
}

TEST(LayeredSettings, AFileIsReadOnceInAProcess) {
  const test::TemporaryFile file("cb_nodes 3\n");
  const Environment set{{"ROMIO_HINTS", file.path()}};
  EXPECT_EQ(settings().pairs, (Pairs{{"cb_nodes", "3"}}));
  std::ofstream(file.path()) << "cb_nodes 4\n";
  EXPECT_EQ(settings().pairs, (Pairs{{"cb_nodes", "3"}})) << "as ROMIO does";
}

}  // namespace
}  // namespace collio::engine
