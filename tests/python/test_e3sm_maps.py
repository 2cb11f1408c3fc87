"""Map files: the benchmark's netCDF decompositions, dealing out, the binary form for the C programs, and what
is said of bad ones."""

import json
import random

import numpy as np
import pytest

import mutated
from collio import e3sm
from collio.e3sm.__main__ import main
from collio.e3sm.mapset import assemble, coalesce

REAL = e3sm.find_real_maps()


def real(name):
    if name not in REAL:
        pytest.skip(f"{name} is not at hand (COLLIO_E3SM_MAPS names the folder)")
    return e3sm.read_map(REAL[name])


def owned(decomposition):
    """(element, rank) of everything written, sorted."""
    pairs = []
    for rank in range(decomposition.ranks):
        pairs += [
            (e, rank)
            for offset, length in decomposition.rank(rank).tolist()
            for e in range(offset, offset + length)
        ]
    return sorted(pairs)


def small_map(path, change=None):
    """A good map of 2 ranks and one decomposition, as the benchmark writes them, after `change(contents)`."""
    netCDF4 = pytest.importorskip("netCDF4")
    contents = {
        "ranks": 2,
        "D1.nreqs": [2, 2],
        "D1.offsets": [4, 0, 2, 6],
        "D1.lengths": [2, 2, 2, 1],
        "dims": [8],
    }
    if change:
        change(contents)
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        file.createDimension("num_decomp", 1)
        if contents["ranks"] is not None:
            file.createDimension("decomp_nprocs", contents["ranks"])
        for name in ("D1.nreqs", "D1.offsets", "D1.lengths"):
            if contents[name] is None:
                continue
            file.createDimension(f"{name}.size", len(contents[name]))
            kind = "i4" if all(isinstance(v, int) for v in contents[name]) else "f8"
            file.createVariable(name, kind, (f"{name}.size",))[:] = contents[name]
        if contents["dims"] is not None:
            file.setncattr("D1.dims", np.array(contents["dims"], dtype=np.int32))
    return path


def test_small_map_is_sorted_and_joined(tmp_path):
    maps = e3sm.read_map(small_map(tmp_path / "map.nc"))
    assert maps.ranks == 2
    assert maps["D1"].dims == (8,)
    assert maps["D1"].rank(0).tolist() == [[0, 2], [4, 2]]
    assert maps["D1"].rank(1).tolist() == [[2, 2], [6, 1]]
    assert maps["D1"].covered == 7  # element 7 is a hole


def test_map_without_dims_is_as_long_as_its_last_request(tmp_path):
    assert e3sm.read_map(small_map(tmp_path / "map.nc", lambda c: c.update(dims=None)))["D1"].dims == (7,)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ranks": None}, "decomp_nprocs"),
        ({"ranks": 3}, "D1.nreqs has 2 values for 3 ranks"),
        ({"D1.nreqs": None}, "num_decomp is 1"),
        ({"D1.offsets": None}, "has no variable 'D1.offsets'"),
        ({"D1.lengths": None}, "has no variable 'D1.lengths'"),
        ({"D1.nreqs": [3, 2]}, "adds up to 5 requests, D1.offsets has 4"),
        ({"D1.nreqs": [-1, 5]}, "rank 0 is -1"),
        ({"D1.lengths": [2, 2, 2]}, "they must agree"),
        ({"D1.lengths": [2, 2, 0, 1]}, r"request 2 \(rank 1\) has offset 2 and length 0"),
        ({"D1.offsets": [4, -3, 2, 6]}, r"request 1 \(rank 0\) has offset -3"),
        ({"D1.offsets": [4, 0, 2, 8]}, r"request 3 \(rank 1\) has offset 8 and length 1.*ending by 8"),
        ({"D1.offsets": [4, 0, 3, 6]}, "element 4 has two writers, ranks 1 and 0"),
        ({"D1.offsets": [4, 0, 2.5, 6]}, "allowed: integers"),
        ({"dims": [-8]}, "D1.dims is"),
    ],
)
def test_corrupt_maps_are_refused_with_a_clear_word(tmp_path, change, said):
    path = small_map(tmp_path / "map.nc", lambda contents: contents.update(change))
    with pytest.raises(e3sm.MapError, match=said) as caught:
        e3sm.read_map(path)
    assert str(path) in str(caught.value)


