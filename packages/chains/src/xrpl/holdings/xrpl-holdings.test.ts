import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Question } from '@latchkey/core/ports';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { startXrplRpcEmulator } from '@latchkey/emulators/xrpl-rpc';
import { createXrplHoldings } from './index.ts';

const alice = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const bob = 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe';
const issuer = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B';
const soloHex = '534F4C4F00000000000000000000000000000000';

async function start(t: TestContext) {
  const emulator = await startXrplRpcEmulator();
  t.after(emulator.stop);
  const { state } = emulator;
  state.drops.set(alice, '1500001').set(issuer, '1');
  const line = { account: alice, peer: issuer };
  state.lines.push(
    { ...line, currency: 'USD', balance: '9999999999999999e-20' },
    { ...line, currency: soloHex, balance: '1234.5678' },
    { ...line, currency: 'EUR', balance: '-50' },
    { ...line, currency: 'JPY', balance: '1e16' },
  );
  const uri = Buffer.from('ipfs://art/1').toString('hex').toUpperCase();
  for (let serial = 0; serial < 5; serial += 1) {
    const id = serial.toString(16).toUpperCase().padStart(64, '0');
    state.nfts.push({ owner: alice, NFTokenID: id, Issuer: issuer, NFTokenTaxon: serial % 2, URI: uri });
  }
  const open = (timeoutMs = patientMs) =>
    createXrplHoldings({ fetch, urls: { 'xrpl:mainnet': emulator.url }, timeoutMs });
  return { ...emulator, open, reader: open() };
}

function ask(standard: string, reference: string, account = alice, more: Partial<Question> = {}): Question {
  return { chain: 'xrpl:mainnet', standard, reference, account, needs: 'amount', ...more };
}

test('coins, trust lines and tokens are read exactly at one validated ledger, with few requests', async (t) => {
  const { reader, requests, state } = await start(t);
  const answers = await reader.read([
    ask('native', 'native'),
    ask('ft', `USD.${issuer}`),
    ask('ft', `SOLO.${issuer}`),
    ask('ft', `${soloHex.toLowerCase()}.${issuer}`),
    ask('ft', `EUR.${issuer}`),
    ask('ft', `JPY.${issuer}`),
    ask('ft', `0000000000000000000000004A50590000000000.${issuer}`),
    ask('ft', `GBP.${issuer}`),
    ask('nft', `${issuer}.0`),
    ask('nft', `${issuer}.1`),
    ask('nft', issuer),
    ask('native', 'native', bob),
    ask('nft', `${issuer}.0`, bob),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer.kind === 'read' && answer.amount),
    [
      '1.500001',
      '0.00009999999999999999',
      '1234.5678',
      '1234.5678',
      '0',
      '10000000000000000',
      '10000000000000000',
      '0',
      '3',
      '2',
      '5',
      '0',
      '0',
    ],
  );
  assert.ok(answers.every((answer) => answer.kind === 'read' && answer.block?.number === String(state.validatedIndex)));
  assert.equal(requests.length, 6);
});

test('markers are followed to the end, and tokens are listed with the metadata they point at', async (t) => {
  const { reader, state } = await start(t);
  state.pageSize = 2;
  const [answer] = await reader.read([ask('nft', `${issuer}.1`, alice, { needs: 'tokens' })]);
  assert.deepEqual(answer?.kind === 'read' && answer.tokens, [
    { id: '1'.padStart(64, '0'), amount: '1', uri: 'ipfs://art/1' },
    { id: '3'.padStart(64, '0'), amount: '1', uri: 'ipfs://art/1' },
  ]);
  state.pageSize = 1;
  for (let serial = 0; serial < 60; serial += 1) {
    state.nfts.push({ owner: alice, NFTokenID: `F${serial}`, Issuer: issuer, NFTokenTaxon: 9 });
  }
  const [endless] = await reader.read([ask('nft', `${issuer}.1`)]);
  assert.deepEqual(endless, {
    kind: 'unknown',
    reason: 'The XRP Ledger node returned more pages for this account than the read limit.',
  });
});

test('invalid references and future ledgers are unknown', async (t) => {
  const { reader } = await start(t);
  const answers = await reader.read([
    ask('ft', 'USD'),
    ask('nft', 'nobody.1'),
    ask('native', 'native', 'nonsense'),
    ask('native', 'native', alice, { atBlock: '99999999' }),
  ]);
  assert.deepEqual(answers, [
    { kind: 'unknown', reason: 'A token of the XRP Ledger is written as <currency>.<issuer>.' },
    { kind: 'unknown', reason: 'A collection of the XRP Ledger is written as <issuer>.<taxon>.' },
    { kind: 'unknown', reason: 'The XRP Ledger node could not answer (actMalformed).' },
    { kind: 'unknown', reason: 'The XRP Ledger node could not answer (lgrNotFound).' },
  ]);
});

test('whatever is wrong with the node, the result is unknown', async (t) => {
  const { open, ...emulator } = await start(t);
  const changed = (change: object) => (body: unknown) => ({ result: { ...Object(body).result, ...change } });
  await refuseMisbehaviour(emulator, open, [ask('ft', `USD.${issuer}`), ask('nft', `${issuer}.0`)], {
    'an overloaded node': changed({ error: 'slowDown', status: 'error' }),
    'a ledger that is not validated': changed({ validated: false }),
    'values that are not lists': changed({ lines: {}, account_nfts: null }),
    'invalid amounts': changed({
      lines: [{ account: issuer, currency: 'USD', balance: 'NaN' }],
      account_nfts: 'x',
    }),
  });
});
