#!/usr/bin/env bash
# One part of a run, as a task of a Slurm array (docs/nightly.md, "On a cluster"):
#   sbatch --array=1-8 deploy/slurm/shard.sh --today 2026-11-28 --engine ptxas@13.5
# Arguments are options of `ptx-conform run`. A part that was requeued, ended by its limit, or lost with its node goes on from
# its ledger, so a task that runs again only does what is left.
#SBATCH --job-name=ptx-conform
#SBATCH --requeue
# Output of every start of the task, not only of the last.
#SBATCH --open-mode=append
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
# Two minutes before the limit, to this shell. Not SIGTERM, which also comes when somebody cancels: then nothing is requeued.
#SBATCH --signal=B:USR1@120
set -euo pipefail

program="${PTX_CONFORM:-ptx-conform}"
# The same for all parts, and seen by all nodes; each part writes below a folder of its own.
folder="${REPORTS:-reports}/${RUN:-$SLURM_ARRAY_JOB_ID}"
part="$SLURM_ARRAY_TASK_ID"
# Of how many: named by the user if an array starts only some of them.
parts="${SHARDS:-$SLURM_ARRAY_TASK_COUNT}"
if [ "$part" -lt 1 ] || [ "$part" -gt "$parts" ]; then
    echo "shard.sh: there is no part $part of $parts: the array is 1-N, or SHARDS says of how many" >&2
    exit 2
fi

name="shard-$part"
how=(--jobs "${SLURM_CPUS_PER_TASK:-1}" --reports "$folder")
start="start $((${SLURM_RESTART_COUNT:-0} + 1)) of part $part of $parts"
if [ -e "$folder/$name/ledger.sqlite" ]; then
    echo "$start: it goes on from its ledger"
    "$program" run --resume "$name" "${how[@]}" &
else
    echo "$start: there is no ledger yet"
    "$program" run "$@" --shard "$part/$parts" --name "$name" "${how[@]}" &
fi
child=$!
limit=no
trap 'limit=yes; kill -TERM "$child"' USR1
trap 'kill -TERM "$child"' TERM
# A signal ends `wait`, but not yet the program.
status=0
while wait "$child" && status=0 || status=$?; kill -0 "$child" 2>/dev/null; do :; done

# Exit code 2: tasks are left.
if [ "$limit" = yes ] && [ "$status" -eq 2 ]; then
    # Not SLURM_JOB_ID: for the last task of an array that names all of them.
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$part"
fi
exit "$status"
