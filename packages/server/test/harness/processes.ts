import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const pollMs = 20;
const startPatienceMs = 60_000;

export type Environment = Record<string, string>;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** How long it took after the signal, for a process that was told to stop. */
  tookMs: number;
}

/** A Latchkey process of its own, as an operator would start it. */
export interface LatchkeyProcess extends AsyncDisposable {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Waits until something like this is printed; says what was printed instead when it is not. */
  printed(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  hasEnded(): boolean;
  ended(withinMs?: number): Promise<Exit>;
  signal(name: NodeJS.Signals): void;
  stop(name?: NodeJS.Signals): Promise<Exit>;
}

let compileCache: string | undefined;

// Many processes start here, and a third of what that costs is compiling the same files again.
function compileCacheFolder(): string {
  compileCache ??= process.env.NODE_COMPILE_CACHE;
  if (compileCache === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'latchkey-compiled-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    compileCache = made;
  }
  return compileCache;
}

/** Starts `latchkey <args>` with this environment, nothing of the test's own, and without the sample community and the portal unless told. */
export function startLatchkey(args: readonly string[], environment: Environment): LatchkeyProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      NODE_COMPILE_CACHE: compileCacheFolder(),
      LATCHKEY_TRY_OUT: 'false',
      LATCHKEY_PORTAL: 'false',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = collect(child, 'stdout');
  const stderr = collect(child, 'stderr');
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  async function ended(withinMs = startPatienceMs): Promise<Exit> {
    const since = performance.now();
    const tooLate = new AbortController();
    const timer = delay(withinMs, undefined, { signal: tooLate.signal }).catch(() => undefined);
    const end = await Promise.race([closed, timer]);
    tooLate.abort();
    assert.ok(end, `latchkey ${args.join(' ')} did not end within ${withinMs} ms:\n${stdout()}${stderr()}`);
    return { code: end[0], signal: end[1], tookMs: performance.now() - since };
  }

  return {
    pid: child.pid ?? Number.NaN,
    stdout,
    stderr,
    hasEnded,
    ended,
    printed: async (pattern, withinMs = startPatienceMs) => {
      let match = pattern.exec(stdout());
      await until(() => {
        match = pattern.exec(stdout());
        assert.ok(match !== null || !hasEnded(), `latchkey ${args.join(' ')} ended early:\n${stdout()}${stderr()}`);
        return match !== null;
      }, withinMs);
      return match as unknown as RegExpExecArray;
    },
    signal: (name) => {
      child.kill(name);
    },
    stop: (name = 'SIGTERM') => {
      child.kill(name);
      return ended();
    },
    [Symbol.asyncDispose]: async () => {
      if (!hasEnded()) child.kill('SIGKILL');
      await closed;
    },
  };
}

/** Runs a command to its end. */
export async function runLatchkey(
  args: readonly string[],
  environment: Environment,
): Promise<Exit & { stdout: string; stderr: string }> {
  await using command = startLatchkey(args, environment);
  const exit = await command.ended();
  return { ...exit, stdout: command.stdout(), stderr: command.stderr() };
}

/** Runs a command that must succeed, and answers what it printed. */
export async function command(args: readonly string[], environment: Environment): Promise<string> {
  const { code, stdout, stderr } = await runLatchkey(args, environment);
  assert.equal(code, 0, `latchkey ${args.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

function collect(child: ChildProcess, name: 'stdout' | 'stderr'): () => string {
  let text = '';
  child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** Waits for a condition, and fails when it has not come true in time. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `waited ${withinMs} ms in vain: ${condition}`);
    await delay(pollMs);
  }
}

/** The status of a GET, or 0 when nobody answers. */
export async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(20_000) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status ?? 0;
}

export interface DataFolder extends AsyncDisposable {
  path: string;
  /** The process of the embedded PostgreSQL, as long as it lives. */
  postgresPid(): Promise<number | undefined>;
}

/** An empty data folder. Whatever database is left running in it ends with the test. */
export async function makeDataFolder(): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), 'latchkey-run-'));
  const postgresPid = async () => {
    const file = await readFile(join(path, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number.parseInt(file, 10);
    return Number.isInteger(pid) && isAlive(pid) ? pid : undefined;
  };
  return {
    path,
    postgresPid,
    [Symbol.asyncDispose]: async () => {
      const pid = await postgresPid();
      if (pid !== undefined) process.kill(pid, 'SIGQUIT');
      await until(async () => (await postgresPid()) === undefined);
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

// Systems give ports above these to whoever asks for any, so nobody takes one before the program it is meant for does.
// Test processes that run side by side begin at different ones.
const firstPort = 11_000;
const portsPerProcess = 100;
const portRanges = 200;
let portsTaken = 0;

/** The first of two neighbouring ports that nobody uses at the moment. */
export async function freePorts(): Promise<number> {
  for (;;) {
    const offset = (process.pid % portRanges) * portsPerProcess + portsTaken;
    portsTaken += 2;
    const port = firstPort + (offset % (portRanges * portsPerProcess));
    try {
      await using _first = await occupyPort(port);
      await using _second = await occupyPort(port + 1);
      return port;
    } catch {
      // One of them is in use.
    }
  }
}

/** Listens on a port so that nobody else can. */
export async function occupyPort(port: number): Promise<AsyncDisposable & { port: number }> {
  const server: Server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
