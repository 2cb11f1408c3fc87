"""Re-dealt sets: files in subfiles whose stripes go to fewer subfiles from some stripe on, read by collio's
Python."""

import random

import pytest

import collio
import redealt
from collio.subfiles import manifest, reading, subfile_set
from collio.subfiles.layout import Deal, Layout

EXAMPLE = [(4, [0, 2])]
"""Of three subfiles: stripes 0 to 7 are in 0, 1, 2, 0, then in 0, 2, 0, 2."""


@pytest.fixture
def dice():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.nc"


def layout_of(unit, count, deals):
    return Layout(unit, count, [Deal(first, tuple(members)) for first, members in deals])


# --- arithmetic -----------------------------------------------------------------------------------


def test_the_example():
    layout = layout_of(10, 3, EXAMPLE)
    assert [layout.place(stripe) for stripe in range(8)] == [
        (0, 0),
        (1, 0),
        (2, 0),
        (0, 1),
        (0, 2),
        (2, 1),
        (0, 3),
        (2, 2),
    ]
    assert layout.shares(75) == [40, 10, 25] and layout.shares(38) == [18, 10, 10]
    assert list(layout.stripes(0, 65)) == [(0, 0, 10), (10, 30, 10), (20, 40, 10), (30, 60, 5)] and list(
        layout.stripes(1, 65)
    ) == [(0, 10, 10)]
    assert [layout.length_by(0, 35), layout.length_by(2, 21), layout.length_by(1, 7)] == [65, 71, 17]
    assert layout.length_by(1, 500) == 20, "what no stripe has does not count"
    assert layout_of(10, 3, [(1, [0])]).length_by(2, 500) == 0, "it has no stripe"


