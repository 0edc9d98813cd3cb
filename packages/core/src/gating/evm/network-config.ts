import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { evmNetworks } from './networks.ts';

export const EvmNetworkConfig = record('EvmNetworkConfig', 'An EVM chain, as far as this server knows it.', {
  chainId: T.Optional(T.Number({ description: 'The chain id.' })),
  description: T.Optional(text('The name of the chain.')),
  names: T.Optional(texts('The names that rules and paths may use for it.')),
  rpcs: T.Optional(texts('Public JSON-RPC URLs that the operator chose to show. Empty by default.')),
  explorers: T.Optional(texts('Block explorers.')),
  maxBlocks: T.Optional(T.Number({ description: 'How many blocks are requested at a time when reading logs.' })),
  concurrency: T.Optional(T.Number({ description: 'Not set: requests adapt to the nodes’ rate limits.' })),
  providers: T.Optional(texts('Not set: the operator’s nodes are private.')),
  hidden: T.Optional(T.Boolean({ description: 'True if rules on this chain currently cannot be read.' })),
});
export type EvmNetworkConfig = ValueOf<typeof EvmNetworkConfig>;

/** Every chain that is well known or configured here, by chain id. */
export function getNetworkConfigs(ctx: Pick<Context, 'settings'>): EvmNetworkConfig[] {
  const configured = new Map((ctx.settings.evmChains ?? []).map((chain) => [chain.chainId, chain]));
  const known = new Map(evmNetworks.map((network) => [network.chainId, network]));
  const ids = [...new Set([...known.keys(), ...configured.keys()])].toSorted((a, b) => a - b);
  return ids.map((chainId) => {
    const [network, chain] = [known.get(chainId), configured.get(chainId)];
    return {
      chainId,
      description: network?.description ?? `The chain with the id ${chainId}`,
      names: [...(network?.names ?? [String(chainId)])],
      rpcs: [...(chain?.publicRpcUrls ?? [])],
      explorers: [...(network?.explorers ?? [])],
      maxBlocks: chain?.maxBlocks,
      hidden: chain === undefined,
    };
  });
}
