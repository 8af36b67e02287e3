#!/bin/bash -eu
# Builds the targets of fuzz/ into $OUT, as ClusterFuzzLite calls it: the repository is $SRC/ptx-conform.
# FUZZ_TARGETS names some of them, to try it: SRC=.. OUT=/tmp/out FUZZ_TARGETS=parse .clusterfuzzlite/build.sh
cd "$SRC/ptx-conform"

# libFuzzer needs nightly; the image names its own.
export RUSTUP_TOOLCHAIN="${RUSTUP_TOOLCHAIN:-nightly}"
# There is no unsafe code to sanitize, so address is the only one that is built if asked for; coverage is set by flags.
sanitizer=none
if [ "${SANITIZER:-none}" = address ]; then sanitizer=address; fi

host="$(rustc -vV | sed -n 's/^host: //p')"
for target in ${FUZZ_TARGETS:-$(cargo fuzz list)}; do
    cargo fuzz build --sanitizer "$sanitizer" "$target"
    cp "${CARGO_TARGET_DIR:-fuzz/target}/$host/release/$target" "$OUT/"
done
