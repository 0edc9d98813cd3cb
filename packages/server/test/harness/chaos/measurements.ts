import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keepAlive, send } from '../load.ts';

/** Returns the 99th percentile. */
export function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
}

/** A server that does nothing, measured in the same way: changes in its times come from the machine. */
export interface Baseline extends AsyncDisposable {
  timeReads(count: number): Promise<number[]>;
}

export async function startBaseline(): Promise<Baseline> {
  const server = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has such an address.
  const agent = keepAlive();
  return {
    timeReads: async (count) => {
      const times: number[] = [];
      for (let at = 0; at < count; at += 1)
        times.push((await send(agent, `http://127.0.0.1:${port}`, { method: 'GET', path: '/' })).tookMs);
      return times;
    },
    [Symbol.asyncDispose]: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
