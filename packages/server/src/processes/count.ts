import { availableParallelism } from 'node:os';
import { UsageError } from '../cli/command.ts';

const most = 256;

/** Returns the number of processes in `--processes`: a number, or one per core for `auto`. Defaults to one. */
export function processCount(requested: string | undefined, cores = availableParallelism()): number {
  if (requested === undefined) return 1;
  if (requested === 'auto') return Math.max(1, Math.min(cores, most));
  if (/^[1-9]\d{0,2}$/.test(requested) && Number(requested) <= most) return Number(requested);
  throw new UsageError(`--processes must be a whole number from 1 to ${most}, or auto for one per core.`);
}