def test_missing_map(tmp_path):
    with pytest.raises(e3sm.MapError, match="no such file"):
        e3sm.read_map(tmp_path / "nowhere.nc")


def test_not_a_netcdf_file(tmp_path):
    path = tmp_path / "map.nc"
    path.write_text("no map at all")
    with pytest.raises(e3sm.MapError, match="not a readable netCDF file"):
        e3sm.read_map(path)


@pytest.mark.parametrize("keep", [0, 3, 10, 60, 0.5, 0.95])
def test_truncated_maps(tmp_path, keep):
    path = small_map(tmp_path / "map.nc")
    data = path.read_bytes()
    path.write_bytes(data[: int(keep * len(data)) if isinstance(keep, float) else keep])
    with pytest.raises(e3sm.MapError, match="map.nc"):
        e3sm.read_map(path)


def test_real_atmosphere_map():
    maps = real("map_f_case_16p.nc")
    assert maps.ranks == 16
    assert maps.names == ["D1", "D2", "D3"]
    assert [maps[n].dims for n in maps.names] == [(866,), (866,), (72, 866)]
    assert maps["D1"].pieces == 47
    assert maps["D1"].rank(0).tolist() == [[0, 16], [52, 12], [91, 21], [130, 21]]
    for decomposition in maps.decompositions:
        assert decomposition.covered == decomposition.elements


def test_real_ocean_map():
    maps = real("map_g_case_16p.nc")
    assert maps.names == ["D1", "D2", "D3", "D4", "D5", "D6"]
    assert maps["D6"].dims == (285, 101)
    for decomposition in maps.decompositions:
        assert decomposition.covered == decomposition.elements


def test_generated_grid_resembles_the_real_one():
    """The same grid on the same ranks: as many pieces, give or take a few, in dynamics and physics."""
    true = real("map_f_case_16p.nc")
    made = e3sm.generate(ne=4, levels=72, ranks=16, model_ranks=16)
    for name in true.names:
        assert made[name].dims == true[name].dims
        assert 0.6 < made[name].pieces / true[name].pieces < 1.5
        sizes = [made[name].rank(r)[:, 1].sum() for r in range(16)]
        assert max(sizes) < 1.5 * made[name].elements / 16


@pytest.mark.parametrize("ranks", [1, 3, 8, 16, 17, 40, 500])
@pytest.mark.parametrize("name", ["map_f_case_16p.nc", "map_g_case_16p.nc"])
def test_dealing_out_keeps_every_element(name, ranks):
    maps = real(name)
    dealt = e3sm.deal_out(maps, ranks)
    for before, after in zip(maps.decompositions, dealt.decompositions):
        after.check()
        assert after.ranks == ranks
        assert [e for e, _ in owned(after)] == [e for e, _ in owned(before)]


def test_dealing_out_to_fewer_joins_neighbours():
    maps = e3sm.generate(ne=2, levels=1, ranks=6, model_ranks=6)
    dealt = e3sm.deal_out(maps, 3)
    joined = coalesce(np.concatenate([maps["D1"].rank(0), maps["D1"].rank(1)]))
    assert dealt["D1"].rank(0).tolist() == joined.tolist()


def test_dealing_out_to_more_is_even():
    runs = np.column_stack((np.arange(0, 1000, 10), np.full(100, 4)))
    maps = e3sm.MapSet((assemble("D1", (1000,), [runs, runs + [5, 0]]),))
    sizes = [len(e3sm.deal_out(maps, 10)["D1"].rank(r)) for r in range(10)]
    assert sizes == [20] * 10


def test_dealing_out_to_nobody():
    with pytest.raises(e3sm.MapError, match="ranks is 0"):
        e3sm.deal_out(e3sm.generate(ne=1, levels=1, ranks=2), 0)


def test_binary_round_trip(tmp_path):
    maps = e3sm.generate(ne=3, levels=4, ranks=5, holes=0.2)
    e3sm.write_binary(maps, tmp_path / "map")
    back = e3sm.read_binary(tmp_path / "map")
    assert back.names == maps.names
    for one, other in zip(maps.decompositions, back.decompositions):
        assert one.dims == other.dims
        assert one.counts.tolist() == other.counts.tolist()
        assert one.runs.tolist() == other.runs.tolist()


