"""The hint table, its values, and that the engine has the same table."""

import re
import subprocess
from pathlib import Path

import pytest

from collio import builds, config, hints, mpi_libraries

POLICY = Path(__file__).resolve().parents[2] / "src" / "policy"


def test_the_engine_has_the_same_table():
    programs = [
        builds.Build.of(library).program("collio_hint_rows") for library in mpi_libraries.find_mpi_libraries()
    ]
    program = next((path for path in programs if path.exists()), None)
    if program is None:
        pytest.skip("collio_hint_rows is not built")
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    assert [tuple(line.split("\t")) for line in said] == [
        (hint.key, hint.default, hint.allowed, hint.meaning) for hint in hints.HINTS
    ]


def test_the_engine_reads_the_same_settings_of_other_layers():
    text = (POLICY / "hints/other_settings.cpp").read_text()
    assert re.findall(r'\{"(OMPI_MCA_\w+)", \{', text) == [
        name for name in hints.OF_OTHER_LAYERS if name.startswith("OMPI_")
    ]


def test_every_default_but_the_derived_is_allowed():
    for hint in hints.HINTS:
        assert hint.parse(hint.default) == hint.default


@pytest.mark.parametrize(
    "key, value, parsed",
    [
        ("cb_nodes", "8", "8"),
        ("cb_nodes", "auto", "auto"),
        ("cb_buffer_size", "4MiB", "4194304"),
        ("cb_buffer_size", "512k", "524288"),
        ("cb_buffer_size", "1g", "1073741824"),
        ("romio_cb_write", "disable", "disable"),
        ("collio_path", "two_phase", "two_phase"),
        ("cb_config_list", "n1:2,n2,*:*", "n1:2,n2,*:*"),
        ("striping_unit", "1048576", "1048576"),
        ("striping_unit", "0", "0"),
        ("striping_factor", "-1", "-1"),
        ("striping_factor", "0", "0"),
        ("nc_num_aggrs_per_node", "0", "0"),
        ("romio_cb_write", "ENABLE", "ENABLE"),
    ],
)
def test_good_values(key, value, parsed):
    assert hints.check_hint(key, value) == (parsed, None)


@pytest.mark.parametrize(
    "key, value",
    [
        ("cb_nodes", "0"),
        ("cb_nodes", "many"),
        ("cb_nodes", "-1"),
        ("cb_buffer_size", "2g"),
        ("cb_buffer_size", "auto"),
        ("collio_path", "quick"),
        ("romio_cb_read", "yes"),
        ("cb_config_list", "n1:x"),
        ("cb_config_list", "a;b"),
        ("collio_enable", ""),
    ],
)
def test_bad_values_are_named_with_what_is_allowed(key, value):
    with pytest.raises(hints.HintError) as error:
        hints.check_hint(key, value)
    assert f"{key}={value}" in str(error.value) and hints.BY_KEY[key].allowed in str(error.value)


@pytest.mark.parametrize(
    "value, told",
    [
        ("4MB", "; write MiB, or m, for powers of two"),
        ("1gb", "; write GiB, or g,"),
        ("512kB", "; write KiB, or k,"),
    ],
)
def test_units_that_may_mean_either_are_refused(value, told):
    with pytest.raises(hints.HintError) as error:
        hints.check_hint("cb_buffer_size", value)
    assert told in str(error.value)


def test_unknown_keys():
    with pytest.raises(hints.HintError, match="did you mean collio_path"):
        hints.check_hint("collio_pth", "auto")
    with pytest.raises(hints.HintError, match="no such hint"):
        hints.check_hint("speed", "high")
    value, warning = hints.check_hint("romio_no_indep_rw", "true")
    assert value == "true" and "romio_no_indep_rw" in warning


def test_encoding_goes_both_ways():
    given = {"cb_nodes": "2", "cb_config_list": "a:1,*:2"}
    assert hints.decode_hints(hints.encode_hints(given)) == given