def test_it_is_as_a_table_of_all_stripes(dice):
    for _ in range(300):
        unit, count = dice.choice([1, 7, 1000]), dice.randrange(1, 9)
        deals = redealt.random_deals(dice, count)
        layout, places = layout_of(unit, count, deals), redealt.table(count, deals, 80)
        assert [layout.place(stripe) for stripe in range(80)] == places
        file_bytes = dice.randrange(80 * unit)
        parts = [[] for _ in range(count)]
        for stripe in range(-(-file_bytes // unit)):
            subfile, row = places[stripe]
            parts[subfile].append((row * unit, stripe * unit, min(unit, file_bytes - stripe * unit)))
        assert [list(layout.stripes(subfile, file_bytes)) for subfile in range(count)] == parts, (
            unit,
            count,
            deals,
        )
        assert layout.shares(file_bytes) == [sum(part[2] for part in own) for own in parts], (
            unit,
            count,
            deals,
        )
        lengths = redealt.random_lengths(dice, unit, count)
        assert max(map(layout.length_by, range(count), lengths)) == redealt.length_by(
            lengths, unit, count, deals
        ), (unit, count, deals, lengths)
        assert max(map(layout.length_by, range(count), layout.shares(file_bytes))) == file_bytes


def test_a_thousand_deals_far_apart(dice):
    layout = layout_of(
        1 << 20, 64, [(number << 50, list(range(number % 64 + 1))) for number in range(1, 1001)]
    )
    for stripe in (0, 1 << 50, 500 << 50, *(dice.randrange(1001 << 50) for _ in range(20))):
        subfile, row = layout.place(stripe)
        shares = layout.shares(stripe << 20 | 5)
        assert (
            sum(shares) == max(map(layout.length_by, range(64), shares)) == stripe << 20 | 5
            and shares[subfile] == row << 20 | 5
        )


# --- manifests ------------------------------------------------------------------------------------


def test_a_manifest_without_deals_is_of_version_1():
    own = manifest.Manifest(redealt.IDENTITY, True, b"out.nc", 0, 10, 3, file_bytes=75)
    assert own.text() == redealt.manifest_text(10, 3, [], 75)


def test_deals_are_what_the_text_gives():
    deals = [(4, [0, 2]), (9, [1]), ((1 << 63) - 1, [0, 1, 2])]
    text = redealt.manifest_text(10, 3, redealt.lines_of(deals), 75)
    read = manifest.parse(text, "m")
    assert read.deals == [Deal(first, tuple(members)) for first, members in deals] and read.text() == text
    thousand = redealt.manifest_text(10, 3, [f"{first} 0" for first in range(1, 1001)], 75)
    assert manifest.parse(thousand, "m").text() == thousand


@pytest.mark.parametrize(("broken", "text"), redealt.refused_texts().items())
def test_a_broken_rule_is_damage(broken, text):
    with pytest.raises(manifest.ManifestError, match="is damaged"):
        manifest.parse(text, "m")


@pytest.mark.parametrize("version", [0, 3, 10, 22])
def test_another_version_is_told(version):
    with pytest.raises(
        manifest.ManifestError, match="m is a manifest of another version; this collio reads versions 1 and 2"
    ):
        manifest.parse(redealt.manifest_text(10, 3, ["4 0 2"], 75, version), "m")


def test_every_changed_byte_of_a_manifest_with_deals_is_an_error():
    text = redealt.manifest_text(10, 3, ["4 0 2", "12 1"], 75)
    for at in range(len(text)):
        for damaged in (
            text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :],
            text[:at],
            text[:at] + text[at + 1 :],
        ):
            with pytest.raises(manifest.ManifestError):
                manifest.parse(damaged, "m")


# --- files ----------------------------------------------------------------------------------------


def test_what_is_made_by_hand_is_read_checked_and_joined(cli, path, dice):
    for _ in range(20):
        data = redealt.random_set(dice, path)
        with collio.open_file(path) as file:
            assert file.read() == data
            for _ in range(20):
                at, count = dice.randrange(len(data) + 10), dice.choice([1, 699, 5000])
                assert file.seek(at) == at and file.read(count) == data[at : at + count]
        told = cli("fsck", path)
        assert told.exit_code == 0 and "nothing is missing" in told.output, told.output
        assert cli("join", path).exit_code == 0
        assert path.read_bytes() == data and [left.name for left in path.parent.iterdir()] == ["out.nc"]
        path.unlink()


def test_fsck_says_where_the_stripes_go(cli, path):
    redealt.make(path, bytes(75), 10, 3, [(2, [1, 2]), (4, [0, 2])])
    assert "re-dealt 2 times; from byte 40 on, stripes go to 2 subfiles: 0, 2\n" in cli("fsck", path).output


@pytest.mark.parametrize(("subfile", "share"), [(0, 40), (1, 10), (2, 25)])
def test_a_subfile_shorter_than_its_share_is_told(cli, path, subfile, share):
    damaged = redealt.make(path, bytes(75), 10, 3, EXAMPLE)[subfile]
    damaged.write_bytes(bytes(share - 1))
    told = cli("fsck", path)
    assert (
        told.exit_code == 1
        and f"too short: {damaged} has {share - 1} bytes; the manifest says at least {share}" in told.output
    )
    assert "is damaged" in cli("join", path).output
    with pytest.raises(manifest.ManifestError, match="too short"):
        collio.open_file(path)


def test_what_lies_behind_the_last_stripe_is_not_of_the_file(cli, path):
    data = random.Random(3).randbytes(75)
    left = redealt.make(path, data, 10, 3, EXAMPLE)[1]
    left.write_bytes(left.read_bytes() + bytes(500))
    with collio.open_file(path) as file:
        assert file.read() == data
    assert cli("join", path).exit_code == 0 and path.read_bytes() == data


def test_a_file_that_is_re_dealt_while_it_is_opened(path, monkeypatch):
    """The lengths of the subfiles mean other bytes then."""
    data, real = random.Random(4).randbytes(200), subfile_set.SubfileSet.length
    redealt.make(path, data[:40], 10, 3, [], complete=False)

    def length(found):
        if not found.manifest.deals:
            redealt.make(path, data, 10, 3, EXAMPLE, complete=False)
        return real(found)

    monkeypatch.setattr(subfile_set.SubfileSet, "length", length)
    with reading.SubfileReader(path) as file:
        assert file.readall() == data


def test_libraries_read_it(path):
    netcdf, h5py, xarray = (
        pytest.importorskip("netCDF4"),
        pytest.importorskip("h5py"),
        pytest.importorskip("xarray"),
    )
    values = [float(number) for number in range(5000)]
    for form in ("NETCDF3_64BIT_DATA", "NETCDF4"):
        plain = path.with_name(f"{form}.plain")
        with netcdf.Dataset(plain, "w", format=form) as data:
            data.createDimension("x", 5000)
            data.createVariable("v", "f8", ("x",))[:] = values
        redealt.make(path.with_name(f"{form}.nc"), plain.read_bytes(), 700, 5, [(3, [0, 2, 4]), (11, [4])])
        with xarray.open_dataset(path.with_name(f"{form}.nc")) as data:
            assert list(data["v"].values) == values
    with h5py.File(collio.open_file(path.with_name("NETCDF4.nc")), "r") as data:
        assert list(data["v"]) == values
