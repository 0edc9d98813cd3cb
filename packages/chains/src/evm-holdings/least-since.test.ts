import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Question } from '@latchkey/core/ports';
import { sampleBadgesAbi, sampleCoinAbi, sampleKeysAbi } from '@latchkey/emulators/evm-chain';
import { patientMs } from '@latchkey/emulators/testing';
import type { Address } from 'viem';
import { countingFetch, type EvmWorld, startEvmWorld } from '../testing/evm-world.ts';
import { createEvmHoldings } from './read-holdings.ts';

const day = 86_400;

describe('the least amount since a time', () => {
  let world: EvmWorld;
  let start: number;
  let [holder, other]: Address[] = [];
  const { fetch, count } = countingFetch();
  const coins = 10n ** 18n;

  /** Moves the chain's clock to the given number of days after its start, with blocks in between. */
  const goToDay = async (days: number) => {
    await world.client.setNextBlockTimestamp({ timestamp: BigInt(start + days * day) });
    await world.client.mine({ blocks: 1 });
    await world.client.mine({ blocks: 20, interval: 60 });
  };
  const move = (from: Address | undefined, to: Address | undefined, amount: bigint) =>
    world.send(
      world.contracts.erc20,
      { abi: sampleCoinAbi, functionName: 'transfer', args: [to, amount * coins] },
      from,
    );

  before(async () => {
    world = await startEvmWorld();
    [, holder, other] = world.accounts.map(({ address }) => address);
    start = Number((await world.client.getBlock()).timestamp) + 1_000;
    assert.ok(holder && other);
    await goToDay(1);
    await world.mintCoins([holder], 100n * coins);
    await world.mintKeys([holder, holder, holder]);
    await world.mintBadges([holder], 5n, 10n);
    await goToDay(10);
    await move(holder, other, 60n);
    const keys = { abi: sampleKeysAbi, functionName: 'tokenOfOwnerByIndex', args: [holder, 0n] } as const;
    const id = await world.client.readContract({ address: world.contracts.erc721, ...keys });
    const args = [holder, other, id];
    await world.send(world.contracts.erc721, { abi: sampleKeysAbi, functionName: 'transferFrom', args }, holder);
    await goToDay(20);
    await move(other, holder, 50n);
    const back = [holder, other, [5n], [4n], '0x'];
    const batch = { abi: sampleBadgesAbi, functionName: 'safeBatchTransferFrom', args: back };
    await world.send(world.contracts.erc1155, batch, holder);
    await goToDay(30);
  });
  after(() => world.stop());

  const least = async (days: number, change: Partial<Question> = {}) => {
    const holdings = createEvmHoldings({
      chains: new Map([[String(world.chainId), { urls: [world.url] }]]),
      clock: () => new Date(),
      timeoutMs: patientMs,
      fetch,
    });
    const question: Question = {
      chain: world.chainName,
      standard: 'erc20',
      reference: world.contracts.erc20,
      account: holder ?? '',
      needs: 'amount',
      leastSince: new Date((start + days * day) * 1000).toISOString(),
      ...change,
    };
    const [answer] = await holdings.read([question]);
    return answer?.kind === 'read' ? answer.amount : answer?.reason;
  };

  it('is the amount now where nothing moved since', async () => assert.equal(await least(25), '90'));

  it('is the amount at the time where it only grew since', async () => assert.equal(await least(15), '40'));

  it('is the lowest in between where it fell and grew again', async () => assert.equal(await least(5), '40'));

  it('is nothing where it was held for less time', async () => {
    assert.equal(await least(0), '0');
    assert.equal(await least(-1_000), '0');
  });

  it('does not count what left and came back within one block', async () => {
    await world.rpc('evm_setAutomine', [false]);
    await move(holder, other, 90n);
    await world.rpc('evm_mine', []);
    await world.rpc('evm_setAutomine', [true]);
    await world.rpc('evm_setAutomine', [false]);
    await move(other, holder, 90n);
    await move(holder, other, 90n);
    await move(other, holder, 90n);
    await world.rpc('evm_mine', []);
    await world.rpc('evm_setAutomine', [true]);
    const block = await world.client.getBlock();
    const days = (Number(block.timestamp) - start) / day;
    assert.equal(await least(days), '90');
    assert.equal(await least(25), '0', 'the block before ended without them');
  });

  it('covers keys and badges too, limited to the selected ones', async () => {
    const keys = { standard: 'erc721', reference: world.contracts.erc721 };
    assert.equal(await least(5, keys), '2');
    assert.equal(await least(0, keys), '0');
    const badges = { standard: 'erc1155', reference: world.contracts.erc1155, tokenIds: '5' };
    assert.equal(await least(5, badges), '6');
    assert.equal(await least(0, badges), '0');
    assert.equal(await least(5, { ...badges, tokenIds: '6' }), '0');
  });

  it('finds the block of a time in few calls', async () => {
    const before = count('eth_getBlockByNumber');
    await least(14.5);
    assert.ok(count('eth_getBlockByNumber') - before < 16, String(count('eth_getBlockByNumber') - before));
  });

  it('is unknown where logs do not show it, or when the time cannot be read', async () => {
    assert.match(String(await least(5, { standard: 'native', reference: 'currency' })), /cannot be read for native/);
    assert.match(String(await least(5, { leastSince: 'yesterday' })), /time since when/);
  });
});