@pytest.mark.parametrize("keep", [0, 7, 20, 100, 300, -16, -1])
def test_truncated_binary(tmp_path, keep):
    e3sm.write_binary(e3sm.generate(ne=1, levels=2, ranks=3), tmp_path / "map")
    data = (tmp_path / "map").read_bytes()
    (tmp_path / "map").write_bytes(data[:keep])
    with pytest.raises(e3sm.MapError, match="map"):
        e3sm.read_binary(tmp_path / "map")


@pytest.mark.parametrize(
    ("at", "value", "said"),
    [
        (0, 1, "starts with"),
        (8, 2, "version 2"),
        (16, -1, "-1 ranks"),
        (24, 0, "0 decompositions"),
        (32 + 16, 9, "9 dims"),
        (32 + 24, 0, r"dims \[0"),
        (32 + 4 * 64 + 2 * 8 * 4 * 3 // 6 - 8, -5, "map"),
    ],
)
def test_corrupt_binary(tmp_path, at, value, said):
    e3sm.write_binary(e3sm.generate(ne=1, levels=2, ranks=3), tmp_path / "map")
    data = bytearray((tmp_path / "map").read_bytes())
    data[at : at + 8] = np.int64(value).tobytes()
    (tmp_path / "map").write_bytes(data)
    with pytest.raises(e3sm.MapError, match=said):
        e3sm.read_binary(tmp_path / "map")


def test_unknown_decomposition_is_named():
    with pytest.raises(e3sm.MapError, match="D9.*allowed: D1, D2, D3, D4"):
        e3sm.generate(ne=1, levels=1, ranks=1)["D9"]


def test_command_line(tmp_path, capsys):
    assert main(["--ne", "2", "--levels", "3", "--ranks", "4", "--output", str(tmp_path / "map")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ranks"] == 4
    assert said["decompositions"][2]["dims"] == [3, 218]
    assert main(["--ne", "0", "--ranks", "4", "--output", str(tmp_path / "map")]) == 2
    assert "ne is 0" in capsys.readouterr().err


def test_mutated_binary_maps(tmp_path):
    path = tmp_path / "map"
    e3sm.write_binary(e3sm.read_map(small_map(tmp_path / "map.nc")), path)
    good = path.read_bytes()

    def changed():
        yield from mutated.contents(good, 200)
        chance = random.Random(2)
        for _ in range(300):  # numbers alone: the file keeps its form
            values = np.frombuffer(good, dtype=np.int64).copy()
            for _ in range(chance.choice((1, 2))):
                values[chance.randrange(1, len(values))] = chance.choice(
                    (0, 1, 2, 3, 7, 8, -1, 2**62, 2**63 - 1, -(2**63), 2**32)
                )
            yield values.tobytes()

    def read(content):
        path.write_bytes(content)
        maps = e3sm.read_binary(path)
        assert all(
            0 < decomposition.covered <= decomposition.elements for decomposition in maps.decompositions
        )

    taken, refused = mutated.accepted(read, changed(), e3sm.MapError)
    assert taken > 5 and refused > 200


def test_mutated_maps_of_the_benchmark(tmp_path):
    """In form, and byte by byte: netCDF's own library reads the latter."""
    good = {
        "ranks": 2,
        "D1.nreqs": [2, 2],
        "D1.offsets": [4, 0, 2, 6],
        "D1.lengths": [2, 2, 2, 1],
        "dims": [8],
    }
    numbers = (0, 1, 3, 8, -1, 2**31 - 1, -(2**31))
    chance = random.Random(3)

    def change(contents):
        for _ in range(chance.choice((1, 2))):
            key = chance.choice([key for key in good if contents[key]])
            if key == "ranks":
                contents[key] = chance.choice((None, 1, 2, 3))
            elif chance.randrange(4) == 0:
                contents[key] = (
                    contents[key] + [chance.choice(numbers)] if chance.randrange(2) else contents[key][1:]
                )
            else:
                contents[key] = list(contents[key])
                contents[key][chance.randrange(len(contents[key]))] = chance.choice(numbers)

    def read(_):
        path = small_map(tmp_path / f"map{chance.randrange(1 << 30)}.nc", change)
        maps = e3sm.read_map(path)
        path.unlink()
        assert all(decomposition.covered <= decomposition.elements for decomposition in maps.decompositions)

    taken, refused = mutated.accepted(read, range(150), e3sm.MapError)
    assert taken > 5 and refused > 50
