import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const main = join(import.meta.dirname, '../packages/server/src/cli/main.ts');

/** A child process that serves HTTP, with the system's figures about it. */
export interface ServerProcess {
  url: string;
  startedInMs: number;
  cpuSeconds(): number;
  residentMegabytes(): number;
  stop(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

export function startLatchkey(
  command: 'server' | 'start',
  environment: Record<string, string>,
  ...options: string[]
): Promise<ServerProcess> {
  return startProcess([main, command, ...options], environment, '/health/ready');
}

export async function startProcess(
  args: string[],
  environment: Record<string, string>,
  readyPath: string,
): Promise<ServerProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, args, {
    // Without this clone's .env file, which may refer to the database of a running instance.
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', LATCHKEY_LOG_LEVEL: 'warn', LATCHKEY_PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return watchProcess(child, url, url + readyPath);
}

/** Waits until a process that was just started responds, and tracks its figures. */
export async function watchProcess(child: ChildProcess, url: string, readyUrl: string): Promise<ServerProcess> {
  const begun = performance.now();
  while (
    !(await fetch(readyUrl).then(
      (answer) => answer.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('The process ended before it was ready.');
    await new Promise((done) => setTimeout(done, 10));
  }
  return {
    url,
    startedInMs: performance.now() - begun,
    cpuSeconds: () => cpuSecondsOf(child),
    residentMegabytes: () => residentMegabytesOf(child),
    stop: async () => {
      // A server that crashed has no exit to wait for, and what comes after it must still be stopped.
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Returns the CPU time of a process and its children, from the process table of Linux; NaN elsewhere. */
function cpuSecondsOf({ pid }: Pick<ChildProcess, 'pid'>): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    const own = (Number(fields[11]) + Number(fields[12])) / 100;
    return children.reduce((sum, child) => sum + cpuSecondsOf({ pid: Number(child) }), own);
  } catch {
    return Number.NaN;
  }
}

function residentMegabytesOf(child: ChildProcess): number {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}
