import { constants, getPriority, platform, setPriority } from 'node:os';

const wanted = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Where the machine is short of cores, the thread that answers requests goes before this one. Linux takes the wish for the
 * thread that asks; other systems would take it for the whole process. A process that was started with less gives way
 * already, and only root may ask for more again. Where not even asking is allowed, the work is done all the same.
 */
export function yieldToEventLoop(): void {
  if (platform() !== 'linux') return;
  try {
    if (getPriority() < wanted) setPriority(wanted);
  } catch {
    // As it was.
  }
}
