import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startOpenSeaEmulator } from '@latchkey/emulators/opensea';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { alice, asking, startEmulator } from '../testing/start-emulator.ts';
import { createCollectionFinder, createOpenSeaHoldings, createOpenSeaMarketplace } from './index.ts';

const ask = asking('evm:1', 'opensea');
const contract = '0x486e3c172a444b3b7cb2fa91e8ebac37cb3e376c';

async function start(t: TestContext) {
  const emulator = await startEmulator(t, startOpenSeaEmulator());
  const { state } = emulator;
  state.collections.push({
    slug: 'cool-cats',
    contracts: [
      { address: contract, chain: 'ethereum' },
      { address: 'So1', chain: 'solana' },
    ],
  });
  for (let id = 0; id < 450; id += 1)
    state.tokens.push({ owner: alice, chain: 'ethereum', slug: 'cool-cats', identifier: String(id) });
  state.tokens.push(
    { owner: alice, chain: 'ethereum', slug: 'other', identifier: '1' },
    { owner: alice, chain: 'matic', slug: 'cool-cats', identifier: '900' },
  );
  const options = { ...emulator.options, apiKey: state.apiKey };
  const open = (timeoutMs = patientMs) => createOpenSeaHoldings({ ...options, timeoutMs });
  return { ...emulator, options, open, reader: open() };
}

test('tokens of a collection are counted over all pages, on the right chain', async (t) => {
  const { reader, requests } = await start(t);
  const polygon = { ...ask('cool-cats', alice, { tokenIds: '900' }), chain: 'evm:137' };
  const answers = await reader.read([ask('cool-cats'), ask('nobody-has-it'), polygon, ask('../../x')]);
  assert.deepEqual(answers, [
    { kind: 'read', amount: '450' },
    { kind: 'read', amount: '0' },
    { kind: 'read', amount: '1', tokens: [{ id: '900', amount: '1', uri: 'https://example.com/cool-cats/900' }] },
    { kind: 'unknown', reason: 'Identify an OpenSea collection by its slug.' },
  ]);
  assert.equal(requests.length, 5);
  assert.ok(!reader.reads({ chain: 'evm:424242', standard: 'opensea' }));
});

test('a collection resolves to its contracts on known chains', async (t) => {
  const { options } = await start(t);
  const findContracts = createCollectionFinder(options);
  assert.deepEqual(await findContracts('cool-cats'), [{ chain: 'evm:1', address: contract }]);
  await assert.rejects(findContracts('nobody-has-it'), /OpenSea rejected the request \(404\)/);
});

test('whatever is wrong with the service, the result is unknown', async (t) => {
  const { open, ...emulator } = await start(t);
  const lies = {
    'tokens of another collection': (body: unknown) =>
      JSON.parse(JSON.stringify(body).replaceAll('"cool-cats"', '"other"')),
    'pages without end': (body: unknown) => ({ ...Object(body), next: 'MA' }),
  };
  // Without a cursor a page is the last one.
  await refuseMisbehaviour(emulator, open, [ask('cool-cats')], lies, ['next']);
});

test('a profile shows what its account wrote, and no account can impersonate another', async (t) => {
  const { options, state } = await start(t);
  const market = createOpenSeaMarketplace(options);
  assert.deepEqual(await market.readProfile(alice), { kind: 'none' });
  state.accounts.push({ address: alice, bio: '' }, { address: '0x1', username: contract, bio: 'mine' });
  assert.deepEqual(await market.readProfile(alice), { kind: 'none' });
  state.accounts.unshift({ address: alice, bio: 'hello latchkey-1' });
  assert.deepEqual(await market.readProfile(alice), { kind: 'read', text: 'hello latchkey-1' });
  assert.equal((await market.readProfile(contract)).kind, 'unknown');
  const locked = createOpenSeaMarketplace({ ...options, apiKey: 'wrong' });
  assert.deepEqual(await locked.readProfile(alice), {
    kind: 'unknown',
    reason: 'OpenSea did not accept the key (401).',
  });
});

test('what an account writes on its settings page is its profile', async (t) => {
  const { url, options } = await start(t);
  const market = createOpenSeaMarketplace(options);
  const save = (address: string, bio: string) =>
    fetch(`${url}/account/settings`, { method: 'POST', body: new URLSearchParams({ address, bio }) });
  assert.deepEqual(await market.readProfile(alice), { kind: 'none' });
  assert.equal((await save('alice', 'I collect.')).status, 400);
  for (const bio of ['I collect.', 'I collect <b>cats</b>.']) {
    assert.equal((await save(alice, bio)).status, 200);
    const profile = await market.readProfile(alice);
    assert.ok(profile.kind === 'read' && profile.text.includes(bio), JSON.stringify(profile));
  }
});
