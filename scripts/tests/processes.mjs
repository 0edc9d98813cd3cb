import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Lists the processes of a test run: those whose environment or command line holds its name. Others of the machine, and
 * other runs, are left alone.
 * @param {string} run
 * @returns {{ pid: number, command: string }[]}
 */
export function processesOf(run) {
  return process.platform === 'linux' ? fromProc(run) : fromPs(run);
}

/** @param {string} run */
function fromProc(run) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const command = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ');
      // What has ended and was not waited for has neither.
      if (command === '' || !(command.includes(run) || read(`/proc/${name}/environ`).includes(run))) return [];
      return [{ pid: Number(name), command }];
    });
}

/** @param {string} run */
function fromPs(run) {
  const lines = execFileSync('ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(run)).map((line) => ({ pid: Number.parseInt(line, 10), command: line }));
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended, or it is another user's.
    return '';
  }
}
