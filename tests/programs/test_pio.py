"""PIO's C interface (libcollio_pio), for the MPI that the system's PnetCDF was built with: its files, its
errors, and ParallelIO's own programs.

PARALLELIO_SOURCES names a folder with ParallelIO's sources, SCORPIO_SOURCES one with SCORPIO's. Without them
their programs are left out.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from collio.builds import Build
from jobs import HERE, start
from libraries import family_of_library, package_flags

INCLUDE = HERE.parents[1] / "pio/include"
PARALLELIO_EXAMPLES = ("example1", "examplePio")
SCORPIO_EXAMPLES = ("example1", "example2", "examplePio", "darray_no_async", "put_var")
SMALL_DISK_MB = 6  # of a file of 16


@pytest.fixture
def jobs(jobs_of_family):
    jobs = jobs_of_family(family_of_library("pnetcdf"))
    if not (Build.of(jobs.mpi).root / "lib/libcollio_pio.so").is_file():
        pytest.skip(f"libcollio_pio is not built for {jobs.mpi.id}")
    return jobs


def flags(jobs, *others):
    libraries = Build.of(jobs.mpi).root / "lib"
    return [
        f"-I{INCLUDE}",
        *others,
        f"-L{libraries}",
        "-lcollio_pio",
        f"-Wl,-rpath,{libraries}",
        *package_flags("pnetcdf"),
    ]


def test_same_bytes_as_pnetcdf(jobs, compiled, tmp_path):
    program = compiled("c/pio_same.c", [jobs.mpi.mpicc], flags(jobs))
    jobs.natively([program], tmp_path / "pio.nc", tmp_path / "pnetcdf.nc")
    assert (tmp_path / "pio.nc").read_bytes() == (tmp_path / "pnetcdf.nc").read_bytes()


def test_file_of_the_example(jobs, tmp_path):
    """Read by another library."""
    import netCDF4
    import numpy as np

    jobs.natively([Build.of(jobs.mpi).program("example_c_pio_steps")], tmp_path / "steps.nc")
    with netCDF4.Dataset(tmp_path / "steps.nc") as file:
        assert (
            file.data_model == "NETCDF3_64BIT_DATA"
            and file["temperature"].units == "K"
            and file["pressure"].dtype == np.float32
        )
        wanted = 1000.0 * np.arange(10)[:, None] + np.arange(120)
        for name, more in (("temperature", 0), ("pressure", 0.5)):
            found = file[name][:].reshape(10, 120)
            assert found.mask[:, -1].all() and found.mask.sum() == 10  # the cell that no rank has
            assert np.array_equal(found[:, :-1], wanted[:, :-1] + more)


def test_under_collio_run(jobs, tmp_path):
    """libcollio.so comes after the MPI library there, which it finds all the same, beside the preloaded
    library."""
    files = jobs.with_collio([Build.of(jobs.mpi).program("example_c_pio_steps")], tmp_path / "steps.nc")
    assert " 0 values are wrong" in jobs.output
    assert any(Path(one["file"]).name == "steps.nc" and one["comm_size"] == 4 for one in files)


def told(output):
    """{name: (code, text)} of what pio_errors prints; the program fails where ranks have different codes."""
    return {
        name: (int(code), text)
        for name, code, text in re.findall(r"^(\w+) (-?\d+): ?(.*)$", output, re.MULTILINE)
    }


def test_wrong_calls_are_told(jobs, compiled, tmp_path):
    lines = told(jobs.natively([compiled("c/pio_errors.c", [jobs.mpi.mpicc], flags(jobs))], tmp_path))
    wanted = {
        "missing": (-220, 'PIOc_openfile("/nowhere/missing.nc")'),
        "netcdf4": (-500, "allowed: PIO_IOTYPE_PNETCDF and PIO_IOTYPE_NETCDF"),
        "map": (-36, "compmap[2] of rank 1 is 25; allowed: 1 to 24, and 0 for holes, as the array is 4 x 6"),
        "same_dimension": (-42, 'PIOc_def_dim("y")'),
        "same_variable": (-42, 'PIOc_def_var("v")'),
        "while_defining": (-39, "Call PIOc_enddef()"),
        "short_array": (-36, "arraylen of rank 1 is 23; allowed: 24 and more"),
        "writes_twice": (-36, "element 24 is in its maps twice"),
        "text": (-56, "PIO_SHORT"),
        "no_variable": (-49, "varid is 7"),
        "sync": (-60, "variable 0 of PIO_SHORT"),
        "deflate": (-111, "netCDF-4"),
        "closed": (-33, "no open file"),
        "read_only": (-37, "PIO_WRITE"),
        # of one rank alone
        **{
            name: (-33, "there is no decomposition 9999")
            for name in ("layout_of_one", "several", "read_of_one", "map_file", "netcdf_map", "vard_of_one")
        },
        "tasks_of_one": (-36, "num_iotasks is 0"),
        "other_base": (-36, "base is 0 on a rank and 1 on another"),
        "no_id": (-36, "place for the id is null"),
        "type_of_one": (-500, "iotype is"),
        "title_of_one": (-36, "whether there is a title is 0 on a rank and 1 on another"),
        "flush_of_one": (-36, "flushtodisk is 0 on a rank and 1"),
        "limit_of_one": (-36, "PIOc_set_buffer_size_limit() is 1 on a rank"),
        "variable_of_one": (-49, "varid is 7"),
        "other_variable": (-36, "varid is 0 on a rank and 1 on another; allowed: the same on all ranks"),
        "other_map": (-36, "number of holes that a rank fills is 0 on a rank and 6 on another"),
    }
    assert {name for name, (code, _) in lines.items() if code} == set(wanted)
    for name, (code, text) in wanted.items():
        assert lines[name][0] == code and text in lines[name][1], lines[name]


def test_numbers_that_do_not_fit_keep_nothing_else_from_the_file(jobs, compiled, tmp_path):
    jobs.natively([compiled("c/pio_range.c", [jobs.mpi.mpicc], flags(jobs))], tmp_path)


def test_records_and_frames(jobs, compiled, tmp_path):
    jobs.natively([compiled("c/pio_records.c", [jobs.mpi.mpicc], flags(jobs))], tmp_path)


def test_elements_that_come_twice_are_written_as_scorpio_writes_them(jobs, compiled, tmp_path):
    jobs.natively(
        [compiled("c/pio_doubles.c", [jobs.mpi.mpicc], flags(jobs, "-DCOLLIO_PIO_SCORPIO"))],
        tmp_path / "doubles.nc",
    )


def test_full_disk_is_told_on_all_ranks(jobs, compiled, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = [
        "unshare",
        "-m",
        "sh",
        "-c",
        f'mount -t tmpfs -o size={SMALL_DISK_MB}m none "$0" && exec "$@"',
        disk,
    ]
    if subprocess.run([*map(str, mount), "true"], stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip("no tmpfs may be mounted here")
    program = compiled("c/pio_errors.c", [jobs.mpi.mpicc], flags(jobs))
    lines = told(start([*mount, jobs.mpiexec, "-n", 4, program, disk, "full"], jobs.environment()))
    assert lines["enddef"][0] == lines["close"][0] == 0
    codes = [lines[name][0] for name in ("write", "full") if lines[name][0]]
    assert codes == [-224], lines


def test_a_rank_without_memory_is_told_on_all_ranks(jobs, compiled, tmp_path):
    lines = told(
        jobs.natively([compiled("c/pio_errors.c", [jobs.mpi.mpicc], flags(jobs))], tmp_path, "memory")
    )
    for name in ("holes", "pieces"):
        assert lines[name][0] == -61 and "PIOc_InitDecomp" in lines[name][1], lines
    assert lines["after"][0] == 0, lines


def test_default_error_handling_ends_the_job(jobs, compiled, tmp_path):
    """PIO_INTERNAL_ERROR, as in PIO: one rank prints what went wrong."""
    source = tmp_path / "abort.c"
    source.write_text("""#include <pio.h>
