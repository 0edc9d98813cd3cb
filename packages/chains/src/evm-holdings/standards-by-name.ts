import type { StakingContract } from '@latchkey/core/ports';
import type { Standard } from './reading.ts';
import { readCall } from './standards/call.ts';
import { readErc721 } from './standards/erc721.ts';
import { readErc1155 } from './standards/erc1155.ts';
import { readErc20, readErc777, readFlow, readMoloch, readNative } from './standards/fungible.ts';
import { readDelegations, readSafe } from './standards/owners.ts';
import { createStakingStandard } from './standards/staking.ts';

/** How holdings of each standard are read, by the names that questions use. */
export function createStandards(stakingContracts: readonly StakingContract[]): ReadonlyMap<string, Standard> {
  return new Map<string, Standard>([
    ['native', readNative],
    ['erc20', readErc20],
    ['bep20', readErc20],
    ['erc777', readErc777],
    ['superfluid', readFlow],
    ['moloch', readMoloch],
    ['erc721', readErc721],
    ['bep721', readErc721],
    ['erc1155', readErc1155],
    ['bep1155', readErc1155],
    ['staking', createStakingStandard(stakingContracts)],
    ['call', readCall],
    ['safe', readSafe],
    ['gnosis', readSafe],
    ['delegate', readDelegations],
    ['delegate-xyz', readDelegations],
  ]);
}
