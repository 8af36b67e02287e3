"""Compiles cu/*.cu for every target and checks each PTX file with the ptxas of the same CUDA version.

A kernel's file begins with comment lines: what it exercises, then
    // targets: 70+            from sm_70 on; or a range "50-62"; or names: "90a 100a 103a"
    // cuda: 12.9+             the oldest compiler that can compile it (default: all); or the only one, "=11.8"
    // options: -rdc=true      options of every compilation
    // variants: -G, -lineinfo further compilations, one for each (with nvcc, or NVRTC where it has the option)

The result is generated/<kernel>.<target>[.<cuda>][.<variant>].ptx; without <cuda> it is nvcc 13.5. What is up to date stays.
failures.tsv lists what a compiler or ptxas rejected. PTX that ptxas rejected lies in rejected/.
Usage: generate.py [KERNEL...]
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

HERE = Path(__file__).parent
PTX = HERE / "generated"
PTXAS = Path.home() / ".cache/ptx-conform/ptxas"


class Compiler(NamedTuple):
    cuda: str
    targets: str
    variant_target: str  # variants are compiled for this target and the first valid one only
    ptxas: str

    @property
    def root(self) -> Path:
        """Where pip put NVIDIA's packages."""
        name = "venv" if self.is_nvcc else f"venv-cuda{self.cuda}"
        return next((HERE / name / "lib").glob("python3*")) / "site-packages/nvidia"

    @property
    def is_nvcc(self) -> bool:
        return self.cuda == "13.5"

    def command(self, source: Path, target: str, output: Path, options: list[str]) -> list[str]:
        arch = f"compute_{target}"
        if self.is_nvcc:
            nvcc = self.root / "cu13/bin/nvcc"
            return [str(nvcc), "-ptx", f"-arch={arch}", "--std=c++17", "-w", *options, str(source), "-o", str(output)]
        library = next((self.root / "cuda_nvrtc/lib").glob("libnvrtc.so.*"))
        includes = [f"-I{self.root / part / 'include'}" for part in ("cuda_runtime", "cuda_nvcc", "cuda_cccl")]
        script = str(HERE / "nvrtc.py")
        words = [*includes, "--std=c++17", "-default-device", "-device-int128", "-w", *options]
        return [sys.executable, script, str(library), str(source), arch, str(output), *words]


COMPILERS = [
    Compiler("13.5", "90 75 100a 90a 120a 80 86 87 88 89 100 100f 103 103a 107 107a 110 110a 120 121 121a 121f", "90", "13.5.37"),
    Compiler("12.9", "50 52 53 60 61 62 70 72 75 80 90 100a 101a", "61", "12.9.86"),
    Compiler("12.4", "60 90 90a", "90", "12.4.131"),
    Compiler("11.8", "35 61 80", "35", "11.8.89"),
]


class Kernel(NamedTuple):
    source: Path
    targets: str
    cuda: str
    options: list[str]
    variants: list[str]

    @classmethod
    def read(cls, source: Path) -> "Kernel":
        comments = dict(re.findall(r"^// (\w+): (.*?)\s*$", source.read_text(), re.MULTILINE))
        variants = [part.strip() for part in comments.get("variants", "").split(",") if part.strip()]
        options = comments.get("options", "").split()
        return cls(source, comments["targets"], comments.get("cuda", "11.0+"), options, variants)

    def admits(self, compiler: Compiler, target: str) -> bool:
        number = int(target.rstrip("af"))
        if self.cuda.startswith("=") and compiler.cuda != self.cuda[1:]:
            return False
        if self.cuda.endswith("+") and numbers(compiler.cuda) < numbers(self.cuda[:-1]):
            return False
        if self.targets.endswith("+"):
            return number >= int(self.targets[:-1])
        if "-" in self.targets:
            first, last = map(int, self.targets.split("-"))
            return first <= number <= last
        return target in self.targets.split()


class Job(NamedTuple):
    kernel: Kernel
    compiler: Compiler
    target: str
    variant: str

    @property
    def output(self) -> Path:
        cuda = "" if self.compiler.is_nvcc else f".cuda{self.compiler.cuda}"
        variant = re.sub(r"[^\w]+", "-", self.variant).strip("-")
        return PTX / f"{self.kernel.source.stem}.sm_{self.target}{cuda}{'.' + variant if variant else ''}.ptx"


def main(names: list[str]) -> None:
    PTX.mkdir(exist_ok=True)
    failures, made, kept = [], 0, 0
    for job in jobs(names):
        if is_current(job):
            kept += 1
            continue
        error = compile_and_check(job)
        if error:
            set_aside(job.output)
            failures.append(f"{job.output.name}\t{error}\n")
            print(failures[-1], end="", flush=True)
        else:
            made += 1
    (HERE / "failures.tsv").write_text("".join(failures))
    print(f"{made} made, {kept} up to date, {len(failures)} failed")


def jobs(names: list[str]) -> Iterator[Job]:
    """Target by target, so that mistakes in kernels show early."""
    sources = sorted((HERE / "cu").glob("*.cu"))
    kernels = [Kernel.read(source) for source in sources if not names or source.stem in names]
    for compiler in COMPILERS:
        targets = compiler.targets.split()
        for target in targets:
            for kernel in kernels:
                if not kernel.admits(compiler, target):
                    continue
                yield Job(kernel, compiler, target, "")
                first = next(name for name in sorted(targets, key=oldest) if kernel.admits(compiler, name))
                if target in (first, compiler.variant_target):
                    yield from (Job(kernel, compiler, target, variant) for variant in kernel.variants)


def oldest(target: str) -> tuple[int, str]:
    return int(target.rstrip("af")), target


def is_current(job: Job) -> bool:
    output = job.output
    return output.exists() and output.stat().st_mtime > job.kernel.source.stat().st_mtime


def compile_and_check(job: Job) -> str:
    """Empty if all is well, or else one line."""
    options = job.kernel.options + job.variant.split()
    error = run(job.compiler.command(job.kernel.source, job.target, job.output, options))
    if error:
        return "compiler: " + error
    hide_folder(job.output)
    ptxas = PTXAS / job.compiler.ptxas / "ptxas"
    arch = "sm_90a" if (job.compiler.cuda, job.target) == ("12.4", "90a") else f"compute_{job.target}"  # 12.4 lacks compute_90a
    error = run([str(ptxas), "-arch", arch, str(job.output), "-o", "/dev/null"])
    return "ptxas: " + error if error else ""


def set_aside(output: Path) -> None:
    """PTX that a compiler writes and ptxas rejects is worth keeping, elsewhere."""
    (HERE / "rejected").mkdir(exist_ok=True)
    if output.exists():
        output.rename(HERE / "rejected" / output.name)


def hide_folder(output: Path) -> None:
    """Debug information names source files; where they lie is nobody's business."""
    text = output.read_text()
    if str(HERE) in text:
        output.write_text(text.replace(str(HERE), "/src"))


def run(command: list[str]) -> str:
    """Empty if the command succeeds, or else the first line that says why not."""
    done = subprocess.run(["nice", *command], capture_output=True, text=True, timeout=300)
    if done.returncode == 0:
        return ""
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return next((line for line in lines if "error" in line or "fatal" in line), " ".join(lines)[-300:])


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


if __name__ == "__main__":
    main(sys.argv[1:])
