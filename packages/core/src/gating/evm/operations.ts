import { anyone, listOf, op, T } from '@latchkey/kernel';
import { EvmNetworkConfig, getNetworkConfigs } from './network-config.ts';
import { EvmTokenMetadata, getEvmTokens } from './tokens.ts';

const network = T.String({
  description: 'The chain id, or a name of the chain as GET /evm/network-configs lists them.',
  minLength: 1,
  maxLength: 50,
});

/** The resource has one operation more, the callback of a wallet provider, which is a matter of wallets. */
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
