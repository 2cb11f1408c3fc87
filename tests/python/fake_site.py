"""A site with two made-up MPI libraries: compiler wrappers, headers and launchers are a few lines of shell each.

The launchers do what matters here of the real ones. hydra's hands its environment on, unless `-genvnone`
is given, and sets `-genv`'s. Open MPI's hands on what `-x` names, separately in each `:`-part, and nothing else.
"""

import shutil
from pathlib import Path

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
    -n|--host) shift 2 ;;
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
while [ $# -gt 0 ]; do case $1 in -n) shift 2 ;; --export=*) export=${1#*=}; shift ;; *) break ;; esac; done
if [ $export = ALL ]; then exec "$@"; fi
declare -a set_here
for name in ${export//,/ }; do set_here+=("$name=${!name}"); done
exec env -i PATH="$PATH" "${set_here[@]}" "$@"
"""

HEADERS = {
    "mpich": '#define MPICH_VERSION "9.9.1"\n',
    "openmpi": "#define OMPI_MAJOR_VERSION 9\n#define OMPI_MINOR_VERSION 9\n#define OMPI_RELEASE_VERSION 2\n",
}


class FakeSite:
    """Its parts are paths: `mpiexec["mpich"]`, `srun`, `interposer["openmpi"]`, `show_environment`."""

    ids = {"mpich": "mpich-9.9.1", "openmpi": "openmpi-9.9.2"}

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
        self.srun = self._write(root / "slurm" / "srun", SRUN, executable=True)
        self.show_environment = self._write(
            root / "programs" / "show_environment",
            '#!/bin/sh\necho "preload=$LD_PRELOAD"; echo "hints=$COLLIO_HINTS"; echo "verbose=$COLLIO_VERBOSE"\n', executable=True,
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
