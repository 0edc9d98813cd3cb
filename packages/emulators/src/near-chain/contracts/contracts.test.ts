import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createDice } from '../../dice.ts';
import { nearCall, startNearChain } from '../index.ts';
import { isBalanced, near } from '../testing.ts';

type Args = Readonly<Record<string, unknown>>;

/** Creates a token contract with a collection, a coin, a market with a 2 % fee, and accounts that are registered with them. */
async function startWorld(t: TestContext, feePoints = 200) {
  const chain = await startNearChain({ seed: 'contracts' });
  t.after(chain.stop);
  for (const id of ['alice', 'bob', 'carol', 'artist', 'owner', 'fees', 'art', 'coin', 'market'])
    chain.createAccount(`${id}.near`);
  const metadata = { spec: 'nft-1.0.0', name: 'Art', symbol: 'ART' };
  chain.deploy('art.near', 'nep171', { owner_id: 'owner.near', metadata });
  const coin = { spec: 'ft-1.0.0', name: 'Coin', symbol: 'COIN', decimals: 6 };
  chain.deploy('coin.near', 'nep141', { owner_id: 'bob.near', total_supply: '1000000', metadata: coin });
  chain.deploy('market.near', 'market', {
    owner_id: 'owner.near',
    ft_token_ids: ['coin.near'],
    fee_account_id: 'fees.near',
    fee_basis_points: feePoints,
  });
  const call = (who: string, contract: string, method: string, args: Args, deposit = 1n, teraGas = 150) =>
    chain.act(`${who}.near`, `${contract}.near`, [nearCall(method, args, { deposit, teraGas })]);
  const view = (contract: string, method: string, args: Args = {}) => chain.view(`${contract}.near`, method, args);
  const must = (...request: Parameters<typeof call>) => {
    const { failure, ...rest } = call(...request);
    assert.equal(failure, undefined, JSON.stringify(failure));
    return rest;
  };
  const mint = (id: string, royalties: Record<string, number> = {}, to = 'alice') =>
    must('owner', 'art', 'nft_mint', { token_id: id, receiver_id: `${to}.near`, perpetual_royalties: royalties }, 0n);
  const sell = (id: string, conditions: Record<string, string>, isAuction = false, who = 'alice') => {
    must(who, 'market', 'storage_deposit', {}, near / 20n);
    const msg = JSON.stringify({ sale_conditions: conditions, is_auction: isAuction, token_type: 'print' });
    return must(who, 'art', 'nft_approve', { token_id: id, account_id: 'market.near', msg }, near / 1000n);
  };
  const on = (id: string) => ({ nft_contract_id: 'art.near', token_id: id });
  const sale = (id: string) => view('market', 'get_sale', { nft_contract_token: `art.near||${id}` });
  const ownerOf = (id: string) => Object(view('art', 'nft_token', { token_id: id })).owner_id;
  const balance = (who: string) => chain.balanceOf(`${who}.near`) ?? 0n;
  return { chain, call, must, view, mint, sell, on, sale, ownerOf, balance };
}

const messageOf = ({ failure }: { failure: unknown }) => JSON.stringify(failure);

