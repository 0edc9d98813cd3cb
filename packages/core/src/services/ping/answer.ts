import type { Context } from '../../shared/context.ts';
import { pingTopic, pongTopic } from './ping.ts';

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
