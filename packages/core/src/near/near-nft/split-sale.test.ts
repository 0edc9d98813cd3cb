import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearCall, startNearChain } from '@latchkey/emulators/near-chain';
import { seededRandom } from '../../testing/index.ts';
import { type PlacedBid, placeBid, splitSale } from './sale-on-chain.ts';

const random = seededRandom('split-sale');
const number = (below: number) => Buffer.from(random.bytes(4)).readUInt32LE() % below;
const amount = () => BigInt(`0x${Buffer.from(random.bytes(1 + number(14))).toString('hex')}`);
const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, each) => total + each, 0n);

function randomRoyalties(): Record<string, number> {
  const royalties: Record<string, number> = {};
  let left = 10_000;
  for (let count = number(10); count > 0; count -= 1) {
    const points = number(left + 1);
    royalties[`artist-${count}.near`] = points;
    left -= points;
  }
  if (number(5) === 0) royalties['seller.near'] = left;
  return royalties;
}

test('10,000 random sales pay out exactly the price', () => {
  for (let round = 0; round < 10_000; round += 1) {
    const terms = {
      price: amount(),
      feeBasisPoints: number(5_001),
      seller: 'seller.near',
      royalties: randomRoyalties(),
    };
    const { fee, shares } = splitSale(terms);
    assert.equal(
      fee + sum(shares.values()),
      terms.price,
      JSON.stringify(terms, (_key, value) => String(value)),
    );
    assert.ok([fee, ...shares.values()].every((share) => share >= 0n));
    for (const [account, points] of Object.entries(terms.royalties))
      if (account !== 'seller.near')
        assert.equal(shares.get(account), ((terms.price - fee) * BigInt(points)) / 10_000n);
  }
});

test('royalties above 100 % are refused', () => {
  const royalties = { 'a.near': 6_000, 'b.near': 6_000 };
  assert.throws(() => splitSale({ price: 1_000n, feeBasisPoints: 0, seller: 's.near', royalties }), RangeError);
});

test('1,000 random auctions refund every bid but the winning one', () => {
  for (let round = 0; round < 1_000; round += 1) {
    const held = new Map<string, bigint>();
    const add = (account: string, change: bigint) => held.set(account, (held.get(account) ?? 0n) + change);
    let standing: PlacedBid | undefined;
    for (let count = number(12) + 1; count > 0; count -= 1) {
      const bid = { buyer: `bidder-${number(4)}.near`, price: amount() };
      const placed = placeBid(standing, bid);
      if (placed === undefined) continue;
      add(bid.buyer, -bid.price);
      add('market.near', bid.price);
      if (placed.paidBack !== undefined) {
        add(placed.paidBack.buyer, placed.paidBack.price);
        add('market.near', -placed.paidBack.price);
      }
      standing = placed.standing;
    }
    assert.equal(held.get('market.near') ?? 0n, standing?.price ?? 0n);
    assert.equal(sum(held.values()), 0n);
    if (standing === undefined) continue;
    const { fee, shares } = splitSale({ price: standing.price, feeBasisPoints: 250, seller: 's.near', royalties: {} });
    add('market.near', -standing.price);
    add('fees.near', fee);
    for (const [account, share] of shares) add(account, share);
    assert.equal(held.get('market.near'), 0n);
    assert.equal(sum(held.values()), 0n);
    assert.ok([...held].every(([account, change]) => account !== standing?.buyer || change === -standing.price));
  }
});

test('the compiled contracts split sales as predicted here', async (t) => {
  const chain = await startNearChain({ seed: 'split-sale' });
  t.after(chain.stop);
  for (const id of ['art', 'owner', 'market', 'seller', 'buyer', 'fees']) chain.createAccount(`${id}.near`);
  for (let index = 1; index < 10; index += 1) chain.createAccount(`artist-${index}.near`);
  chain.deploy('art.near', 'nep171', {
    owner_id: 'owner.near',
    metadata: { spec: 'nft-1.0.0', name: 'A', symbol: 'A' },
  });
  const market = { owner_id: 'owner.near', fee_account_id: 'fees.near', fee_basis_points: 333 };
  chain.deploy('market.near', 'market', market);
  const call = (who: string, to: string, method: string, args: object, deposit = 1n) => {
    const step = nearCall(method, { ...args }, { deposit, teraGas: 150 });
    const { failure } = chain.act(`${who}.near`, `${to}.near`, [step]);
    assert.equal(failure, undefined, JSON.stringify(failure));
  };
  const tokens = Array.from({ length: 20 }, (_, index) => ({ id: String(index), royalties: randomRoyalties() }));
  for (const { id, royalties } of tokens)
    call('owner', 'art', 'nft_mint', { token_id: id, receiver_id: 'seller.near', perpetual_royalties: royalties }, 0n);
  for (let round = 0; round < 2_000; round += 1) {
    const { id, royalties } = tokens[round % tokens.length] ?? { id: '', royalties: {} };
    const balance = amount();
    const { shares } = splitSale({ price: balance, feeBasisPoints: 0, seller: 'seller.near', royalties });
    const reply = Object(
      chain.view('art.near', 'nft_payout', { token_id: id, balance: String(balance), max_len_payout: 20 }),
    );
    assert.deepEqual(new Map(Object.entries(reply.payout).map(([who, share]) => [who, BigInt(String(share))])), shares);
  }
  for (const { id, royalties } of tokens.slice(0, 8)) {
    const price = (amount() % 10n ** 25n) + 1n;
    call('seller', 'market', 'storage_deposit', {}, 30_000_000_000_000_000_000_000n);
    const msg = JSON.stringify({ sale_conditions: { near: String(price) } });
    call('seller', 'art', 'nft_approve', { token_id: id, account_id: 'market.near', msg }, 10n ** 21n);
    const { fee, shares } = splitSale({ price, feeBasisPoints: 333, seller: 'seller.near', royalties });
    const expected = new Map([...shares, ['fees.near', fee] as const]);
    const before = new Map([...expected.keys()].map((account) => [account, chain.balanceOf(account) ?? 0n]));
    call('buyer', 'market', 'offer', { nft_contract_id: 'art.near', token_id: id }, price);
    for (const [account, share] of expected)
      assert.equal((chain.balanceOf(account) ?? 0n) - (before.get(account) ?? 0n), share, account);
  }
});
