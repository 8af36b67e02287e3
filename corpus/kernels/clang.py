"""Compiles clang/* with several versions of clang and checks the PTX with ptxas:
generated/clang-<source>.<target>.<version>[.O0].ptx.

A source names its targets in its first lines. Failures are written to failures-clang.tsv.
"""

import re
import sys
from pathlib import Path

from generate import HERE, PTX, PTXAS, run, set_aside

VERSIONS = {  # clang: the PTX version that it is asked for, which it must know, by the least target
    "14": {100: "", 90: "", 80: "+ptx72", 70: "+ptx63", 60: "+ptx60", 50: "+ptx42"},
    "19": {100: "", 90: "+ptx80", 80: "+ptx78", 70: "+ptx75", 60: "+ptx71", 50: "+ptx64"},
    "22": {120: "+ptx87", 100: "+ptx86", 90: "+ptx84", 80: "+ptx82", 70: "+ptx80", 60: "+ptx78", 50: "+ptx76"},
}


def main() -> None:
    PTX.mkdir(exist_ok=True)
    made, failures = 0, []
    for source in sorted((HERE / "clang").glob("*.*")):
        targets = re.search(r"targets: (.*?)(?: \*/)?$", source.read_text(), re.MULTILINE)
        for target in targets[1].split() if targets else []:
            for version in admitted(source):
                for level in ("O2", "O0"):
                    feature = feature_for(version, target)
                    if not feature:
                        continue
                    output = PTX / f"clang-{source.stem}.{target}.clang{version}{'' if level == 'O2' else '.O0'}.ptx"
                    error = compile_and_check(source, target, version, feature, level, output)
                    made += not error
                    if error:
                        set_aside(output)
                        failures.append(f"{output.name}\t{error}\n")
    sys.stdout.write("".join(failures))
    (HERE / "failures-clang.tsv").write_text("".join(failures))
    print(f"{made} made, {len(failures)} failed")


def admitted(source: Path) -> list[str]:
    """A source may say "clang: 19+"."""
    least = re.search(r"clang: (\d+)\+", source.read_text())
    return [version for version in VERSIONS if not least or int(version) >= int(least[1])]


def feature_for(version: str, target: str) -> str:
    number = int(target[3:])
    least = max((known for known in VERSIONS[version] if known <= number), default=0)
    return VERSIONS[version].get(least, "")


def compile_and_check(source: Path, target: str, version: str, feature: str, level: str, output: Path) -> str:
    command = [f"clang-{version}", f"-{level}", "-S", "-w", "-o", str(output), "-Xclang", "-target-feature", "-Xclang", feature]
    if source.suffix == ".cu":
        command += ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", f"--cuda-gpu-arch={target}"]
    else:
        command += ["--target=nvptx64-nvidia-cuda", f"-march={target}"]
    if source.suffix == ".c":
        kernel = "nvptx_kernel" if int(version) >= 17 else "unknown_kernel"
        command += [f"-DKERNEL=__attribute__(({kernel}))"]
    if source.suffix == ".cl":
        command += ["-cl-std=CL2.0", "-Xclang", "-finclude-default-header"]
    error = run([*command, str(source)])
    if error:
        return "compiler: " + error
    ptxas = PTXAS / ("12.9.86" if int(target[3:]) < 75 else "13.5.37") / "ptxas"
    error = run([str(ptxas), "-arch", target.replace("sm_", "compute_"), str(output), "-o", "/dev/null"])
    return "ptxas: " + error if error else ""


if __name__ == "__main__":
    main()
