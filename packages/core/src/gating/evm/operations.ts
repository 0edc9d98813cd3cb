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
        'Returns every EVM chain that is well known or configured here. Chains on which no rule can be read at the moment are marked as hidden.',
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
        'Returns the contracts that rules on this server name on a chain and those that the operator listed, with the metadata they publish, and after them well-known tokens of the chain. At most 1,000.',
      access: anyone,
      params: { network },
      returns: listOf(EvmTokenMetadata, 'The contracts, the first that was named first.'),
      errors: ['ENTITY_NOT_FOUND'],
    },
    getEvmTokens,
  ),
] as const;
