import type { EvmChainsOptions } from '@latchkey/chains/evm-holdings';
import type { EndpointHealth } from '@latchkey/core/ports';

type Watch = NonNullable<EvmChainsOptions['watch']>;

/** Gathers what several users of the same nodes know of them: the worst counts, and the newest block. */
export function createEndpointWatch(): { add: Watch; read(): EndpointHealth[] } {
  const watched: { chain: string; report: Parameters<Watch>[1] }[] = [];
  return {
    add: (chain, report) => void watched.push({ chain, report }),
    read: () => {
      const seen = watched.flatMap(({ chain, report }) =>
        report().map(({ name, ...known }): EndpointHealth => ({ chain, endpoint: name, ...known })),
      );
      const byEndpoint = Map.groupBy(seen, ({ chain, endpoint }) => `${chain} ${endpoint}`);
      return [...byEndpoint.values()].map((reports) => reports.reduce(worse));
    },
  };
}

const gravity = { closed: 0, 'half-open': 1, open: 2 } as const;

function worse(one: EndpointHealth, other: EndpointHealth): EndpointHealth {
  const [a = 0n, b = 0n] = [one.newestBlock, other.newestBlock];
  return {
    ...one,
    state: gravity[one.state] >= gravity[other.state] ? one.state : other.state,
    errorRate: Math.max(one.errorRate, other.errorRate),
    newestBlock: one.newestBlock === undefined && other.newestBlock === undefined ? undefined : a > b ? a : b,
  };
}
