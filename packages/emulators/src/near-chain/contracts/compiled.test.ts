import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createDice } from '../../dice.ts';
import { nearCall, startNearChain } from '../index.ts';
import { near } from '../testing.ts';

type Args = Readonly<Record<string, unknown>>;

const largest = 2n ** 128n - 1n;

async function startWorld(t: TestContext) {
  const chain = await startNearChain({ seed: 'compiled' });
  t.after(chain.stop);
  for (const id of ['alice', 'bob', 'carol', 'owner', 'art', 'coin', 'market']) chain.createAccount(`${id}.near`);
  const metadata = { spec: 'nft-1.0.0', name: 'Art "é✨"', symbol: 'ART', odd: ['\\', '\u0001', 1.5e-7, null] };
  chain.deploy('art.near', 'nep171', { owner_id: 'owner.near', metadata });
  const supply = { owner_id: 'alice.near', total_supply: String(largest - 10n), metadata };
  chain.deploy('coin.near', 'nep141', supply);
  chain.deploy('market.near', 'market', { owner_id: 'owner.near', ft_token_ids: ['coin.near'] });
  const call = (who: string, contract: string, method: string, args: Args, deposit = 1n) =>
    chain.act(`${who}.near`, `${contract}.near`, [nearCall(method, args, { deposit, teraGas: 150 })]);
  const must = (...request: Parameters<typeof call>) => {
    const { failure, ...rest } = call(...request);
    assert.equal(failure, undefined, JSON.stringify(failure));
    return rest;
  };
  const refused = (sentence: RegExp, ...request: Parameters<typeof call>) =>
    assert.match(JSON.stringify(call(...request).failure), sentence);
  const view = (contract: string, method: string, args: Args = {}) => chain.view(`${contract}.near`, method, args);
  const bytesOf = async (contract: string) => {
    const params = { request_type: 'view_account', finality: 'optimistic', account_id: `${contract}.near` };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'query', params });
    const response = await fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return Number(Object(await response.json()).result.storage_usage);
  };
  return { chain, metadata, call, must, refused, view, bytesOf };
}

test('amounts of 128 bits are exact to the last unit, and what does not fit is refused', async (t) => {
  const { must, refused, view } = await startWorld(t);
  const balance = (who: string) => BigInt(String(view('coin', 'ft_balance_of', { account_id: `${who}.near` })));
  must('alice', 'coin', 'storage_deposit', { account_id: 'bob.near' }, near / 100n);
  const amounts = [1n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 64n - 1n, 2n ** 64n, 10n ** 24n + 7n, 2n ** 127n];
  for (const amount of amounts) {
    const [alice, bob] = [balance('alice'), balance('bob')];
    must('alice', 'coin', 'ft_transfer', { receiver_id: 'bob.near', amount: String(amount) });
    assert.deepEqual([balance('alice'), balance('bob')], [alice - amount, bob + amount]);
  }
  const pay = (amount: string) => ['alice', 'coin', 'ft_transfer', { receiver_id: 'bob.near', amount }] as const;
  refused(/enough balance/, ...pay(String(balance('alice') + 1n)));
  for (const amount of [String(largest + 1n), '9'.repeat(39), '1'.repeat(40), '', '-1', '1e3', '0x1'])
    refused(/invalid amount/, ...pay(amount));
  refused(/positive number/, ...pay('0'));
  const mint = (amount: string) => ['alice', 'coin', 'mint', { account_id: 'carol.near', amount }, 0n] as const;
  refused(/too large/, ...mint('11'));
  must(...mint('10'));
  assert.equal(view('coin', 'ft_total_supply'), String(largest));
  refused(/Owner must mint/, 'bob', 'coin', 'mint', { account_id: 'bob.near', amount: '1' }, 0n);
});

test('random coin transfers match a plain ledger', async (t) => {
  const { call, must, view } = await startWorld(t);
  const dice = createDice(11);
  const people = ['alice', 'bob', 'carol'];
  const ledger = new Map<string, bigint>([['alice', largest - 10n]]);
  for (let round = 0; round < 60; round += 1) {
    const [from, to] = [people[dice.roll(3)] ?? '', people[dice.roll(3)] ?? ''];
    const had = ledger.get(from);
    if (dice.falls(0.2)) {
      must(from, 'coin', 'storage_deposit', {}, near / 100n);
      ledger.set(from, had ?? 0n);
    } else if (dice.falls(0.1)) {
      assert.equal(must(from, 'coin', 'storage_unregister', { force: true }).value, had !== undefined);
      ledger.delete(from);
    } else {
      const amount = dice.falls(0.2) ? largest : (had ?? 0n) / BigInt(1 + dice.roll(5));
      const got = ledger.get(to);
      const isPossible = from !== to && amount > 0n && had !== undefined && got !== undefined && had >= amount;
      const { failure } = call(from, 'coin', 'ft_transfer', { receiver_id: `${to}.near`, amount: String(amount) });
      assert.equal(failure === undefined, isPossible, JSON.stringify(failure));
      if (isPossible) ledger.set(from, had - amount).set(to, got + amount);
    }
    const supply = [...ledger.values()].reduce((sum, amount) => sum + amount, 0n);
    assert.equal(view('coin', 'ft_total_supply'), String(supply));
    for (const who of people)
      assert.equal(view('coin', 'ft_balance_of', { account_id: `${who}.near` }), String(ledger.get(who) ?? 0n));
  }
});

