import { constants, getPriority, platform, setPriority } from 'node:os';

const wanted = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Lowers the priority of this thread, so that on a busy machine the thread that answers requests runs first. Linux
 * applies it to the calling thread; other systems would apply it to the whole process. Never raises it again, which
 * only root may do.
 */
export function lowerPriority(): void {
  if (platform() !== 'linux') return;
  try {
    if (getPriority() < wanted) setPriority(wanted);
  } catch {
    // Not permitted: keep the current priority.
  }
}
