import { availableParallelism, loadavg } from 'node:os';

/**
 * Returns what a second is worth on this machine now: a twentieth of one if twenty processes compete for each core. A timeout counted this
 * way ends a wait for something that never happens, but not for something that is slow because other processes use the CPU.
 */
export function fairShare(load: number = loadavg()[0] ?? 0, cores: number = availableParallelism()): number {
  return Math.min(1, cores / load);
}
