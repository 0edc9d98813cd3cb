import { apiVersion } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

export const pingTopic = 'ping';
export const pongTopic = 'pong';

/** The reply of one process. */
export interface Pong {
  serverType: string;
  serverSubType: string;
  hostName: string;
}

type PingContext = Pick<Context, 'bus' | 'clock' | 'db' | 'process' | 'random'>;

/** Responds at once; with `wait`, also pings every other process and lists those that replied within that time. */
export async function ping(ctx: PingContext, { wait }: { wait?: number }): Promise<Record<string, unknown>> {
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