int main(void) {
  int system, file, type = PIO_IOTYPE_PNETCDF;
  MPI_Init(NULL, NULL);
  PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &system);
  return PIOc_openfile(system, &file, &type, "missing.nc", PIO_NOWRITE);
}""")
    program = tmp_path / "abort"
    subprocess.run([jobs.mpi.mpicc, "-o", program, source, *flags(jobs)], check=True)
    done = subprocess.run(
        [jobs.mpiexec, "-n", "4", program], env=jobs.environment(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0 and done.stderr.count('PIOc_openfile("missing.nc")') == 1


def test_names_of_scorpio_for_callers_without_the_header(jobs, tmp_path):
    """As its Fortran library calls them. Inside the library ParallelIO's functions have these names all the
    same."""
    source, program = tmp_path / "names.c", tmp_path / "names"
    source.write_text("""#include <mpi.h>
#include <stdio.h>
#include <string.h>
int PIOc_strerror(int, char*, size_t);
int PIOc_inq_varname(int, int, char*, int);
int PIOc_inq_vartype(int, int, int*);
MPI_Offset PIOc_set_buffer_size_limit(MPI_Offset);
int PIOc_Init_Intracomm(MPI_Comm, int, int, int, int, int*);
int PIOc_create(int, const char*, int, int*);
int PIOc_def_var(int, const char*, int, int, const int*, int*);
int PIOc_closefile(int);
int PIOc_get_version(int*, int*, int*, char*, int);
int main(int argc, char** argv) {
  char text[8] = "", name[8] = "", version[8] = "";
  int system, file, variable, type = 0, major, minor, patch;
  MPI_Init(&argc, &argv);
  PIOc_strerror(-33, text, 5);
  PIOc_set_buffer_size_limit(0);
  PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, 1, &system);
  PIOc_create(system, argv[1], 0, &file);
  PIOc_def_var(file, "temperature", 5, 0, NULL, &variable);
  PIOc_inq_varname(file, variable, name, 5);
  PIOc_inq_vartype(file, variable, &type);
  PIOc_closefile(file);
  PIOc_get_version(&major, &minor, &patch, version, 6);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long long limit = PIOc_set_buffer_size_limit(-1);
  if (rank == 0) printf("%s; %lld; %s; %d; %s\\n", text, limit, name, type, version);
  return MPI_Finalize();
}""")
    subprocess.run(
        list(
            map(
                str,
                [
                    jobs.mpi.mpicc,
                    "-o",
                    program,
                    source,
                    f"-L{Build.of(jobs.mpi).root / 'lib'}",
                    "-lcollio_pio_scorpio",
                    *flags(jobs),
                ],
            )
        ),
        check=True,
    )
    assert jobs.natively([program], tmp_path / "names.nc").strip() == "NetC; 0; temp; 5; 2.0.1"


@pytest.mark.parametrize("way", ["lists", "comms", "intercomm"])
def test_io_tasks_apart_wait_until_all_components_are_done(jobs, compiled, tmp_path, way):
    import netCDF4

    lines = jobs.natively(
        [compiled("c/pio_async.c", [jobs.mpi.mpicc], flags(jobs))], way, tmp_path
    ).splitlines()
    assert lines[:2] == ["I/O task: after 2 files"] * 2, lines
    assert (
        "a rank is 4; allowed: 0 to 3" in lines[2] and "rank 0 is an I/O task, and in component 0" in lines[3]
    ), lines
    for component, ranks in enumerate([[1], [2, 3]]):
        with netCDF4.Dataset(tmp_path / f"part{component}.nc") as file:
            assert file["rank"][:].tolist() == ranks


# --- programs of others ---------------------------------------------------------------------------


def build_example(jobs, source, folder, *others):
    """Unmodified. Beside it an empty config.h, which their own builds make."""
    (folder / "config.h").write_text("")
    program = folder / source.stem
    words = [
        jobs.mpi.mpicc,
        "-w",
        "-o",
        program,
        source,
        f"-I{folder}",
        *others,
        *flags(jobs),
        *package_flags("netcdf-mpi"),
        "-lm",
    ]
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return program


def source_of(variable, example):
    folder = os.environ.get(variable) or pytest.skip(f"{variable} names no sources")
    return Path(folder) / "examples/c" / f"{example}.c"


def check_values(folder):
    """What the examples' comments say, for 4 ranks."""
    import netCDF4

    quarters = [42, 43, 44, 45]
    for path in folder.glob("*.nc"):
        with netCDF4.Dataset(path) as file:
            assert file.data_model == "NETCDF3_CLASSIC"
            if path.name.startswith("example2"):
                assert file["foo"].shape == (6, 20, 30) and file["foo"][:].count() == 3600
            elif path.name.startswith("put_var"):  # the first I/O task's part, as in PIO
                assert file["d0"][:] == 42 and (file["d1"][:4] == 42).all() and (file["d2"][:4] == 42).all()
            else:
                one = [value for value in quarters for _ in range(4)]
                assert file["foo"][:].ravel().tolist() == one + (
                    [100 + value for value in one] if file["foo"].ndim == 3 else []
                )


