import { stakingAdapters } from '@latchkey/chains/evm-holdings';
import { stakingContracts } from '@latchkey/core';
import { evmNetworks, getAxieRuleList, maxRules } from '@latchkey/core/facts';
import { openSeaChains } from '@latchkey/integrations/opensea';
import { maxTokenIdItems } from '@latchkey/kernel';
import { code, type Facts, table } from './fact.ts';

function chainOf(chainId: number): string {
  const network = evmNetworks.find((one) => one.chainId === chainId);
  return network === undefined ? code(chainId) : `${network.description} (${code(chainId)})`;
}

export default {
  'rules/staking-contracts': () =>
    table(
      ['Contract', 'Chain', '`contractAddress`', '`collectionName`'],
      stakingContracts.map(({ name, chainId, address, assets }) => [
        name,
        chainOf(chainId),
        code(address),
        assets.map((asset) => code(asset.name)).join(', '),
      ]),
    ),
  'rules/staking-ways': () =>
    table(
      ['Function of the contract', 'Answers with', 'Used by'],
      stakingAdapters.map(({ read, gives, name }) => [
        code(read),
        gives === 'tokens' ? 'the staked tokens' : 'the staked amount',
        name,
      ]),
    ),
  'rules/axie': () =>
    table(
      ['Name', 'Who qualifies', '`scheme`', '`asset`'],
      getAxieRuleList().map(({ name = '', description = '', scheme = '', asset = '' }) => [
        name,
        description,
        code(scheme),
        code(asset),
      ]),
    ),
  'rules/opensea-chains': () =>
    table(
      ['Chain', 'What OpenSea calls it'],
      [...openSeaChains].map(([chain, name]) => [chainOf(Number(chain.slice('evm:'.length))), code(name)]),
    ),
  'rules/token-id-limit': () => maxTokenIdItems.toLocaleString('en-GB'),
  'rules/limit': () => maxRules.toLocaleString('en-GB'),
} satisfies Facts;
