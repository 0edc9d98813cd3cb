import { availableParallelism, loadavg } from 'node:os';

/**
 * What a second is worth on this machine now: where twenty processes want each core, a twentieth of one. A patience that is
 * counted so ends for what never comes, and not for what comes slowly because others have the processor.
 */
export function fairShare(load: number = loadavg()[0] ?? 0, cores: number = availableParallelism()): number {
  return Math.min(1, cores / load);
}