def test_later_sources_win(tmp_path):
    path = tmp_path / "config"
    path.write_text("# site\ncb_nodes = 2   # two\ncb_buffer_size = 1MiB\ncollio_path=auto\n\n")
    environ = {
        "COLLIO_CONFIG": str(path),
        "COLLIO_HINTS": "cb_nodes=3;cb_buffer_size=2MiB",
        "HOME": str(tmp_path),
    }
    settings = config.gather_settings(["cb_nodes=4"], environ)
    assert settings.hints == {"cb_nodes": "4", "cb_buffer_size": "2097152", "collio_path": "auto"}
    assert settings.origins == {
        "cb_nodes": "--set",
        "cb_buffer_size": "COLLIO_HINTS",
        "collio_path": str(path),
    }


def test_places_of_the_config_file(tmp_path):
    environ = {"HOME": str(tmp_path)}
    assert config.config_path(environ) is None
    home = tmp_path / ".config" / "collio" / "config"
    home.parent.mkdir(parents=True)
    home.write_text("cb_nodes = 5\n")
    assert config.config_path(environ) == home
    (tmp_path / "collio.conf").write_text("cb_nodes = 6\n")  # the working directory of the test
    assert config.config_path(environ) == Path("collio.conf")
    with pytest.raises(config.ConfigError, match="no such file"):
        config.config_path({**environ, "COLLIO_CONFIG": str(tmp_path / "missing")})


def test_a_bad_line_is_named(tmp_path):
    (tmp_path / "collio.conf").write_text("cb_nodes = 5\nnonsense\n")
    with pytest.raises(config.ConfigError, match="collio.conf:2"):
        config.gather_settings([], {"HOME": str(tmp_path)})


def test_hints_for_files_by_path(tmp_path):
    (tmp_path / "collio.conf").write_text(
        "cb_nodes = 5\n[*.nc]  # NetCDF\ncb_nodes = 2\ncb_buffer_size = 4MiB\n[/scratch/*]\n"
    )
    environ = {"HOME": str(tmp_path), "COLLIO_SET_FOR": "/a:b/*.h5: cb_config_list=n1:2,*:1, cb_nodes=3 ;"}
    settings = config.gather_settings([], environ)
    assert settings.hints == {"cb_nodes": "5"}
    assert settings.rules == [
        config.Rule("*.nc", {"cb_nodes": "2", "cb_buffer_size": "4194304"}, "collio.conf"),
        config.Rule("/a:b/*.h5", {"cb_config_list": "n1:2,*:1", "cb_nodes": "3"}, "COLLIO_SET_FOR"),
    ]
    assert (
        settings.path_hints()
        == "*.nc: cb_nodes=2, cb_buffer_size=4194304; /a:b/*.h5: cb_config_list=n1:2,*:1, cb_nodes=3"
    )
    assert hints.decode_path_hints(settings.path_hints()) == [
        (rule.pattern, rule.hints) for rule in settings.rules
    ]


@pytest.mark.parametrize(
    "text",
    [
        "*.nc",
        "*.nc:",
        "*.nc cb_nodes=4",
        ": cb_nodes=4",
        "*.nc: cb_nodes",
        "*.nc: =4",
        "*.nc: cb_nodes=",
        "*.nc: cb nodes=4",
    ],
)
def test_a_rule_that_is_none_is_named(tmp_path, text):
    with pytest.raises(hints.HintError) as error:
        config.gather_settings([], {"HOME": str(tmp_path), "COLLIO_SET_FOR": f"*.h5: cb_nodes=2; {text}"})
    assert f"COLLIO_SET_FOR: {text!r}" in str(error.value) and "PATTERN: key=value" in str(error.value)


@pytest.mark.parametrize(
    "rule, told",
    [("*.nc: cb_nodes=many", "COLLIO_SET_FOR: cb_nodes=many"), ("*.nc: speed=high", "no such hint")],
)
def test_hints_by_path_are_checked(tmp_path, rule, told):
    with pytest.raises(hints.HintError, match=told):
        config.gather_settings([], {"HOME": str(tmp_path), "COLLIO_SET_FOR": rule})


@pytest.mark.parametrize("section", ["[]", "[a=b]", "[a;b]\ncb_nodes = 2"])
def test_a_section_that_is_no_pattern_is_named(tmp_path, section):
    (tmp_path / "collio.conf").write_text(section + "\n")
    with pytest.raises((config.ConfigError, hints.HintError), match="collio.conf"):
        config.gather_settings([], {"HOME": str(tmp_path)})