test('a token is transferred with events, and only by the owner or an approved account', async (t) => {
  const { call, must, mint, view, ownerOf } = await startWorld(t);
  const minted = mint('1');
  assert.match(minted.logs[0] ?? '', /^EVENT_JSON:\{"standard":"nep171".*"event":"nft_mint"/);
  const pass = { token_id: '1', receiver_id: 'carol.near' };
  assert.match(messageOf(call('bob', 'art', 'nft_transfer', pass)), /Sender not approved/);
  assert.match(messageOf(call('alice', 'art', 'nft_transfer', pass, 0n)), /exactly 1 yoctoNEAR/);
  assert.match(
    messageOf(call('alice', 'art', 'nft_approve', { token_id: '1', account_id: 'bob.near' })),
    /to cover storage/,
  );
  must('alice', 'art', 'nft_approve', { token_id: '1', account_id: 'bob.near' }, near / 1000n);
  assert.equal(view('art', 'nft_is_approved', { token_id: '1', approved_account_id: 'bob.near' }), true);
  assert.match(messageOf(call('bob', 'art', 'nft_transfer', { ...pass, approval_id: 7 })), /Approval id/);
  must('bob', 'art', 'nft_transfer', { ...pass, approval_id: 0 });
  assert.equal(ownerOf('1'), 'carol.near');
  assert.equal(view('art', 'nft_is_approved', { token_id: '1', approved_account_id: 'bob.near' }), false);
  assert.equal(must('carol', 'art', 'nft_transfer_call', { ...pass, receiver_id: 'coin.near', msg: '' }).value, false);
  assert.equal(ownerOf('1'), 'carol.near', 'a contract that does not take tokens gives them back');
  assert.match(messageOf(call('alice', 'art', 'nft_mint', { token_id: '2' })), /Owner must mint/);
});

test('a contract with types mints within their caps and does not move locked ones', async (t) => {
  const { call, must, mint, view, ownerOf } = await startWorld(t);
  must('owner', 'art', 'add_token_types', { supply_cap_by_type: { print: '2', gold: '1' }, locked: true }, 0n);
  const print = (id: string, token_type?: string) =>
    call('owner', 'art', 'nft_mint', { token_id: id, receiver_id: 'alice.near', token_type }, 0n);
  assert.match(messageOf(print('0')), /Token type must be one/);
  assert.equal(print('1', 'print').failure, undefined);
  assert.equal(print('2', 'print').failure, undefined);
  assert.match(messageOf(print('3', 'print')), /Cannot mint anymore/);
  assert.match(messageOf(print('1', 'gold')), /already exists/);
  const pass = { token_id: '1', receiver_id: 'carol.near' };
  assert.match(messageOf(call('alice', 'art', 'nft_transfer', pass)), /locked/);
  assert.match(messageOf(call('alice', 'art', 'unlock_token_types', { token_types: ['print'] }, 0n)), /Owner must/);
  must('owner', 'art', 'unlock_token_types', { token_types: ['print'] }, 0n);
  must('alice', 'art', 'nft_transfer', pass);
  assert.equal(ownerOf('1'), 'carol.near');
  assert.equal(view('art', 'nft_supply_for_type', { token_type: 'print' }), '2');
  assert.deepEqual(Object(view('art', 'get_token_types')).map(Object.values), [
    ['print', '2', 2, false],
    ['gold', '1', 0, true],
  ]);
  assert.throws(() => mint('x'));
});

test('a sale pays the seller, the royalties and the market to the last yocto', async (t) => {
  const { chain, call, must, mint, sell, on, sale, ownerOf, balance, view } = await startWorld(t);
  mint('1', { 'artist.near': 1_000, 'carol.near': 333 });
  sell('1', { near: String(near + 7n) });
  assert.equal(Object(view('market', 'get_sales_by_nft_token_type', { token_type: 'print' })).length, 1);
  assert.match(messageOf(call('alice', 'market', 'offer', on('1'), near + 7n)), /own sale/);
  assert.match(messageOf(call('bob', 'market', 'offer', on('1'), near + 8n)), /higher than the price/);
  const before = { alice: balance('alice'), artist: balance('artist'), carol: balance('carol'), fees: balance('fees') };
  must('bob', 'market', 'offer', on('1'), near + 7n);
  assert.equal(ownerOf('1'), 'bob.near');
  assert.equal(sale('1'), null);
  const price = near + 7n;
  const fee = (price * 200n) / 10_000n;
  const rest = price - fee;
  const [artist, carol] = [(rest * 1_000n) / 10_000n, (rest * 333n) / 10_000n];
  assert.equal(balance('fees') - before.fees, fee);
  assert.equal(balance('artist') - before.artist, artist);
  assert.equal(balance('carol') - before.carol, carol);
  assert.equal(balance('alice') - before.alice, rest - artist - carol);
  assert.ok(isBalanced(chain));
});

test('a higher bid refunds the lower one, and the seller accepts the highest or withdraws the sale', async (t) => {
  const { chain, call, must, mint, sell, on, sale, ownerOf, balance } = await startWorld(t, 0);
  mint('1');
  mint('2');
  sell('1', { near: String(near) }, true);
  assert.match(messageOf(call('bob', 'market', 'offer', on('1'), near - 1n)), /reserve price/);
  must('bob', 'market', 'offer', on('1'), near);
  const bob = balance('bob');
  assert.match(messageOf(call('carol', 'market', 'offer', on('1'), near)), /less than or equal/);
  must('carol', 'market', 'offer', on('1'), 2n * near);
  assert.equal(balance('bob') - bob, near);
  assert.deepEqual(Object(sale('1')).bids, { near: [{ owner_id: 'carol.near', price: String(2n * near) }] });
  const accept = { ...on('1'), ft_token_id: 'near' };
  assert.match(messageOf(call('bob', 'market', 'accept_offer', accept)), /Must be sale owner/);
  must('alice', 'market', 'accept_offer', accept);
  assert.equal(ownerOf('1'), 'carol.near');
  sell('2', { near: String(near) });
  must('bob', 'market', 'offer', on('2'), near / 2n);
  const held = balance('bob');
  must('alice', 'market', 'update_price', { ...on('2'), ft_token_id: 'near', price: '5' });
  assert.deepEqual(Object(sale('2')).sale_conditions, { near: '5' });
  must('alice', 'market', 'remove_sale', on('2'));
  assert.equal(balance('bob') - held, near / 2n);
  assert.equal(sale('2'), null);
  assert.ok(isBalanced(chain));
});

test('buying a token that is gone costs the buyer nothing', async (t) => {
  const { chain, call, must, mint, sell, on, ownerOf, balance } = await startWorld(t);
  mint('1');
  sell('1', { near: String(near), 'coin.near': '500' });
  must('alice', 'art', 'nft_transfer', { token_id: '1', receiver_id: 'carol.near' });
  const [bob, market] = [balance('bob'), balance('market')];
  assert.equal(call('bob', 'market', 'offer', on('1'), near).value, String(near));
  assert.ok(bob - balance('bob') < near / 100n);
  assert.ok(market - balance('market') <= 1n);
  assert.equal(ownerOf('1'), 'carol.near');
  assert.ok(isBalanced(chain));
});

test('a sale for coins pays in coins, and refunds them when it fails', async (t) => {
  const { chain, must, mint, sell, on, ownerOf, view } = await startWorld(t);
  const coins = (who: string) => Number(view('coin', 'ft_balance_of', { account_id: `${who}.near` }));
  for (const who of ['alice', 'artist', 'fees', 'market'])
    must('bob', 'coin', 'storage_deposit', { account_id: `${who}.near` }, near / 100n);
  mint('1', { 'artist.near': 500 });
  sell('1', { 'coin.near': '1000' });
  const pay = (amount: string, id: string) =>
    must('bob', 'coin', 'ft_transfer_call', { receiver_id: 'market.near', amount, msg: JSON.stringify(on(id)) });
  assert.equal(pay('1001', '1').value, '0', 'a higher amount is not accepted');
  assert.equal(pay('1000', '1').value, '1000');
  assert.deepEqual(['fees', 'artist', 'alice', 'market'].map(coins), [20, 49, 931, 0]);
  assert.equal(ownerOf('1'), 'bob.near');
  mint('2');
  sell('2', { 'coin.near': '1000' });
  must('alice', 'art', 'nft_transfer', { token_id: '2', receiver_id: 'carol.near' });
  assert.equal(pay('1000', '2').value, '0');
  assert.equal(coins('bob') + 1000, 1_000_000);
  assert.ok(isBalanced(chain));
});

test('a bridged token is burned here, and the factory says who may claim it on Ethereum', async (t) => {
  const { chain, call } = await startWorld(t);
  const address = 'dac17f958d2ee523a2206206994597c13d831ec7';
  chain.createAccount('factory.near');
  chain.deploy('factory.near', 'bridge-factory');
  chain.createAccount(`${address}.factory.near`);
  const metadata = { spec: 'ft-1.0.0', name: 'Tether', symbol: 'USDT.e', decimals: 6 };
  chain.deploy(`${address}.factory.near`, 'bridge-token', { owner_id: 'bob.near', total_supply: '500', metadata });
  const withdraw = (recipient: string, amount: string) => {
    const args = { recipient, amount };
    return chain.act('bob.near', `${address}.factory.near`, [
      nearCall('withdraw', args, { deposit: 1n, teraGas: 100 }),
    ]);
  };
  assert.match(messageOf(withdraw('0x12', '1')), /20 bytes/);
  assert.match(messageOf(withdraw('ab'.repeat(20), '501')), /enough balance/);
  const { value } = withdraw('ab'.repeat(20), '300');
  assert.ok(value instanceof Uint8Array);
  assert.equal(Buffer.from(value).toString('hex'), `00${'2c01'.padEnd(32, '0')}${address}${'ab'.repeat(20)}`);
  assert.equal(chain.view(`${address}.factory.near`, 'ft_total_supply'), '200');
  assert.match(
    messageOf(call('bob', 'factory', 'finish_withdraw', { amount: '1', recipient: 'ab'.repeat(20) })),
    /bridged/,
  );
});

test('random sales neither lose nor create funds', async (t) => {
  const { chain, must, mint, sell, on, ownerOf } = await startWorld(t, 177);
  const dice = createDice(7);
  const people = ['alice', 'bob', 'carol'];
  for (let round = 0; round < 40; round += 1) {
    const id = String(round);
    const seller = people[dice.roll(3)] ?? 'alice';
    const buyer = people[(people.indexOf(seller) + 1 + dice.roll(2)) % 3] ?? 'bob';
    mint(id, { 'artist.near': dice.roll(5_000), 'owner.near': dice.roll(5_000) }, seller);
    const price = BigInt(dice.roll(1_000_000_000)) * 1_000_003n + 1n;
    const isAuction = dice.falls(0.5);
    sell(id, { near: String(price) }, isAuction, seller);
    must(buyer, 'market', 'offer', on(id), price);
    if (isAuction) must(seller, 'market', 'accept_offer', { ...on(id), ft_token_id: 'near' });
    assert.equal(ownerOf(id), `${buyer}.near`);
    assert.ok(isBalanced(chain));
  }
});
