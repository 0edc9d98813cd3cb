import { type EndpointState, listAlive, type Sql } from '@latchkey/db';

/** What running processes say of one endpoint, put together: the worst of their states and rates. */
export interface EndpointReport {
  chain: string;
  endpoint: string;
  host: string;
  isLeftAlone: boolean;
  errorRate: number;
  newestBlock: number | undefined;
}

export async function readEndpointReports(db: Sql): Promise<EndpointReport[]> {
  const states = (await listAlive(db)).flatMap(({ endpoints = [] }) => endpoints);
  const byEndpoint = Map.groupBy(states, ({ chain, endpoint }) => JSON.stringify([chain, endpoint]));
  return [...byEndpoint.values()].map(together).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function together(states: readonly EndpointState[]): EndpointReport {
  const [{ chain, endpoint, host } = { chain: '', endpoint: '', host: '' }] = states;
  const blocks = states.flatMap(({ newestBlock }) => newestBlock ?? []);
  return {
    chain,
    endpoint,
    host,
    isLeftAlone: states.some(({ state }) => state === 'open'),
    errorRate: Math.max(...states.map(({ errorRate }) => errorRate)),
    newestBlock: blocks.length === 0 ? undefined : Math.max(...blocks),
  };
}

// Endpoints are numbered, and the tenth comes after the ninth.
function keyOf({ chain, endpoint }: EndpointReport): string {
  return `${chain} ${endpoint.replace(/\d+/, (digits) => digits.padStart(4, '0'))}`;
}