test('metadata comes back as it was given, and arguments that are no JSON are refused', async (t) => {
  const { chain, metadata, must, refused, view } = await startWorld(t);
  assert.deepEqual(view('art', 'nft_metadata'), metadata);
  const report = { title: 'A "quoted" \\ title\n', extra: '{"a":[1,2]}', copies: null };
  const id = 'tokens/1 "§"';
  must('owner', 'art', 'nft_mint', { token_id: id, receiver_id: 'alice.near', metadata: report }, near / 50n);
  const token = Object(view('art', 'nft_token', { token_id: id }));
  assert.deepEqual([token.token_id, token.metadata, token.owner_id], [id, report, 'alice.near']);
  const escaped = Buffer.from('{"token_id":"\\ud83d\\ude00\\u00e9\\t"}');
  const mint = { kind: 'FunctionCall', method: 'nft_mint', args: escaped, gas: 30e12, deposit: 0n } as const;
  assert.equal(chain.act('owner.near', 'art.near', [mint]).failure, undefined);
  assert.equal(Object(view('art', 'nft_token', { token_id: '😀é\t' })).token_id, '😀é\t');
  const raw = (text: string) =>
    chain.act('owner.near', 'art.near', [
      { kind: 'FunctionCall', method: 'nft_mint', args: Buffer.from(text), gas: 30e12, deposit: 0n },
    ]);
  for (const text of [
    '{',
    '[]',
    '{"token_id":01}',
    '{"token_id":"a",}',
    '"x"',
    '{"a":tru}',
    '{"a":"\\ud800"}',
    '['.repeat(99),
  ])
    assert.match(JSON.stringify(raw(text).failure), /Failed to deserialize/, text);
  refused(/missing field `token_id`/, 'owner', 'art', 'nft_mint', {}, 0n);
  refused(/invalid token id/, 'owner', 'art', 'nft_mint', { token_id: 'x'.repeat(257) }, 0n);
  refused(/invalid account/, 'owner', 'art', 'nft_mint', { token_id: '2', receiver_id: 'No Account' }, 0n);
  refused(/more than the whole/, 'owner', 'art', 'nft_mint', {
    token_id: '2',
    perpetual_royalties: { 'a.near': 10_001 },
  });
});

test('no one initializes a contract twice or calls its private methods', async (t) => {
  const { refused } = await startWorld(t);
  const init = { owner_id: 'bob.near', metadata: {}, total_supply: '1' };
  for (const contract of ['art', 'coin', 'market']) refused(/already been initialized/, 'bob', contract, 'new', init);
  const payment = { token: 'near', buyer: 'bob.near', seller: 'bob.near', price: '1', fee: '0' };
  refused(/Method is private/, 'bob', 'market', 'resolve_purchase', payment, 0n);
  const back = { sender_id: 'bob.near', receiver_id: 'alice.near', amount: '5' };
  refused(/Method is private/, 'bob', 'coin', 'ft_resolve_transfer', back, 0n);
  const gone = { previous_owner_id: 'bob.near', receiver_id: 'alice.near', token_id: '1', approved_account_ids: {} };
  refused(/Method is private/, 'bob', 'art', 'nft_resolve_transfer', gone, 0n);
  refused(/Owner must/, 'bob', 'market', 'add_ft_token_ids', { ft_token_ids: ['bob.near'] }, 0n);
  const report = { token_id: '1', owner_id: 'bob.near', approval_id: 0, msg: '{"sale_conditions":{"near":"1"}}' };
  refused(/cross-contract/, 'bob', 'market', 'nft_on_approve', report, 0n);
});

test('the largest sale fits into the storage its seller paid for, and leaves none behind', async (t) => {
  const { must, refused, bytesOf, view, chain } = await startWorld(t);
  const id = 'x'.repeat(256);
  must('owner', 'art', 'nft_mint', { token_id: id, receiver_id: 'alice.near' }, near / 20n);
  const empty = await bytesOf('market');
  const balance = chain.balanceOf('market.near') ?? 0n;
  const cost = BigInt(String(view('market', 'storage_minimum_balance')));
  refused(/minimum deposit/, 'alice', 'market', 'storage_deposit', {}, cost - 1n);
  must('alice', 'market', 'storage_deposit', {}, cost);
  const sale = { sale_conditions: { near: String(largest), 'coin.near': String(largest) }, token_type: 't'.repeat(64) };
  const approve = { token_id: id, account_id: 'market.near', msg: JSON.stringify(sale) };
  must('alice', 'art', 'nft_approve', approve, near / 500n);
  must('bob', 'market', 'offer', { nft_contract_id: 'art.near', token_id: id }, near);
  const used = (await bytesOf('market')) - empty;
  assert.ok(BigInt(used) * 10n ** 19n <= cost, `${used} bytes for ${cost}`);
  const had = chain.balanceOf('bob.near') ?? 0n;
  must('alice', 'market', 'remove_sale', { nft_contract_id: 'art.near', token_id: id });
  assert.equal(chain.balanceOf('bob.near'), had + near);
  must('alice', 'market', 'storage_withdraw', {});
  assert.equal(await bytesOf('market'), empty);
  assert.equal(view('market', 'storage_balance_of', { account_id: 'alice.near' }), '0');
  assert.ok((chain.balanceOf('market.near') ?? 0n) >= balance, 'the market has lost nothing by it');
});
