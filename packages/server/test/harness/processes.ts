import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@latchkey/test-kit';

const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const preload = (script: string) => `--import=${new URL(`../../../../scripts/${script}`, import.meta.url).href}`;
/** For processes that tests start: they load in three quarters of the time. */
export const shortResolve = preload('tests/short-resolve.mjs');
const stopWithParent = preload('stop-with-parent.mjs');

/** A machine that is too busy to stop in time must not look like a Latchkey that cannot stop. */
const stopSeconds = 200;

export type Environment = Record<string, string>;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** How long it took after the stop signal. For reports, not for assertions. */
  tookMs: number;
}

/** A separate Latchkey process, as an operator would start it. */
export interface LatchkeyProcess extends AsyncDisposable {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Waits until the pattern is printed; otherwise reports what was printed instead. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  hasEnded(): boolean;
  ended(): Promise<Exit>;
  signal(name: NodeJS.Signals): void;
  stop(name?: NodeJS.Signals): Promise<Exit>;
}

let compileCache: string | undefined;

// Many processes start here, and compiling the same files again would be a third of the cost.
function compileCacheFolder(): string {
  compileCache ??= process.env.NODE_COMPILE_CACHE;
  if (compileCache === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'latchkey-compiled-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    compileCache = made;
  }
  return compileCache;
}

/** Returns the environment of a process: that of the test run, without the developer's settings. */
export function environmentOf(environment: Environment): NodeJS.ProcessEnv {
  const settings = /^(LATCHKEY_(?!TEST_)|DATABASE_URL$|PG|NODE_(OPTIONS|TEST_CONTEXT)$)/;
  const inherited = Object.entries(process.env).filter(([name]) => !settings.test(name));
  return {
    ...Object.fromEntries(inherited),
    NODE_COMPILE_CACHE: compileCacheFolder(),
    LATCHKEY_SANDBOX: 'false',
    LATCHKEY_PORTAL: 'false',
    LATCHKEY_STOP_SECONDS: String(stopSeconds),
    // If the connections of a whole run are recorded, these processes are part of it.
    ...(process.env.LATCHKEY_TEST_OUTBOUND !== undefined && { NODE_OPTIONS: process.env.NODE_OPTIONS }),
    ...environment,
  };
}

/**
 * Starts `latchkey <args>` with these settings, by default without the sample community and the portal, perhaps of
 * another version's tree. It ends with this process, however that ends.
 */
export function startLatchkey(args: readonly string[], environment: Environment, tree?: string): LatchkeyProcess {
  const started = tree === undefined ? program : join(tree, 'packages/server/src/cli/main.ts');
  const child = spawn(process.execPath, [shortResolve, stopWithParent, started, ...args], {
    // Not the repository: a .env file there is for the developer's own instance, and may contain a real database.
    cwd: tmpdir(),
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = collect(child, 'stdout');
  const stderr = collect(child, 'stderr');
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  async function ended(): Promise<Exit> {
    const since = performance.now();
    await until(`latchkey ${args.join(' ')} has ended`, hasEnded).catch((error: Error) => {
      throw new Error(`${error.message}\n${stdout()}${stderr()}`);
    });
    const [code, signal] = await closed;
    return { code, signal, tookMs: performance.now() - since };
  }

  return {
    pid: child.pid ?? Number.NaN,
    stdout,
    stderr,
    hasEnded,
    ended,
    printed: (pattern) =>
      until(`latchkey ${args.join(' ')} has printed ${pattern}`, () => {
        const match = pattern.exec(stdout());
        assert.ok(match !== null || !hasEnded(), `latchkey ${args.join(' ')} ended early:\n${stdout()}${stderr()}`);
        return match;
      }).catch((error: Error) => {
        throw new Error(`${error.message}\n${stdout()}${stderr()}`);
      }),
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

/** Runs a command that must succeed, and returns its output. */
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

/** Returns the status of a GET, or 0 without a response. */
export async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status ?? 0;
}

export interface DataFolder extends AsyncDisposable {
  path: string;
  /** Returns the pid of the embedded PostgreSQL while it runs. */
  postgresPid(): Promise<number | undefined>;
}

/** Creates an empty data folder. A database left running in it ends with the test. */
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
      await until('PostgreSQL has ended', async () => (await postgresPid()) === undefined);
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

// Systems assign ports above these on request, so no other process takes one before the intended program does.
const firstPort = 11_000;
const portsPerProcess = 100;
const portRanges = 200;
let range: Promise<number> | undefined;
let portsTaken = 0;

/** Returns the first of two adjacent ports that are free. Other test processes never get them. */
export async function freePorts(): Promise<number> {
  range ??= takeRange();
  const start = await range;
  for (;;) {
    const port = start + (portsTaken % (portsPerProcess - 2));
    portsTaken += 2;
    try {
      await using _first = await occupyPort(port);
      await using _second = await occupyPort(port + 1);
      return port;
    } catch {
      // One of them is in use.
    }
  }
}

/**
 * Reserves a range of ports for as long as this process lives: a program that a test kills and restarts must find its
 * port free in between. The process that listens on the last port of a range owns it.
 */
async function takeRange(): Promise<number> {
  for (let tries = 0; tries < portRanges; tries += 1) {
    const start = firstPort + ((process.pid + tries) % portRanges) * portsPerProcess;
    const sign = createServer().listen(start + portsPerProcess - 1, '127.0.0.1');
    try {
      await once(sign, 'listening');
      sign.unref();
      return start;
    } catch {
      // Another process has it.
    }
  }
  throw new Error('All ranges of ports are taken.');
}

/** Listens on a port so that no other process can. */
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
