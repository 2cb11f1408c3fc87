"""A site with two made-up MPI libraries: compiler wrappers, headers and launchers are a few lines of shell
each.

The launchers do what matters here of the real ones. hydra's hands its environment on, unless `-genvnone`
is given, and sets `-genv`'s. Open MPI's hands on what `-x` names, separately in each `:`-part, and nothing
else.
"""

import json
import shutil
from pathlib import Path
from typing import ClassVar

import whole_reports

HYDRA = """#!/bin/bash
if [ "$1" = --version ]; then echo "HYDRA build details:"; echo "    Version: 9.9.1"; exit 0; fi
declare -a set_here; none=
while [ $# -gt 0 ]; do case $1 in
  -n|-host) shift 2 ;;
  -genv) set_here+=("$2=$3"); shift 3 ;;
  -genvnone) none=1; shift ;;
  *) break ;;
esac; done
if [ $none ]; then exec env -i PATH="$PATH" "${set_here[@]}" "$@"; else exec env "${set_here[@]}" "$@"; fi
"""

OPENMPI = """#!/bin/bash
if [ "$1" = --version ]; then echo "mpiexec (OpenRTE) 9.9.2"; exit 0; fi
run_part() {
  local -a set_here
  while [ $# -gt 0 ]; do case $1 in
    -n|--host|--bind-to) shift 2 ;;
    --oversubscribe) shift ;;
    --mca) shift 3 ;;
    -x) case $2 in *=*) set_here+=("$2") ;; *) set_here+=("$2=${!2}") ;; esac; shift 2 ;;
    *) break ;;
  esac; done
  env -i PATH="$PATH" "${set_here[@]}" "$@"
}
part=(); code=0
for word in "$@" :; do
  if [ "$word" = : ]; then run_part "${part[@]}" || code=$?; part=(); else part+=("$word"); fi
done
exit $code
"""

SRUN = """#!/bin/bash
if [ "$1" = --version ]; then echo "slurm 99.1"; exit 0; fi
export=ALL
while [ $# -gt 0 ]; do case $1 in
  -n) shift 2 ;;
  --export=*) export=${1#*=}; shift ;;
  --export) export=$2; shift 2 ;;
  *) break ;;
esac; done
declare -a set_here; only="-i PATH=$PATH"
for name in ${export//,/ }; do case $name in
  ALL) only= ;;
  *=*) set_here+=("$name") ;;
  *) set_here+=("$name=${!name}") ;;
esac; done
exec env $only "${set_here[@]}" "$@"
"""

REPORT_LINE = whole_reports.file(
    file="x",
    calls=[
        {
            "operation": "write_all",
            "path": "two_phase",
            "reason": "small",
            "bytes": 100,
            "seconds": {
                "total": {"min": 1.5, "median": 1.5, "max": 1.5},
                "write": {"min": 1.0, "median": 1.0, "max": 1.0},
            },
        }
    ],
)
COLLIO_BENCH = """#!/bin/bash
# Prints what a measuring program would, "slow" natively; leaves a report line when collio is preloaded.
mode=mpiio; seconds=3.0; verified=${FAKE_VERIFIED:-true}
while [ $# -gt 0 ]; do [ "$1" = --mode ] && mode=$2; shift; done
case $LD_PRELOAD in *libcollio_mpiio.so*) seconds=1.5
  [ -n "$COLLIO_REPORT" ] && echo 'REPORT_LINE' >> "$COLLIO_REPORT" ;; esac
[ $mode = floor ] && seconds=0.5
cat <<END
some other line
{"program": "collio_bench", "bytes": 100, "pieces": 4, "file_bytes": 100, "mpi": "Fake 9.9", \\
"parameters": {"size": "32"}, "verified": $verified, "errors": [], "operations": [{"operation": "write", \\
"seconds": $seconds, "bytes": 100, "peak_rss_above_buffer_bytes": 4096, "data_s": $seconds}, \\
{"operation": "read", "seconds": $seconds, "bytes": 100, "peak_rss_above_buffer_bytes": 8192}]}
END
exit ${FAKE_EXIT:-0}
"""

HEADERS = {
    "mpich": '#define MPICH_VERSION "9.9.1"\n',
    "openmpi": "#define OMPI_MAJOR_VERSION 9\n#define OMPI_MINOR_VERSION 9\n#define OMPI_RELEASE_VERSION 2\n",
}


class FakeSite:
    """Its parts are paths: `mpiexec["mpich"]`, `srun`, `interposer["openmpi"]`, `show_environment`."""

    ids: ClassVar = {"mpich": "mpich-9.9.1", "openmpi": "openmpi-9.9.2"}

    def __init__(self, root: Path, monkeypatch, library: Path):
        self.root, self.monkeypatch = root, monkeypatch
        self.mpiexec, self.interposer = {}, {}
        folders = []
        for family, launcher in (("mpich", HYDRA), ("openmpi", OPENMPI)):
            prefix = root / family
            self._write(prefix / "include" / "mpi.h", HEADERS[family])
            (prefix / "lib").mkdir()
            shutil.copy(library, prefix / "lib" / "libmpi.so")
            show = f"#!/bin/sh\necho gcc -I{prefix}/include -L{prefix}/lib -lmpi\n"
            self._write(prefix / "bin" / "mpicc", show, executable=True)
            self.mpiexec[family] = self._write(prefix / "bin" / "mpiexec", launcher, executable=True)
            self.interposer[family] = root / "build" / self.ids[family] / "lib" / "libcollio_mpiio.so"
            self.interposer[family].parent.mkdir(parents=True)
            shutil.copy(library, self.interposer[family])
            folders.append(str(prefix / "bin"))
            tree = self.interposer[family].parents[1]
            self._write(
                tree / "bin" / "collio_bench",
                COLLIO_BENCH.replace("REPORT_LINE", json.dumps(REPORT_LINE)),
                executable=True,
            )
            shutil.copy(library, tree / "lib" / "libcollio_yield.so")
        self.srun = self._write(root / "slurm" / "srun", SRUN, executable=True)
        self.show_environment = self._write(
            root / "programs" / "show_environment",
            '#!/bin/sh\necho "preload=$LD_PRELOAD"; echo "hints=$COLLIO_HINTS"; echo '
            '"verbose=$COLLIO_VERBOSE"\n',
            executable=True,
        )
        monkeypatch.setenv("COLLIO_BUILD", str(root / "build"))
        monkeypatch.setenv("PATH", ":".join([*folders, "/usr/bin", "/bin"]))

    def program(self, name: str, text: str) -> Path:
        """An executable script."""
        return self._write(self.root / "programs" / name, "#!/bin/sh\n" + text, executable=True)

    @staticmethod
    def _write(path: Path, text: str, executable: bool = False) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if executable else 0o644)
        return path
