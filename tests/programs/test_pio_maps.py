"""Decompositions in files, by PIO's interface: as PIO writes and reads them, and cut or changed ones, which
are refused."""

import os
import re
from pathlib import Path

import pytest

from test_pio import flags, jobs  # noqa: F401

NEWLINE = "\n"
MAPS = [[1, 0, 24, 23], [2, 0, 20, 19, 18], [3, 0, 16, 15, 14, 13], []]  # of pio_maps.c on 4 ranks


def text_of(maps, lengths=(4, 6)):
    """PIO's text of a decomposition, up to what it writes for people: a space behind every number of a
    list."""
    parts = [
        f"version 2001 npes {len(maps)} ndims {len(lengths)} \n",
        *(f"{length} " for length in lengths),
        "\n",
    ]
    for rank, one in enumerate(maps):
        parts += [f"{rank} {len(one)}\n", *(f"{element} " for element in one), "\n"]
    return "".join(parts)


def checksum(rank, maps=MAPS, lengths=(4, 6)):
    """Of a map, as pio/map_checksum.hpp defines it."""
    value = 0
    for number in (*lengths, len(maps), rank, len(maps[rank]), *maps[rank]):
        value = (value ^ number) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        value ^= value >> 32
    return f"{value:016x}"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def maps(jobs, compiled):
    """Runs pio_maps: what each rank says of the files, one after the other."""
    program = compiled("c/pio_maps.c", [jobs.mpi.mpicc], flags(jobs))

    def run(*words):
        return [
            line.split(": ", 1)[1]
            for line in jobs.natively([program], *words).removesuffix(NEWLINE).split(NEWLINE)
        ]

    return run


def said(maps, lengths="4 6"):
    return [f"{lengths} ; {len(one)}:{''.join(f' {element}' for element in one)}" for one in maps]


def test_maps_are_written_as_pio_writes_them(jobs, maps, compiled, tmp_path):
    files = [tmp_path / "decomposition", tmp_path / "alone"]
    assert maps("write", *files) == [""] * 8
    checksums = f"collio checksums\n{''.join(f'{rank} {checksum(rank)}{NEWLINE}' for rank in range(4))}"
    assert [file.read_text() for file in files] == [
        f"{text_of(MAPS)}\nObtained 0 stack frames.\n{checksums}"
    ] * 2
    assert maps("read", *files) == 2 * said(MAPS) and names(tmp_path) == ["alone", "decomposition"]
    scorpio = compiled("c/pio_maps.c", [jobs.mpi.mpicc], flags(jobs, "-DCOLLIO_PIO_SCORPIO"))
    jobs.natively([scorpio], "write", *files)
    assert [file.read_text() for file in files] == [
        f"{text_of(MAPS)}\nObtained 0 stack frames.\nioid\t512\n{checksums}"
    ] * 2


def test_maps_that_others_have_written(maps, tmp_path):
    path = tmp_path / "decomposition"
    path.write_text(text_of(MAPS[:2]) + "\nObtained 2 stack frames.\n./model(main+0x1f) [0x40]\n")
    # ranks that the file has not get nothing
    assert maps("read", path) == [*said(MAPS[:2]), "4 6 ; 0:", "4 6 ; 0:"]
    path.write_text(text_of(MAPS))
    text = "the communicator has 2; allowed: as many ranks in the file, or fewer"
    assert all(text in line and line.startswith("-36") for line in maps("read-few", path)[:2])


def check_refused_or_exact(maps, folder, texts, exact):
    """Reads files of these texts: all ranks refuse one and name it, or it is one of `exact` and they read the
    right maps. Returns how many are refused."""
    paths = [folder / f"map{i}" for i in range(len(texts))]
    for path, text in zip(paths, texts):
        path.write_text(text)
    lines, refused = maps("read", *paths), 0
    for i, path in enumerate(paths):
        here = lines[4 * i : 4 * i + 4]
        if here != said(MAPS):
            refused += 1
            assert len(set(here)) == 1 and here[0].startswith("-36: ") and f'"{path}"' in here[0], (
                texts[i],
                here,
            )
        else:
            assert texts[i] in exact, texts[i]
    return refused


