import { enqueue } from '@latchkey/db';
import { chatPlatforms, exponentialRetry, job, shape, T, text } from '@latchkey/kernel';
import { trySigner } from '../../services/signer/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectHeldShards } from '../../surfaces/discord-gateway/index.ts';

/** One thing that a worker tried on the path from an event to a role. */
export interface PathStep {
  /** For example `database`, `Discord` or `chain evm:1`. */
  name: string;
  ms: number;
  /** Why it failed. */
  fault?: string;
  /** What it found, if that is more than an answer. */
  found?: string;
}

export interface PathCheck {
  /** How long it took to add the job. */
  enqueueMs: number;
  /** What the worker did, with the time from adding the job to its start; undefined if no worker ran it in time. */
  ran?: { hostName: string; waitedMs: number; steps: readonly PathStep[] };
}

const topic = 'path-check';
/** A message of the bus is limited to 7,000 bytes. */
const mostSteps = 30;
const stepMs = 8_000;

/** Tries what a role change needs, with the settings and from the network of the worker that runs it. */
export const checkPathJob = job(
  'operator.check-path',
  {
    payload: shape(T.Object({ id: text('The id of the check.', { maxLength: 64 }) })),
    retry: exponentialRetry(1, 1, 1),
    timeoutSeconds: 20,
  },
  async (ctx: Context, { id }) => {
    const startedAt = ctx.clock().getTime();
    const attempts = attemptsOf(ctx).slice(0, mostSteps);
    const measured = await Promise.all(attempts.map(([name, attempt]) => measure(name, attempt)));
    const steps = measured.filter((step) => step !== undefined);
    await ctx.bus.publish(ctx.db.system, topic, { id, hostName: ctx.process.hostName, startedAt, steps });
  },
);

type Attempt = (signal: AbortSignal) => Promise<unknown>;
/** What an attempt returns for a part that this installation does not use. */
const notInUse = Symbol('not in use');
/** What an attempt returns if it found more than an answer. */
class Found {
  readonly says: string;

  constructor(says: string) {
    this.says = says;
  }
}

function attemptsOf(ctx: Context): [name: string, Attempt][] {
  const { discord, mailer, telegram } = ctx;
  return [
    ['database', () => ctx.db.transaction({ owner: 'nobody' }, async () => undefined)],
    ...(discord === undefined
      ? []
      : ([
          [chatPlatforms.discord.title, () => discord.botName()],
          ['Discord events', () => findShards(ctx)],
        ] satisfies [string, Attempt][])),
    ...(telegram === undefined
      ? []
      : [[chatPlatforms.telegram.title, (signal) => telegram.botName(signal)] satisfies [string, Attempt]]),
    ...Object.values(ctx.bots).map((bot): [string, Attempt] => [
      chatPlatforms[bot.platform].title,
      (signal) => bot.profileUrl(signal),
    ]),
    ['signer', async () => ((await trySigner(ctx)) ? undefined : notInUse)],
    ['mail server', async () => (mailer.tryOut === undefined ? notInUse : mailer.tryOut())],
    ...(ctx.settings.evmChains ?? []).map(({ chainId }): [string, Attempt] => {
      const chain = `evm:${chainId}`;
      const read: Attempt = async (signal) => {
        if ((await ctx.follower.start(chain, 0, signal)) === undefined) throw new Error('no endpoint returned a block');
      };
      return [`chain ${chain}`, read];
    }),
  ];
}

/** Events of shards that no worker holds are not received. */
async function findShards({ db }: Pick<Context, 'db'>): Promise<unknown> {
  const shards = await selectHeldShards(db.system);
  if (shards === undefined) throw new Error('no worker asked Discord for its shards within 3 hours');
  const { expected, held, renewedSecondsAgo } = shards;
  if (held < expected) throw new Error(`workers hold ${held} of ${expected} shards`);
  return new Found(
    `Workers hold all ${expected} shards; the oldest lease was renewed ${renewedSecondsAgo.toFixed(1)} seconds ago.`,
  );
}

async function measure(name: string, attempt: Attempt): Promise<PathStep | undefined> {
  const startedMs = performance.now();
  const passed = () => Math.round(performance.now() - startedMs);
  const signal = AbortSignal.timeout(stepMs);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${stepMs / 1000} seconds`)), {
      once: true,
    });
  });
  try {
    const found = await Promise.race([attempt(signal), late]);
    if (found === notInUse) return undefined;
    return { name, ms: passed(), ...(found instanceof Found && { found: found.says }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given';
    return { name, ms: passed(), fault: reason.slice(0, 160) };
  }
}

type CheckContext = Pick<Context, 'bus' | 'clock' | 'db' | 'random'>;

/** Adds a job that tries the whole path, and waits until a worker ran it. */
export async function checkPath(ctx: CheckContext, patienceMs: number): Promise<PathCheck> {
  const id = ctx.random.id(16);
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown> | undefined>();
  const unsubscribe = ctx.bus.subscribe(topic, (message) => {
    if (message.id === id) resolve(message);
  });
  const timer = setTimeout(() => resolve(undefined), patienceMs);
  try {
    await ctx.bus.ready();
    const startedMs = performance.now();
    await enqueue(ctx.db.system, checkPathJob, { id });
    const enqueueMs = Math.round(performance.now() - startedMs);
    const addedAt = ctx.clock().getTime();
    const message = await promise;
    if (message === undefined) return { enqueueMs };
    const { hostName, startedAt, steps } = message as { hostName: string; startedAt: number; steps: PathStep[] };
    return { enqueueMs, ran: { hostName, waitedMs: Math.max(0, startedAt - addedAt), steps } };
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}
