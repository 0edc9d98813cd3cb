import { anyone, listOf, op, type Resource, record, resource, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { evmNetworks } from './networks.ts';
import { EvmTokenMetadata, getEvmTokens } from './tokens.ts';

const EvmNetworkConfig = record('EvmNetworkConfig', 'An EVM chain known to this server.', {
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

type EvmNetworkConfig = ValueOf<typeof EvmNetworkConfig>;

/** Returns every well-known or configured chain, by chain id. */
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

const network = T.String({
  description: 'The chain id, or a name of the chain as GET /evm/network-configs lists them.',
  minLength: 1,
  maxLength: 50,
});

/** The resource has one more operation, the callback of a wallet provider, which the wallets module adds. */
export const evmOperations = [
  op(
    'GET /evm/network-configs',
    {
      id: 'getNetworkConfigs',
      sdk: 'EvmNetworkConfigController.getNetworkConfigs',
      summary: 'List the EVM chains',
      description:
        'Returns every well-known or configured EVM chain. Chains on which rules currently cannot be read are marked as hidden.',
      access: anyone,
      returns: listOf(EvmNetworkConfig, 'The chains, by their chain ids.'),
    },
    getNetworkConfigs,
  ),
  op(
    'GET /evm/{network}/tokens',
    {
      id: 'getEvmTokens',
      sdk: 'EvmNetworkConfigController.getEvmTokens',
      summary: 'List the tokens of an EVM chain',
      description:
        'Returns the contracts that this server’s rules use on a chain and those the operator listed, with their metadata, followed by the chain’s well-known tokens. Returns at most 1,000.',
      access: anyone,
      params: { network },
      returns: listOf(EvmTokenMetadata, 'The contracts, in the order they were added.'),
      errors: ['ENTITY_NOT_FOUND'],
    },
    getEvmTokens,
  ),
] as const;

/** The EVM chain operations, which two modules contribute to. */
export function evmResource<const Ops extends readonly unknown[]>(operations: Ops): Resource<'evm', Ops> {
  return resource('evm', 'EVM chains and their tokens.', operations);
}
