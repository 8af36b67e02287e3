"""Compiles triton/kernels.py without a GPU and checks the PTX with ptxas: generated/triton-<kernel>.<target>.ptx.

Run it with the Python of venv-triton. Failures are written to failures-triton.tsv.
"""

import re
import sys
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from generate import HERE, PTX, PTXAS, hide_folder, run, set_aside

sys.path.insert(0, str(HERE / "triton"))
from kernels import KERNELS  # noqa: E402

TARGETS = [75, 80, 89, 90, 100, 120]


def main() -> None:
    PTX.mkdir(exist_ok=True)
    failures, made = [], 0
    for name, function, types, constants in KERNELS:
        for target in TARGETS:
            output = PTX / f"triton-{name}.sm_{target}{'a' if target >= 90 else ''}.ptx"
            error = compile_and_check(function, types, constants, target, output)
            made += not error
            if error:
                set_aside(output)
                failures.append(f"{output.name}\t{error}\n")
                print(failures[-1], end="", flush=True)
    (HERE / "failures-triton.tsv").write_text("".join(failures))
    print(f"{made} made, {len(failures)} failed")


def compile_and_check(function, types: list[str], constants: dict[str, int], target: int, output: Path) -> str:
    signature = dict(zip(function.arg_names, types)) | {name: "constexpr" for name in constants}
    values = {(function.arg_names.index(name),): value for name, value in constants.items()}
    aligned = {(at,): [["tt.divisibility", 16]] for at in range(len(types))}
    try:
        source = ASTSource(fn=function, signature=signature, constexprs=values, attrs=aligned)
        done = triton.compile(source, target=GPUTarget("cuda", target, 32), options={"num_warps": 4, "num_stages": 3})
        output.write_text(done.asm["ptx"])  # Triton adds the "a" of sm_90a by itself
    except Exception as error:  # Triton raises many kinds; each is a line of the list
        return "compiler: " + " ".join(str(error).split())[-300:]
    hide_folder(output)
    arch = re.search(r"\.target sm_(\w+)", output.read_text())[1]
    error = run([str(PTXAS / "13.5.37/ptxas"), "-arch", f"compute_{arch}", str(output), "-o", "/dev/null"])
    return "ptxas: " + error if error else ""


if __name__ == "__main__":
    main()
