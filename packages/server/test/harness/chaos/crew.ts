import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@latchkey/test-kit';
import { type Environment, freePorts, type LatchkeyProcess, startLatchkey, statusOf } from '../processes.ts';

const stepClock = `--import=${new URL('step-clock.ts', import.meta.url).href}`;

/** One slot of the crew; its process may be killed and replaced. */
interface Post {
  name: string;
  kind: 'server' | 'worker';
  url: string;
  clockFile: string;
  environment: Environment;
  process: LatchkeyProcess;
}

/** Servers and workers as separate processes, each with its own clock. */
export interface Crew extends AsyncDisposable {
  posts: readonly Readonly<Post>[];
  servers: readonly string[];
  /** kill -9; `replace` starts another one in its place. */
  kill(name: string): Promise<void>;
  replace(name: string): Promise<void>;
  signal(name: string, signal: 'SIGSTOP' | 'SIGCONT'): void;
  setClock(name: string, wrongByMs: number): Promise<void>;
  /** Waits until every server reports that it is ready. */
  ready(): Promise<void>;
  /** Returns the latest logs of all processes, for debugging. */
  lastLines(): string;
}

const shownLines = 12;

export async function startCrew(
  { servers, workers }: { servers: number; workers: number },
  environment: Environment,
): Promise<Crew> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-clocks-'));
  const posts: Post[] = [];
  const find = (name: string) => {
    const post = posts.find((one) => one.name === name);
    if (post === undefined) throw new Error(`No process is called ${name}.`);
    return post;
  };
  const running = ({ kind, process }: Pick<Post, 'kind' | 'process'>) =>
    process.printed(new RegExp(`Latchkey ${kind} is running`));

  async function hire(kind: Post['kind'], number: number): Promise<void> {
    const name = `${kind} ${number}`;
    const port = await freePorts();
    const clockFile = join(folder, name);
    await writeFile(clockFile, '0');
    const own = {
      ...environment,
      // Memory for garbage grows with the load; kept small, so that growth shows retained memory.
      NODE_OPTIONS: `${stepClock} --max-semi-space-size=2`,
      LATCHKEY_TEST_CLOCK_FILE: clockFile,
      LATCHKEY_PORT: String(port),
    };
    const post = {
      name,
      kind,
      url: `http://localhost:${port}`,
      clockFile,
      environment: own,
      process: startLatchkey([kind], own),
    };
    posts.push(post);
    await running(post);
  }

  const crew: Crew = {
    posts,
    get servers() {
      return posts.filter(({ kind }) => kind === 'server').map(({ url }) => url);
    },
    kill: async (name) => void (await find(name).process.stop('SIGKILL')),
    replace: async (name) => {
      const post = find(name);
      await writeFile(post.clockFile, '0');
      post.process = startLatchkey([post.kind], post.environment);
      await running(post);
    },
    signal: (name, signal) => find(name).process.signal(signal),
    setClock: async (name, wrongByMs) => writeFile(find(name).clockFile, String(wrongByMs)),
    ready: async () => {
      for (const url of crew.servers)
        await until(`${url} is ready`, async () => (await statusOf(`${url}/health/ready`)) === 200);
    },
    lastLines: () =>
      posts
        .map(({ name, process }) => {
          const lines = `${process.stdout()}${process.stderr()}`.trimEnd().split('\n').slice(-shownLines);
          return `${name}${process.hasEnded() ? ' (which has ended)' : ''}:\n${lines.join('\n')}`;
        })
        .join('\n'),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(posts.map((post) => post.process[Symbol.asyncDispose]()));
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    const hired = [
      ...Array.from({ length: servers }, (_, number) => hire('server', number)),
      ...Array.from({ length: workers }, (_, number) => hire('worker', number)),
    ];
    await Promise.all(hired);
    posts.sort((one, other) => (one.name < other.name ? -1 : 1));
    return crew;
  } catch (error) {
    await crew[Symbol.asyncDispose]();
    throw error;
  }
}