def test_subfiles_of_a_file_that_maps_replace_go_with_it(jobs, maps, compiled, tmp_path, monkeypatch):
    """PnetCDF makes netCDF files, which are in subfiles under `collio run` only."""
    program = compiled("c/pio_maps.c", [jobs.mpi.mpicc], flags(jobs))
    monkeypatch.setenv("COLLIO_HINTS", "collio_subfiles=2")
    folder = tmp_path / "maps"
    folder.mkdir()
    for _ in range(2):
        assert maps("write", folder / "text") == [""] * 4 and maps("read", folder / "text") == said(MAPS)
        jobs.with_collio([program], "write-netcdf", folder / "netcdf")
        assert {name.split(".")[0] for name in names(folder)} == {"text", "netcdf"} and len(
            names(folder)
        ) == 3, names(folder)
    assert (
        maps("write", folder / "netcdf") == [""] * 4
        and maps("read", folder / "netcdf") == said(MAPS)
        and names(folder) == ["netcdf", "text"]
    )


def test_files_are_deleted_with_their_subfiles(jobs, maps, compiled, tmp_path, monkeypatch):
    monkeypatch.setenv("COLLIO_HINTS", "collio_subfiles=2")
    path = tmp_path / "maps" / "netcdf"
    path.parent.mkdir()
    jobs.with_collio([compiled("c/pio_maps.c", [jobs.mpi.mpicc], flags(jobs))], "write-netcdf", path)
    placeholder, plain = path.read_bytes(), path.with_name("plain")
    assert placeholder.startswith(b"collio placeholder ")
    plain.write_bytes(b"bytes")
    lines = maps("delete", path, plain, plain)
    assert lines[:8] == [""] * 8 and names(path.parent) == []
    assert len(set(lines[8:])) == 1 and "does not exist" in lines[8], lines


def test_maps_take_the_name_of_a_file_with_a_damaged_manifest(jobs, maps, compiled, tmp_path, monkeypatch):
    program, path = compiled("c/pio_maps.c", [jobs.mpi.mpicc], flags(jobs)), tmp_path / "maps"
    with monkeypatch.context() as hints:
        hints.setenv("COLLIO_HINTS", "collio_subfiles=2")
        jobs.with_collio([program], "write-netcdf", path)
    manifest = next(tmp_path.glob("*.collio/manifest"))
    manifest.write_bytes(b"X")
    assert path.read_bytes().startswith(b"collio placeholder ")
    output = jobs.natively([program], "write", path)
    assert output.count(f"{manifest} is no manifest") == 1 and f"collio fsck --orphans {tmp_path}" in output
    assert maps("read", path) == said(MAPS) and len(names(manifest.parent)) == 3


def test_cut_maps_are_refused(maps, tmp_path):
    """At every byte. Where only what PIO does not read is cut, the maps are there and are read."""
    assert maps("write", tmp_path / "alone") == [""] * 4
    new, old = (tmp_path / "alone").read_text(), text_of(MAPS) + "\nObtained 0 stack frames.\n"
    for text in (new, old):
        cuts = [text[:size] for size in range(len(text))]
        exact = [
            cut
            for cut in cuts
            if len(cut) >= len(text_of(MAPS)) - 2 and ("checksums\n" not in cut or cut == text[:-1])
        ]
        refused = check_refused_or_exact(maps, tmp_path, cuts, exact)
        print(f"{refused} of {len(cuts)} cuts refused")
        assert refused >= len(text_of(MAPS)) - 2


def test_changed_maps_are_refused(maps, tmp_path):
    """Other digits, lines that are missing, come twice or change places."""
    assert maps("write", tmp_path / "alone") == [""] * 4
    text = (tmp_path / "alone").read_text()
    digits = [i for i, letter in enumerate(text) if letter.isdigit() and not text[:i].endswith("Obtained ")]
    changed = [text[:i] + str((int(text[i]) + step) % 10) + text[i + 1 :] for i in digits for step in (1, 5)]
    lines = text.splitlines(keepends=True)
    full = [i for i, line in enumerate(lines) if line.strip() and not line.startswith("Obtained")]
    dropped, doubled = (
        ["".join([*lines[:i], *lines[i : i + 1] * times, *lines[i + 1 :]]) for i in full] for times in (0, 2)
    )
    swapped = [
        "".join([*lines[:a], lines[b], *lines[a + 1 : b], lines[a], *lines[b + 1 :]])
        for a, b in zip(full, full[1:])
    ]
    exact = ["".join(line for line in lines if line != "collio checksums\n"), text + lines[-1]]
    refused = check_refused_or_exact(maps, tmp_path, [*changed, *dropped, *doubled, *swapped], exact)
    print(f"{refused} of {len(changed) + len(dropped) + len(doubled) + len(swapped)} changes refused")
    assert (
        f"the map of rank 1 is damaged: its checksum is {checksum(1, [[], [2, 0, 20, 19, 17], [], []])}; "
        f"allowed: {checksum(1)}" in said_of(maps, tmp_path, text.replace("18", "17"))
    )