@pytest.mark.parametrize("example", PARALLELIO_EXAMPLES)
def test_example_of_parallelio(jobs, example, tmp_path):
    jobs.natively([build_example(jobs, source_of("PARALLELIO_SOURCES", example), tmp_path)])
    check_values(tmp_path)


@pytest.mark.parametrize("example", SCORPIO_EXAMPLES)
def test_example_of_scorpio(jobs, example, tmp_path):
    jobs.natively(
        [build_example(jobs, source_of("SCORPIO_SOURCES", example), tmp_path, "-DCOLLIO_PIO_SCORPIO")]
    )
    check_values(tmp_path)


def test_e3sm_mini_app_of_scorpio(jobs, tmp_path):
    """What E3SM's atmosphere, ocean and land write, as SCORPIO's e3sm_fgi does it. Elements of the
    distributed variable count from 1 in each record."""
    import netCDF4

    sources = source_of("SCORPIO_SOURCES", "").parents[2]
    program, compiler = tmp_path / "e3sm_fgi", jobs.mpi.mpicc.replace("mpicc", "mpicxx")
    words = [
        compiler,
        "-w",
        "-std=c++17",
        "-DCOLLIO_PIO_SCORPIO",
        f"-I{sources / 'util'}",
        "-o",
        program,
        *sorted((sources / "examples/cxx").glob("e3sm_*.cpp")),
        sources / "util/argparser.cxx",
        *flags(jobs),
    ]
    subprocess.run(list(map(str, words)), check=True)
    for case, name, variable in (
        ("F", "f", "U"),
        ("G", "gcase", "normalVerlocity"),
        ("I", "i", "var_lat_lon"),
    ):
        jobs.natively([program], "--pio-format=PNETCDF", "--rearr=BOX", "--nioprocs=2", f"--e3sm-case={case}")
        files = list(tmp_path.glob(f"spio_e3sm_fgi_{name}_*.nc"))
        assert files
        for path in files:
            with netCDF4.Dataset(path) as file:
                for record in file[variable]:
                    assert record.ravel().tolist() == list(range(1, record.size + 1))
