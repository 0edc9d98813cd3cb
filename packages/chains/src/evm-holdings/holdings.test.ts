import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer, Question, StakingContract } from '@latchkey/core/ports';
import {
  delegateRegistryAbi,
  sampleBadgesAbi,
  sampleCoinAbi,
  sampleKeysAbi,
  sampleStakingAbi,
} from '@latchkey/emulators/evm-chain';
import { patientMs } from '@latchkey/emulators/testing';
import { type Address, maxUint256, zeroHash } from 'viem';
import { type EvmWorld, someAddresses, startEvmWorld } from '../testing/evm-world.ts';
import { createEvmHoldings, type EvmHoldings } from './read-holdings.ts';

describe('holdings on an EVM chain', () => {
  let world: EvmWorld;
  let holdings: EvmHoldings;
  const documents = new Map<string, unknown>();
  const [rich, poor, vault] = someAddresses(3) as [Address, Address, Address];
  let staker: Address;
  let safeOwners: Address[];

  before(async () => {
    world = await startEvmWorld();
    const [, first, second, third, fourth] = world.accounts.map(({ address }) => address) as Address[] & { length: 20 };
    staker = fourth as Address;
    safeOwners = [first, second, third] as Address[];
    holdings = createEvmHoldings({
      fetch,
      chains: new Map([[String(world.chainId), { urls: [world.url] }]]),
      clock: () => new Date(),
      timeoutMs: patientMs,
      metadata: {
        ipfsGateway: 'https://ipfs.example/ipfs',
        fetchJson: async (url) => {
          if (!documents.has(url)) throw new Error(`no ${url}`);
          return documents.get(url);
        },
      },
    });
  });
  after(() => world.stop());

  const ask = async (question: Partial<Question>, options = {}): Promise<Answer> => {
    const whole: Question = {
      chain: world.chainName,
      standard: 'erc20',
      reference: world.contracts.erc20,
      account: rich,
      needs: 'amount',
      ...question,
    };
    assert.ok(holdings.reads(whole), `${whole.standard} is read`);
    const [answer] = await holdings.read([whole], options);
    assert.ok(answer);
    return answer;
  };
  const amount = async (question: Partial<Question>) => {
    const answer = await ask(question);
    assert.equal(answer.kind, 'read', JSON.stringify(answer));
    return answer.kind === 'read' ? answer.amount : undefined;
  };
  const tokens = async (question: Partial<Question>) => {
    const answer = await ask({ needs: 'tokens', ...question });
    assert.equal(answer.kind, 'read', JSON.stringify(answer));
    return answer.kind === 'read' ? answer.tokens : undefined;
  };
  const reason = async (question: Partial<Question>) => {
    const answer = await ask(question);
    assert.equal(answer.kind, 'unknown', JSON.stringify(answer));
    return answer.kind === 'unknown' ? answer.reason : undefined;
  };

  it('the native coin is read in whole coins', async () => {
    await world.client.setBalance({ address: rich, value: 1_500_000_000_000_000_001n });
    assert.equal(await amount({ standard: 'native', reference: 'currency' }), '1.500000000000000001');
    assert.equal(await amount({ standard: 'native', reference: 'currency', account: poor }), '0');
  });

  it('coins are divided by the decimals of their contract, and zero is known', async () => {
    await world.mintCoins([rich], 12_500_000_000_000_000_000n);
    assert.equal(await amount({}), '12.5');
    assert.equal(await amount({ account: poor }), '0');
    assert.equal(await amount({ chain: `eip155:${world.chainId}` }), '12.5');
  });

  it('the result names its block, and a past block can be requested', async () => {
    const first = await ask({ account: vault });
    await world.mintCoins([vault], 7n * 10n ** 18n);
    assert.ok(first.kind === 'read' && first.block);
    assert.equal(await amount({ account: vault }), '7');
    assert.equal(await amount({ account: vault, atBlock: first.block.number }), '0');
    const pinned = await ask({ account: vault }, { blocks: new Map([[world.chainName, first.block]]) });
    assert.deepEqual(pinned, first);
    const replaced = { number: first.block.number, hash: `0x${'1'.repeat(64)}` };
    const gone = await ask({ account: vault }, { blocks: new Map([[world.chainName, replaced]]) });
    assert.match(JSON.stringify(gone), /was replaced/);
    assert.match(String(await reason({ atBlock: '99999999' })), /no block 99999999 yet/);
  });

  it('keys are counted, listed and filtered by id', async () => {
    const question = { standard: 'erc721', reference: world.contracts.erc721 };
    await world.mintKeys([rich, poor, rich, rich]);
    const ids = (await tokens(question))?.map(({ id }) => id);
    assert.equal(ids?.length, 3);
    const [first, second, third] = ids as [string, string, string];
    assert.equal(await amount(question), '3');
    assert.equal(await amount({ ...question, tokenIds: `${first},${third}` }), '2');
    assert.equal(await amount({ ...question, tokenIds: `${BigInt(second) + 1n}-` }), '1');
    assert.equal(await amount({ ...question, tokenIds: '900-950' }), '0', 'tokens that do not exist have no owner');
    assert.equal(await amount({ ...question, tokenIds: '*' }), '3');
    assert.equal(await amount({ ...question, tokenIds: `0-5000` }), '3');
    assert.equal(await amount({ ...question, tokenIds: '0xZZ' }), '0', 'a key has a number');
    assert.deepEqual(await tokens({ ...question, tokenIds: second }), [{ id: second, amount: '1' }]);
    assert.deepEqual(await tokens({ ...question, account: vault }), []);
  });

  it('a collection that lists nothing is searched through its logs', async () => {
    const code = await world.client.getCode({ address: world.contracts.erc721 });
    assert.ok(code);
    // Without the enumeration function, whose selector is replaced here, the contract is like most collections.
    const bytecode = code.replaceAll('2f745c59', '00000000') as typeof code;
    assert.notEqual(bytecode, code);
    const question = { standard: 'erc721', reference: world.contracts.erc721 };
    const listed = await tokens(question);
    await world.client.setCode({ address: world.contracts.erc721, bytecode });
    await world.client.mine({ blocks: 1 });
    try {
      assert.deepEqual(new Set((await tokens(question))?.map(({ id }) => id)), new Set(listed?.map(({ id }) => id)));
    } finally {
      await world.client.setCode({ address: world.contracts.erc721, bytecode: code });
      await world.client.mine({ blocks: 1 });
    }
  });

  it('badges are summed over the selected ids', async () => {
    const question = { standard: 'erc1155', reference: world.contracts.erc1155 };
    await world.mintBadges([rich], 7n, 3n);
    await world.mintBadges([rich], 12n, 2n);
    assert.equal(await amount({ ...question, tokenIds: '7' }), '3');
    assert.equal(await amount({ ...question, tokenIds: '0x7,12' }), '5');
    assert.equal(await amount({ ...question, tokenIds: '8-' }), '2', 'an open range is searched through logs');
    assert.equal(await amount({ ...question, tokenIds: '1?' }), '2', 'and so is a pattern');
    assert.deepEqual(await tokens({ ...question, tokenIds: '1-20' }), [
      { id: '7', amount: '3' },
      { id: '12', amount: '2' },
    ]);
    assert.deepEqual(await tokens({ ...question, account: poor }), []);
    const [sender] = world.accounts;
    assert.ok(sender);
    await world.mintBadges([sender.address], 30n, 2n);
    await world.mintBadges([sender.address], 31n, 2n);
    const args = [sender.address, poor, [30n, 31n], [1n, 2n], '0x'];
    await world.send(world.contracts.erc1155, { abi: sampleBadgesAbi, functionName: 'safeBatchTransferFrom', args });
    assert.deepEqual(await tokens({ ...question, account: poor }), [
      { id: '30', amount: '1' },
      { id: '31', amount: '2' },
    ]);
  });

  it('a contract of another standard is not read, and the reason says what it is', async () => {
    const { erc20, erc721, erc1155 } = world.contracts;
    assert.notEqual(await amount({}), '0');
    const wrong: [standard: string, reference: string, reason: RegExp][] = [
      ['erc721', erc20, /is an ERC20 token, not an ERC721 collection/],
      ['erc721', erc1155, /is an ERC1155 collection, not an ERC721 collection|refused/],
      ['erc20', erc721, /is an ERC721 collection, not an ERC20 token/],
      ['erc20', erc1155, /is an ERC1155 collection, not an ERC20 token/],
      ['erc1155', erc20, /is an ERC20 token, not an ERC1155 collection/],
      ['erc1155', erc721, /is an ERC721 collection, not an ERC1155 collection/],
    ];
    for (const [standard, reference, why] of wrong)
      for (const account of [rich, poor])
        assert.match(String(await reason({ standard, reference, account, tokenIds: '7' })), why, standard);
    assert.match(String(await reason({ standard: 'erc721', reference: erc20 })), /is an ERC20 token/);
  });

  it('a collection from before ERC-165 is read, though it does not say what it is', async () => {
    const { erc721 } = world.contracts;
    const code = await world.client.getCode({ address: erc721 });
    assert.ok(code);
    const bytecode = code.replaceAll('6301ffc9a7', '6300000000') as typeof code;
    assert.notEqual(bytecode, code);
    await world.mintKeys([vault]);
    const old = `0x${'7'.repeat(40)}` as const;
    await world.client.setCode({ address: old, bytecode });
    await world.client.mine({ blocks: 1 });
    assert.equal(await amount({ standard: 'erc721', reference: old, account: vault }), '0');
  });

  it('token metadata is read from the chain, from IPFS and from the web', async () => {
    const keys = await tokens({ standard: 'erc721', reference: world.contracts.erc721, needs: 'metadata' });
    assert.ok(
      keys?.every(({ metadata }) => Array.isArray(metadata?.attributes)),
      JSON.stringify(keys),
    );
    const badges = { standard: 'erc1155', reference: world.contracts.erc1155, needs: 'metadata' as const };
    const [badge] = (await tokens({ ...badges, tokenIds: '7' })) ?? [];
    assert.ok(badge?.metadata, JSON.stringify(badge));
  });

  it('staked tokens and coins are read, including contracts without a description', async () => {
    await world.mintKeys([staker, staker]);
    await world.mintCoins([staker], 10n ** 18n);
    const { erc20, erc721, staking } = world.contracts;
    const mine = await tokens({ standard: 'erc721', reference: erc721, account: staker });
    const [first] = mine ?? [];
    const all = [staking, true];
    await world.send(erc721, { abi: sampleKeysAbi, functionName: 'setApprovalForAll', args: all }, staker);
    await world.send(erc20, { abi: sampleCoinAbi, functionName: 'approve', args: [staking, maxUint256] }, staker);
    const deposit = { abi: sampleStakingAbi, functionName: 'deposit', args: [[BigInt(first?.id ?? -1)]] };
    await world.send(staking, deposit, staker);
    await world.send(staking, { abi: sampleStakingAbi, functionName: 'stake', args: [25n * 10n ** 16n] }, staker);
    const question = { standard: 'staking', reference: staking, account: staker };
    assert.deepEqual(await tokens(question), [first]);
    assert.equal(await amount(question), '1');
    assert.equal(await amount({ ...question, account: poor }), '0');
    assert.equal(await amount({ ...question, details: { adapter: 'staked' } }), '0.25');
    assert.match(
      String(await reason({ ...question, reference: erc721, details: { adapter: 'deposits' } })),
      /not a supported/,
    );
    const described = createEvmHoldings({
      fetch,
      chains: new Map([[String(world.chainId), { urls: [world.url] }]]),
      clock: () => new Date(),
      timeoutMs: patientMs,
      stakingContracts: [describeStaking(world)],
    });
    const askFor = (asset: string): Question => ({
      ...question,
      chain: world.chainName,
      needs: 'amount',
      details: { asset },
    });
    const answers = await described.read([askFor('coin'), askFor('Keys'), askFor('Gems')]);
    assert.deepEqual(
      answers.map((answer) => (answer.kind === 'read' ? answer.amount : answer.reason)),
      ['2.5', '1', 'Sample Staking has no asset with this name.'],
    );
  });

  it('a function of the contract is called as the rule spells it', async () => {
    const question = { standard: 'call' };
    assert.equal(await amount({ ...question, details: { function: 'balanceOf' } }), '12500000000000000000');
    assert.equal(await amount({ ...question, details: { function: 'balanceOf(address)', decimals: 'token' } }), '12.5');
    const allowed = { function: 'allowance(address,address)', args: JSON.stringify([staker, '$account']) };
    assert.equal(
      await amount({ ...question, account: world.contracts.staking, details: { ...allowed, decimals: '0' } }),
      maxUint256.toString(),
    );
    const isOwner = { function: 'isOwner(address) view returns (bool)' };
    const safe = { ...question, reference: world.contracts.safe, details: isOwner };
    assert.equal(await amount({ ...safe, account: safeOwners[0] ?? '' }), '1');
    assert.equal(await amount({ ...safe, account: rich }), '0');
    assert.match(
      String(await reason({ ...question, details: { function: 'mint(address)' } })),
      /refused to answer mint/,
    );
    assert.match(String(await reason({ ...question, details: { function: 'a b c(' } })), /no callable function/);
    assert.match(
      String(await reason({ ...question, details: { function: 'x(uint256)', args: '["y"]' } })),
      /arguments/,
    );
  });

  it('a Safe owner is reported with its position, and a stranger is not an owner', async () => {
    const question = { standard: 'safe', reference: world.contracts.safe, needs: 'tokens' as const };
    const metadata = { owners: safeOwners, threshold: 2 };
    const second = await ask({ ...question, account: safeOwners[1] ?? '' });
    assert.ok(second.kind === 'read');
    assert.equal(second.amount, '1');
    assert.deepEqual(second.tokens, [{ id: '1', amount: '1', metadata }]);
    assert.equal(await amount({ ...question, account: rich }), '0');
    assert.match(String(await reason({ ...question, reference: world.contracts.erc20 })), /refused|no contract/);
  });

  it('the vaults that delegated to a wallet are reported, within the scope of the delegation', async () => {
    const registry = world.contracts.delegateRegistry;
    const [, hot] = world.accounts.map(({ address }) => address);
    const delegate = (functionName: string, args: readonly unknown[], from: Address) =>
      world.send(registry, { abi: delegateRegistryAbi, functionName, args }, from);
    const [a, b, c, d] = world.accounts.slice(5).map(({ address }) => address) as [Address, Address, Address, Address];
    await delegate('delegateAll', [hot, zeroHash, true], a);
    await delegate('delegateContract', [hot, world.contracts.erc721, zeroHash, true], b);
    await delegate('delegateERC721', [hot, world.contracts.erc721, 1n, zeroHash, true], c);
    await delegate('delegateAll', [hot, `0x${'01'.repeat(32)}`, true], d);
    const question = { standard: 'delegate', reference: 'v2', account: hot ?? '', needs: 'tokens' as const };
    const vaults = async (details = {}) => (await tokens({ ...question, details }))?.map(({ id }) => id);
    assert.deepEqual(await vaults(), [a, b, c]);
    assert.deepEqual(await vaults({ contract: world.contracts.erc721.toLowerCase() }), [a, b]);
    assert.deepEqual(await vaults({ contract: world.contracts.erc20 }), [a]);
    assert.deepEqual(await vaults({ rights: `0x${'01'.repeat(32)}` }), [a, b, c, d]);
    await delegate('delegateAll', [hot, zeroHash, false], a);
    assert.deepEqual(await vaults(), [b, c]);
    const [token] = (await tokens(question)) ?? [];
    assert.deepEqual(token?.metadata, {
      type: 'contract',
      contract: world.contracts.erc721,
      tokenId: '0',
      amount: '0',
      rights: zeroHash,
    });
  });

  it('an address without a contract, a broken contract and a wrong account are each unknown', async () => {
    const base = { chain: world.chainName, account: rich, needs: 'amount' as const };
    const questions: Question[] = [
      { ...base, standard: 'erc20', reference: poor },
      { ...base, standard: 'erc721', reference: world.contracts.multicall3 },
      { ...base, standard: 'erc20', reference: 'COIN' },
      { ...base, standard: 'erc20', reference: world.contracts.erc20, account: '0x12' },
      { ...base, standard: 'erc721', reference: world.contracts.erc721, tokenIds: '[' },
      { ...base, standard: 'moloch', reference: world.contracts.erc20 },
      { ...base, standard: 'superfluid', reference: world.contracts.erc20, details: { to: poor } },
      { ...base, standard: 'spl', reference: 'x' },
      { ...base, chain: 'evm:999', standard: 'erc20', reference: poor },
      { ...base, standard: 'erc20', reference: world.contracts.erc20 },
    ];
    const answers = await holdings.read(questions);
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      [...Array.from({ length: 9 }, () => 'unknown'), 'read'],
    );
    for (const answer of answers) if (answer.kind === 'unknown') assert.match(answer.reason, /^[A-Z0-9].*\.$/);
    assert.match(JSON.stringify(answers[0]), /No contract at 0x[0-9a-fA-F]{40} responds to /);
    assert.match(JSON.stringify(answers[8]), /No node is configured for evm:999/);
    assert.equal(holdings.reads({ chain: 'evm:999', standard: 'erc20' }), false);
    assert.equal(holdings.reads({ chain: world.chainName, standard: 'spl' }), false);
  });
});

/** With one decimal less than the coin has, so that the result shows which of the two was used. */
function describeStaking({ chainId, contracts }: EvmWorld): StakingContract {
  return {
    name: 'Sample Staking',
    chainId: Number(chainId),
    address: contracts.staking.toLowerCase(),
    assets: [
      { name: 'Coin', asset: 'coin', read: 'function stakedOf(address) view returns (uint256)', decimals: 17 },
      { name: 'Keys', asset: 'keys', read: 'function depositsOf(address) view returns (uint256[])', decimals: 0 },
    ],
  };
}