def said_of(maps, folder, text):
    (folder / "one").write_text(text)
    return maps("read", folder / "one")[0]


def test_damaged_maps_are_told_on_all_ranks(maps, tmp_path):
    good = text_of(MAPS)
    cases = {
        "": 'it has "" where a decomposition of PIO has "version"',
        good.replace("2001", "2002"): "version is 2002; allowed: 2001",
        good.replace("npes 4", "npes 0"): "npes is 0; allowed: 1 to",
        good.replace("ndims 2", "ndims x"): "ndims is x; allowed: 1 to",
        good.replace("4 6", "4 -6"): "the length of dimension 1 is -6; allowed: 1 to",
        good.replace("2 6\n", "3 6\n"): "the number of rank 2's map is 3; allowed: 2",
        good.replace("19", "25"): "an element of rank 1 is 25; allowed:",
        good.replace("16", "1.5"): "an element of rank 2 is 1.5",
        good[: good.index("14")]: "the file ends before an element of rank 2 (element 5 of 6)",
        good.replace("3 0\n", "3 9999999\n"): "the file ends before an element of rank 3",
    }
    paths = [tmp_path / f"decomposition{i}" for i in range(len(cases))]
    for path, text in zip(paths, cases):
        path.write_text(text)
    lines = maps("read", *paths, tmp_path / "missing")
    for i, (path, words) in enumerate(zip(paths, cases.values())):
        here = lines[4 * i : 4 * i + 4]
        assert (
            len(set(here)) == 1 and here[0].startswith("-36: ") and words in here[0] and str(path) in here[0]
        ), (words, here)
    assert all(line.startswith("-220: ") for line in [*lines[-4:], *maps("write", tmp_path / "no" / "alone")])


def test_maps_in_netcdf_files(maps, tmp_path):
    """What another library reads in them, and what PIO's functions read."""
    import netCDF4
    import numpy as np

    path = tmp_path / "maps.nc"
    assert maps("write-netcdf", path) == [""] * 4
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        assert (
            file.title == "four by six"
            and file.history == "made by a test"
            and file.array_order == "Fortran"
            and file.max_maplen == 6
        )
        assert file["global_size"][:].tolist() == [4, 6] and file["maplen"][:].tolist() == [
            len(one) for one in MAPS
        ]
        assert file["map"].dimensions == ("task", "map_element") and file["map"].dtype == np.int32
        assert [
            f"{high & 0xFFFFFFFF:08x}{low & 0xFFFFFFFF:08x}" for low, high in file["map_checksum"][:].tolist()
        ] == [checksum(rank) for rank in range(4)]
        for one, row in zip(MAPS, file["map"][:]):
            assert row.tolist() == [element - 1 for element in one] + [netCDF4.default_fillvals["i4"]] * (
                6 - len(one)
            )
    assert maps("read-netcdf", path) == ["four by six; made by a test; 1"] * 4
    assert Path(f"{path}.text").read_text().startswith(text_of(MAPS))


