import { record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { selectFollowedChains } from '../../gating/readings/index.ts';
import { readEndpointReports } from './endpoint-reports.ts';

export const ChainState = record('ChainState', 'A chain, how far it is followed and how well its endpoints answer.', {
  chain: text('The chain, for example evm:1.'),
  isFollowed: T.Boolean({ description: 'Whether rules make this server follow its transfers.' }),
  block: T.Optional(T.Number({ description: 'The last block that was followed.' })),
  newestBlock: T.Optional(T.Number({ description: 'The newest block that an endpoint named.' })),
  blocksBehind: T.Optional(T.Number({ description: 'How many blocks lie between the two.', minimum: 0 })),
  followedTime: T.Optional(text('When the end of the chain was last reached, in ISO 8601.')),
  secondsBehind: T.Optional(T.Number({ description: 'How many seconds ago that was.', minimum: 0 })),
  endpoints: T.Array(
    record('ChainEndpoint', 'One address at which the chain is asked. The address itself is not shown.', {
      name: text('Its place in the settings, for example endpoint 1.'),
      host: text('The end of its host name.'),
      isLeftAlone: T.Boolean({ description: 'Whether it failed so often that it is not asked for a while.' }),
      errorRate: T.Number({ description: 'The share of its last answers that failed, from 0 to 1.' }),
      newestBlock: T.Optional(T.Number({ description: 'The newest block it named.' })),
    }),
    { description: 'The endpoints, in the order of the settings.', maxItems: 1000 },
  ),
});
export type ChainState = ValueOf<typeof ChainState>;

export async function listChainStates(ctx: Pick<Context, 'clock' | 'db'>): Promise<ChainState[]> {
  const { system } = ctx.db;
  const [followed, reports] = await Promise.all([selectFollowedChains(system), readEndpointReports(system)]);
  const names = [...new Set([...followed.map(({ chain }) => chain), ...reports.map(({ chain }) => chain)])].toSorted();
  return names.map((chain) => {
    const endpoints = reports.filter((report) => report.chain === chain);
    const position = followed.find((one) => one.chain === chain);
    const newestBlock = endpoints.reduce<number | undefined>(
      (best, one) => (one.newestBlock === undefined ? best : Math.max(best ?? 0, one.newestBlock)),
      undefined,
    );
    return {
      chain,
      isFollowed: position !== undefined,
      ...(newestBlock !== undefined && { newestBlock }),
      ...(position !== undefined && {
        block: position.number,
        ...(newestBlock !== undefined && { blocksBehind: Math.max(0, newestBlock - position.number) }),
        followedTime: position.followedAt.toISOString(),
        secondsBehind: Math.max(0, Math.round((ctx.clock().getTime() - position.followedAt.getTime()) / 1000)),
      }),
      endpoints: endpoints.map(({ endpoint, host, isLeftAlone, errorRate, newestBlock: newest }) => ({
        name: endpoint,
        host,
        isLeftAlone,
        errorRate,
        ...(newest !== undefined && { newestBlock: newest }),
      })),
    };
  });
}
