import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getFlowContracts } from '../flow/operations.ts';
import { assetLeavesOf, readRule } from '../rules/index.ts';
import { stakingContracts } from '../staking-contracts/index.ts';
import { getStakingContracts } from '../staking-contracts/operations.ts';
import { getAxieRuleList } from './operations.ts';

describe('ready-made rules and contracts', () => {
  it('every predefined Axie Infinity rule can be saved unchanged, and reads Ronin', () => {
    const rules = getAxieRuleList();
    assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
    const assets = rules.map((rule) => {
      const [leaf] = assetLeavesOf(readRule({ ...rule, roleId: 'gold' }));
      return [leaf?.kind, leaf?.asset.chain, leaf?.asset.standard, leaf?.asset.reference.toLowerCase()];
    });
    assert.deepEqual(assets[0], ['holding', 'evm:2020', 'erc721', '0x32950db2a7164ae833121501c797d79e7b79d74c']);
    assert.ok(assets.every(([kind, chain]) => kind === 'holding' && chain === 'evm:2020'));
    assert.equal(new Set(assets.map((asset) => asset.at(-1))).size, rules.length);
  });

  it('every contract on Flow can be named in a rule by its id', () => {
    const { nfts = [], fts = [] } = getFlowContracts();
    assert.ok(nfts.length > 0 && fts.length > 0);
    for (const { id } of nfts) {
      const rule = readRule({ type: 'FLOW_NFT', chainId: 8000000000001, contractAddress: id, roleId: 'gold' });
      assert.equal(assetLeavesOf(rule)[0]?.asset.chain, 'flow:mainnet');
    }
    for (const { address = '', name = '', path } of fts) {
      assert.match(address, /^0x[0-9a-f]{16}$/);
      const contractAddress = `A.${address.slice(2)}.${name}.${path}`;
      assert.ok(readRule({ type: 'FLOW_FT', chainId: 8000000000001, contractAddress, roleId: 'gold' }));
    }
  });

  it('every staking contract can be named in a rule, with each of its assets', () => {
    for (const { contractAddress, chainId, supportedAssets = [] } of getStakingContracts()) {
      assert.match(contractAddress ?? '', /^0x[0-9a-f]{40}$/);
      assert.ok(supportedAssets.length > 0);
      for (const { name, asset } of supportedAssets) {
        assert.match(asset ?? '', new RegExp(`^evm:${chainId}/ERC(20|721|1155):0x[0-9a-f]{40}$`));
        const rule = readRule({ type: 'staking', chainId, contractAddress, collectionName: name, roleId: 'gold' });
        assert.equal(assetLeavesOf(rule)[0]?.asset.standard, 'staking');
      }
    }
    assert.equal(getStakingContracts().length, stakingContracts.length);
    assert.equal(
      new Set(stakingContracts.map(({ chainId, address }) => `${chainId}:${address}`)).size,
      stakingContracts.length,
    );
  });
});
