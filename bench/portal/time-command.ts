import { spawnSync } from 'node:child_process';

export interface Spent {
  wallSeconds: number;
  /** Of the command and all it started: what a busy machine changes least. */
  cpuSeconds: number;
}

/** Runs a program of Node and says what it cost. Its output is shown only when it fails. */
export function timeNode(cwd: string, ...args: string[]): Spent {
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="spent %R %U %S"; time "$@"', '-', process.execPath, ...args],
    {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: 'production', LC_ALL: 'C' },
      maxBuffer: 2 ** 28,
    },
  );
  const [wall, user, system] = (/spent ([\d.]+) ([\d.]+) ([\d.]+)\s*$/.exec(stderr) ?? []).slice(1).map(Number);
  if (status !== 0 || wall === undefined || user === undefined || system === undefined)
    throw new Error(`${args.join(' ')} failed.\n${stdout}\n${stderr}`);
  return { wallSeconds: wall, cpuSeconds: user + system };
}
