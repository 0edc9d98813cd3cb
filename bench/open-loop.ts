import { Agent } from 'node:http';
import { setTimeout as rest } from 'node:timers/promises';
import { type Call, send } from '@latchkey/server/testing/load';

export interface OpenLoop {
  perSecond: number;
  seconds: number;
  call(turn: number): Call;
}

/**
 * Sends requests on schedule, whether or not earlier ones were answered, and returns how long each took from when it was due. So a stalled
 * server is charged for every request that would have waited.
 */
export async function loadOpenly(url: string, { perSecond, seconds, call }: OpenLoop): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const startedMs = performance.now();
  const answered: Promise<number>[] = [];
  for (let turn = 0; turn < perSecond * seconds; turn += 1) {
    const dueMs = startedMs + (turn * 1000) / perSecond;
    const leftMs = dueMs - performance.now();
    if (leftMs > 0) await rest(leftMs);
    answered.push(
      send(agent, url, call(turn)).then(({ status, body, failure }) => {
        if (status !== 200) throw new Error(`A request came to ${status}: ${failure ?? body}`);
        return performance.now() - dueMs;
      }),
    );
  }
  const latenciesMs = await Promise.all(answered);
  agent.destroy();
  return latenciesMs;
}