def test_cut_or_changed_maps_in_netcdf_files_are_refused(maps, tmp_path):
    """Cut at every byte, and with a bit of each byte changed."""
    assert maps("write-netcdf", tmp_path / "whole") == [""] * 4 and names(tmp_path) == ["whole"]
    whole = (tmp_path / "whole").read_bytes()
    damaged = [
        *(whole[:size] for size in range(len(whole))),
        *(whole[:i] + bytes([whole[i] ^ 1 << i % 8]) + whole[i + 1 :] for i in range(len(whole))),
    ]
    refused = 0
    for begin in range(0, len(damaged), 200):
        paths = [tmp_path / f"maps{begin + i}" for i in range(len(damaged[begin : begin + 200]))]
        for path, data in zip(paths, damaged[begin:]):
            path.write_bytes(data)
        lines = maps("read-netcdf", *paths)
        for i, path in enumerate(paths):
            here, text = lines[4 * i : 4 * i + 4], Path(f"{path}.text")
            if re.match(r"-?\d+: PIOc", here[0]):
                refused += 1
                assert len(set(here)) == 1 and f'"{path}"' in here[0], (begin + i, here)
            else:  # titles, or attributes that PIO does not read
                assert (
                    begin + i >= len(whole) and text.is_file() and text.read_text().startswith(text_of(MAPS))
                ), (begin + i - len(whole), here)
    print(f"{refused} of {len(damaged)} damaged files refused; {len(whole)} of them are cut")
    assert refused > 1.5 * len(whole)


def test_wrong_maps_in_netcdf_files_are_told_on_all_ranks(maps, tmp_path):
    import netCDF4

    def change(name, how):
        path = tmp_path / f"{name}.nc"
        with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
            tasks, longest = how.get("tasks", 4), how.get("longest", 6)
            for dim, length in (("dims", 2), ("task", tasks), ("map_element", longest)):
                if dim != how.get("without"):
                    file.createDimension(dim, length)
            file.array_order = how.get("order", "C")
            if "without" not in how:
                file.createVariable("global_size", "i4", ("dims",))[:] = how.get("shape", [4, 6])
                file.createVariable("maplen", "i4", ("task",))[:] = [how.get("length", 1)] * tasks
                file.createVariable(
                    "map", how.get("type", "i4"), how.get("map_dims", ("task", "map_element"))
                )[:] = how.get("element", 3)
        return path

    cases = {
        "dimension": ({"without": "task"}, "there is no dimension task"),
        "order": ({"order": "c"}, 'array_order is "c"; allowed: C and Fortran'),
        "tasks": ({"tasks": 3}, "the number of maps is 3; allowed: 4, the number of ranks"),
        "length": ({"length": 7}, "maplen of rank 0 is 7; allowed: 0 to 6"),
        "element": ({"element": 24}, "an element of map of rank 0 is 24; allowed: -1 to 23"),
        "low": ({"element": -2}, "an element of map of rank 0 is -2; allowed: -1 to 23"),
        "shape": ({"shape": [4, 0]}, "global_size[1] is 0; allowed: 1 and more"),
        "map": ({"map_dims": ("task",)}, "variable map has 4 elements; allowed: 24"),
        "text": ({"type": "S1", "element": b"a"}, "text is no number"),
    }
    paths = [change(name, how) for name, (how, _) in cases.items()]
    (tmp_path / "no.nc").write_text("none" * 100)
    lines = maps("read-netcdf", *paths, tmp_path / "no.nc", tmp_path / "missing.nc")
    for i, (name, (_, words)) in enumerate(cases.items()):
        here = lines[4 * i : 4 * i + 4]
        assert len(set(here)) == 1 and here[0].startswith("-") and words in here[0], (name, here)
    assert [line.split(":")[0] for line in lines[-8:]] == 4 * ["-51"] + 4 * ["-220"], lines[-8:]
    lines = maps("write-netcdf", tmp_path / "empty.nc", tmp_path / "large.nc", tmp_path / "no" / "maps.nc")
    assert all("the length of the longest map is 0; allowed: 1 and more" in line for line in lines[:4])
    assert all("allowed: 1 to 2^31" in line for line in lines[4:8]) and all(
        line.startswith("-220: ") for line in lines[8:]
    )


def test_map_of_a_real_model(maps, tmp_path):
    """REAL_PIO_MAPS names a folder with decompositions that PIO wrote, of at most 4 ranks."""
    folder = os.environ.get("REAL_PIO_MAPS") or pytest.skip("REAL_PIO_MAPS names no decompositions of PIO")
    for path in sorted(Path(folder).iterdir()):
        lines = maps("read", path)
        words = path.read_text().split()
        ranks, dims = int(words[3]), int(words[5])
        at = 6 + dims
        for rank in range(ranks):
            count = int(words[at + 1])
            assert lines[rank] == said([words[at + 2 : at + 2 + count]], " ".join(words[6 : 6 + dims]))[0]
            at += 2 + count
