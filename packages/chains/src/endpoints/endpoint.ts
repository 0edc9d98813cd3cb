import { type Circuit, type CircuitOptions, createCircuit } from './circuit.ts';
import type { Timers } from './timers.ts';

/** One URL through which a chain can be read. */
export interface Endpoint {
  /** A name that is safe to log: its position in the list, never its URL. */
  name: string;
  url: string;
}

export type EndpointQuestion<T> = (endpoint: Endpoint, signal: AbortSignal) => Promise<T>;

export interface ReceivedAnswer<T> {
  endpoint: Endpoint;
  value: T;
}

/** An endpoint with its observed state. */
export interface PooledEndpoint extends Endpoint {
  host: string;
  place: number;
  circuit: Circuit;
  newestBlock: bigint | undefined;
  /** The highest block it reported recently, and when. */
  highest: { block: bigint; atMs: number } | undefined;
  /** Confirms that it serves the right chain. Undefined until verified, and after each fault. */
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
