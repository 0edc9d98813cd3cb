import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = resolve(import.meta.dirname, '../../packages/server/src/cli/main.ts');
const startPatienceMs = 120_000;

/** A complete Latchkey with its emulators, in a separate process and folder. */
export interface RunningLatchkey {
  url: string;
  /** Runs an operator command and returns its output. */
  command(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

export async function startLatchkey(): Promise<RunningLatchkey> {
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-conformance-'));
  const [port, sandboxPort, mailPort] = [await freePorts(1), await freePorts(10), await freePorts(2)];
  const env = {
    PATH: process.env.PATH ?? '',
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_PORT: String(port),
    LATCHKEY_SANDBOX: 'true',
    LATCHKEY_SANDBOX_PORT: String(sandboxPort),
    LATCHKEY_MAIL_CATCHER_PORT: String(mailPort),
  };
  const server = run(['start'], env);
  const stop = async () => {
    if (server.child.exitCode === null && server.child.signalCode === null) {
      server.child.kill('SIGTERM');
      await once(server.child, 'exit');
    }
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  const deadline = performance.now() + startPatienceMs;
  const address = () => /^ {2}API +(\S+)/m.exec(server.output())?.[1];
  while (address() === undefined) {
    if (server.child.exitCode !== null || performance.now() > deadline) {
      await stop();
      throw new Error(`Latchkey did not start:\n${server.output()}`);
    }
    await sleep(50);
  }
  return {
    url: address() ?? '',
    command: async (...args) => {
      const { child, output } = run(args, env);
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`latchkey ${args.join(' ')} failed:\n${output()}`);
      return output();
    },
    stop,
  };
}

function run(args: readonly string[], env: Record<string, string>): { child: ChildProcess; output: () => string } {
  // In a folder without this clone's .env file, which may refer to the database of a running instance.
  const child = spawn(process.execPath, [program, ...args], {
    cwd: env.LATCHKEY_DATA_DIR,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  return { child, output: () => text };
}

/** Returns the first of this many consecutive free ports. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await portThatIsFree(0);
    const others = Array.from({ length: count - 1 }, (_, index) => portThatIsFree((first ?? 0) + index + 1));
    const all = [first, ...(await Promise.all(others))];
    if (first !== undefined && all.every((port) => port !== undefined)) return first;
  }
}

async function portThatIsFree(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' ? address?.port : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
