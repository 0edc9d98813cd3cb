import { anyone, apiVersion, OpenObject, op, resource, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

export const pings = resource('ping', 'A sign of life.', [
  op(
    'GET /ping',
    {
      id: 'ping',
      sdk: 'PingController.ping',
      summary: 'Check server status',
      description:
        'Returns the version and the time of the server at once. With `wait`, every running process is pinged through the database, and those that respond within that many seconds are listed under `pongs`.',
      access: anyone,
      params: {
        wait: T.Optional(T.Number({ description: 'How many seconds to wait for pongs.', minimum: 0, maximum: 5 })),
      },
      returns: OpenObject,
    },
    ping,
  ),
]);

const pingTopic = 'ping';

const pongTopic = 'pong';

/** The reply of one process. */
interface Pong {
  serverType: string;
  serverSubType: string;
  hostName: string;
}

type PingContext = Pick<Context, 'bus' | 'clock' | 'db' | 'process' | 'random'>;

/** Responds at once; with `wait`, also pings every other process and lists those that replied within that time. */
async function ping(ctx: PingContext, { wait }: { wait?: number }): Promise<Record<string, unknown>> {
  const answer = { message: 'pong', version: apiVersion, time: ctx.clock().toISOString() };
  if (wait === undefined || wait === 0) return answer;
  return { ...answer, pongs: await collectPongs(ctx, wait) };
}

async function collectPongs(ctx: PingContext, waitSeconds: number): Promise<Pong[]> {
  const id = ctx.random.id();
  const pongs = new Map<string, Pong>();
  const unsubscribe = ctx.bus.subscribe(pongTopic, (message) => {
    const { ping: pingId, processId, pong } = message as { ping: string; processId: string; pong: Pong };
    if (pingId === id) pongs.set(processId, pong);
  });
  try {
    await ctx.bus.publish(ctx.db.system, pingTopic, { ping: id });
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
  } finally {
    unsubscribe();
  }
  return [...pongs.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pong]) => pong);
}

/** Makes a process answer pings from now on. Returns a function that stops it. */
export function answerPings(ctx: Pick<Context, 'bus' | 'db' | 'log' | 'process'>): () => void {
  const { id, serverType, serverSubType, hostName } = ctx.process;
  return ctx.bus.subscribe(pingTopic, (message) => {
    const { ping } = message as { ping: string };
    const pong = { serverType, serverSubType, hostName };
    ctx.bus
      .publish(ctx.db.system, pongTopic, { ping, processId: id, pong })
      .catch((error: unknown) => ctx.log.warn('Failed to answer a ping.', { error }));
  });
}
