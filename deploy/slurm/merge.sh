#!/usr/bin/env bash
# Unites the parts that an array of shard.sh made, and writes the report:
#   sbatch --dependency=afterok:ARRAY --kill-on-invalid-dep=yes deploy/slurm/merge.sh ARRAY
# The search for causes asks the engines, so they are needed here too. The exit code is that of an undivided run.
#SBATCH --job-name=ptx-conform-merge
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --cpus-per-task=2
set -euo pipefail

folder="${REPORTS:-reports}/${1:?the number of the array, or what RUN was for it}"
exec "${PTX_CONFORM:-ptx-conform}" report merge "$folder"/shard-* --into "$folder/whole"
