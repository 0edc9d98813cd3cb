import { readFileSync } from 'node:fs';

/** Whether a process with this id runs, under any user. A zombie does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return readStat(pid)?.[0] !== 'Z';
}

/**
 * Returns when a process started, in ticks since boot. Together with the pid it identifies a process: pids are reused.
 * Linux only.
 */
export function startTicksOf(pid: number): string | undefined {
  return readStat(pid)?.[19];
}

/** Returns the fields after the process name, which may contain anything: the state first (proc_pid_stat(5)). */
function readStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
