import { type Circuit, type CircuitOptions, createCircuit } from './circuit.ts';
import type { Timers } from './timers.ts';

/** One address at which a chain can be asked. */
export interface Endpoint {
  /** What it may be called where others read it: its place in the list, never its address. */
  name: string;
  url: string;
}

export type EndpointQuestion<T> = (endpoint: Endpoint, signal: AbortSignal) => Promise<T>;

export interface ReceivedAnswer<T> {
  endpoint: Endpoint;
  value: T;
}

/** An endpoint with what is known of it. */
export interface PooledEndpoint extends Endpoint {
  host: string;
  place: number;
  circuit: Circuit;
  newestBlock: bigint | undefined;
  /** The highest block it named lately, and when. */
  highest: { block: bigint; atMs: number } | undefined;
  /** That it is what it should be; absent until it was asked, and after each fault. */
  verification: Promise<void> | undefined;
}

export function createEndpoint(
  url: string,
  place: number,
  timers: Timers,
  circuit: CircuitOptions | undefined,
): PooledEndpoint {
  return {
    name: `endpoint ${place + 1}`,
    url,
    host: URL.canParse(url) ? new URL(url).host : url,
    place,
    circuit: createCircuit(timers, circuit),
    newestBlock: undefined,
    highest: undefined,
    verification: undefined,
  };
}
