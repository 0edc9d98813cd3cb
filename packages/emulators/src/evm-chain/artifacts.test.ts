import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Abi, type AbiParameter, toEventHash, toFunctionHash } from 'viem';
import * as abis from './abis.ts';
import { readArtifact } from './artifact.ts';
import * as partnerAbis from './partner-abis.ts';
import * as registryAbis from './registry-abis.ts';

const named: [contract: string, abi: Abi][] = [
  ['SampleCoin', abis.sampleCoinAbi],
  ['SampleKeys', abis.sampleKeysAbi],
  ['SampleBadges', abis.sampleBadgesAbi],
  ['SampleStaking', abis.sampleStakingAbi],
  ['SampleSafe', abis.sampleSafeAbi],
  ['WaitingList', partnerAbis.waitingListAbi],
  ['SampleLock', partnerAbis.sampleLockAbi],
  ['SampleCollection', partnerAbis.sampleCollectionAbi],
  ['DelegateRegistry', registryAbis.delegateRegistryAbi],
  ['Multicall3', registryAbis.multicall3Abi],
  ['ProxyRegister', registryAbis.proxyRegisterAbi],
  ['WalletRegistry', registryAbis.walletRegistryAbi],
];

const shapeOf = ({ type, ...rest }: AbiParameter): unknown =>
  'components' in rest ? [type, rest.components.map(shapeOf)] : type;

/** One line for each function and event: its signature and results. */
function summaryOf(abi: Abi): string[] {
  return abi
    .flatMap((item) => {
      if (item.type === 'event')
        return `event ${toEventHash(item)} ${JSON.stringify(item.inputs.map((i) => i.indexed ?? false))}`;
      if (item.type === 'error') return `error ${item.name} ${JSON.stringify(item.inputs.map(shapeOf))}`;
      if (item.type !== 'function') return [];
      return `${item.stateMutability} ${toFunctionHash(item)} ${JSON.stringify(item.outputs.map(shapeOf))}`;
    })
    .toSorted();
}

for (const [contract, abi] of named) {
  it(`the typed interface of ${contract} matches its artifact`, () => {
    assert.deepEqual(summaryOf(abi), summaryOf(readArtifact(contract).abi));
  });
}
