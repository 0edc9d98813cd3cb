import { anyone, listOf, op, resource } from '@latchkey/kernel';
import { getStakingContracts, StakingContractMetadata } from './staking-contract.ts';

export const stakings = resource('staking-contracts', 'Staking contracts that rules can name.', [
  op(
    'GET /staking-contracts',
    {
      id: 'getStakingContracts',
      sdk: 'StakingContractsController.getStakingContracts',
      summary: 'List the staking contracts',
      description:
        'Returns the staking contracts that rules of the type staking can name, and what can be staked in each.',
      access: anyone,
      returns: listOf(StakingContractMetadata, 'The contracts.'),
    },
    getStakingContracts,
  ),
]);
