"""Compiles one .cu file with NVRTC: nvrtc.py LIBNVRTC SOURCE TARGET OUTPUT [OPTION...]. Errors go to stderr."""

import ctypes
import sys
from pathlib import Path


def main(library: str, source: str, target: str, output: str, *options: str) -> int:
    nvrtc = ctypes.CDLL(library)
    program = ctypes.c_void_p()
    text, name = Path(source).read_bytes(), Path(source).name.encode()
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, name, 0, None, None))
    words = [f"-arch={target}", *options]
    array = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    if nvrtc.nvrtcCompileProgram(program, len(words), array):
        print(fetch(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program), file=sys.stderr)
        return 1
    Path(output).write_text(fetch(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program))
    return 0


def check(status: int) -> None:
    if status:
        sys.exit(f"nvrtc: status {status}")


def fetch(get_size, get, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    check(get_size(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    check(get(program, buffer))
    return buffer.value.decode()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
