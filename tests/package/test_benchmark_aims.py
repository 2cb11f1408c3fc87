"""The sections of the page of benchmarks that compare with the fastest rival."""

import sys

import pytest

import source_tree

sys.path.insert(0, str(source_tree.ROOT / "tools"))
import benchmark_aims
import benchmark_pnetcdf


def document(engines, piece_bytes=100, **changes):
    """With (write, read) seconds for each engine."""
    rows = [
        {
            "engine": name,
            "operation": operation,
            "median_s": seconds,
            "verified": True,
            "peak_rss_above_buffer_bytes": 2**20,
            "parts_median_s": {"set_view_s": 0.1},
            "steps_s": {"write": 0.4, "wait": 0.3} if "collio" in name else {},
        }
        for name, pair in engines.items()
        for operation, seconds in zip(("write", "read"), pair)
    ]
    return {
        "results": rows,
        "ranks": 8,
        "mpi": "mpich-4.0.2",
        "bytes": 10 * piece_bytes,
        "pieces": 10,
        "machine": {"file_system": "tmpfs"},
        **changes,
    }


def cases(*documents, pattern="s3d"):
    return [case for one in documents for case in benchmark_aims.cases_of(one, pattern, "MPICH")]


def test_the_fastest_rival_counts_whatever_its_settings():
    write, read = cases(
        document(
            {"collio": (1.0, 1.0), "native": (3.0, 2.0), "native-tuned": (4.0, 1.5), "floor": (0.5, 0.5)}
        )
    )
    assert (write.speedup, write.most, write.met) == (3.0, 6.0, True) and (
        read.speedup,
        read.most,
        read.met,
    ) == (1.5, 3.0, False)
    write, _ = cases(
        document(
            {
                "pnetcdf-collio": (1.0, 1.0),
                "pnetcdf": (5.0, 5.0),
                "pnetcdf-gio": (9.0, 9.0),
                "pnetcdf-gio-tuned": (2.0, 2.0),
            }
        )
    )
    assert (write.front, write.speedup, write.most) == ("PnetCDF", 2.0, None)
    assert cases(document({"collio": (1.0, 1.0), "native": (3.0, 3.0)})) == []  # nobody tuned


@pytest.mark.parametrize(
    "piece_bytes, aim", [(8, 2.0), (1023, 2.0), (1024, 1.3), (8192, 1.3), (8193, 0.97), (1 << 20, 0.97)]
)
def test_the_aim_follows_from_the_pieces(piece_bytes, aim):
    write, _ = cases(document({"collio": (1.0, 1.0), "native-tuned": (1.0, 1.0)}, piece_bytes))
    assert write.aim == aim and write.met is (aim < 1)
    alone, _ = cases(
        document({"collio": (1.0, 1.0), "native-tuned": (1.0, 1.0)}, piece_bytes), pattern="ior, strided"
    )
    assert alone.aim == 0.97 and alone.pieces == (
        "one a call, 1 KiB" if piece_bytes <= 1024 else "one a call, larger"
    )


def test_a_case_that_misses_its_aim_shows_where_the_time_goes():
    missing = document({"collio": (1.0, 1.0), "native-tuned": (1.5, 4.0), "floor": (0.5, 0.5)})
    assert "| MPI-IO | below 1 KiB | tmpfs | 1 | 1.5 | 0 of 1 | 4.0 | 1 of 1 |" in "\n".join(
        benchmark_aims.sections(cases(missing))
    )
    text = benchmark_aims.missed_table(cases(missing))
    assert (
        "| MPI-IO | s3d | tmpfs | MPICH | 8 | write | 1.5 | 2.0 | 3.0 | write 40 %, wait 30 %, program 20 %, "
        "set view 10 % |" in text
    )
    assert "| 8 | read |" not in text and benchmark_aims.sections([]) == []


def test_steps_of_a_slower_run_are_parts_of_that_run():
    write, _ = cases(document({"collio": (0.4, 0.4), "native-tuned": (0.4, 0.4)}))
    assert write.shares == pytest.approx({"write": 0.5, "wait": 0.375, "set view": 0.125, "program": 0})
    told = document({"collio": (0.4, 0.4), "native-tuned": (0.4, 0.4)})
    told["results"][0] |= {"reported_s": 1.0, "reported_set_view_s": 0.2}
    write, _ = cases(told)
    assert write.shares == pytest.approx({"write": 0.4, "wait": 0.3, "set view": 0.2, "program": 0.1})


def test_whole_programs():
    of = {"machine": {"file_system": "tmpfs"}, "dir": "/dev/shm", "mpi": "mpich-4.0.2", "ranks": 8}
    documents = [
        {**of, "speed_up": {"write": 2.0, "read": 0.9}},
        {**of, "speed_up": {"write": 0.5, "read": 0.9}},
    ]
    text = "\n".join(benchmark_aims.programs(documents))
    assert (
        "| geometric mean | 1.0 | 0.90 |" in text
        and "| lowest | 0.50 | 0.90 |" in text
        and "| 0.97 or more | 1 of 2 | 0 of 2 |" in text
    )
    assert "| s3d | tmpfs | MPICH | 8 | 2.0 | 0.90 |" in benchmark_aims.programs_table(
        documents, lambda _: "s3d", lambda _: "MPICH"
    )


def test_rivals_through_pnetcdf_stand_side_by_side():
    one = document(
        {
            "pnetcdf-collio": (1.0, 2.0),
            "pnetcdf": (3.0, 3.0),
            "pnetcdf-gio": (4.0, 4.0),
            "pnetcdf-gio-tuned": (2.0, 2.0),
            "floor": (0.5, 0.5),
        }
    )
    one["results"].append({"engine": "pnetcdf-tuned", "operation": None, "verified": False, "error": "x"})
    text = "\n".join(benchmark_pnetcdf.tables([one], lambda _: "s3d", lambda _: "MPICH").values())
    assert (
        "| tmpfs | s3d | 8 | MPICH | 3.0 | failed | 4.0 | 2.0 | 0.50 | 1 | 1 |" in text
        and "| 1.5 | failed | 2.0 | 1.0 | 0.25 |" in text
    )
