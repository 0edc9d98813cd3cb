import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Answer, Question } from '@latchkey/core/ports';
import { startEsploraEmulator } from '@latchkey/emulators/esplora';
import type { HttpEmulator } from '@latchkey/emulators/http-emulator';
import { startOrdEmulator } from '@latchkey/emulators/ord';
import { startStampchainEmulator } from '@latchkey/emulators/stampchain';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { startUnisatEmulator } from '@latchkey/emulators/unisat';
import { createBrc20Holdings, createEsploraHoldings, createOrdHoldings, createStampHoldings } from './index.ts';

const chain = 'bitcoin:mainnet';
const alice = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const bob = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

async function started<Emulator extends HttpEmulator>(t: TestContext, starting: Promise<Emulator>) {
  const emulator = await starting;
  t.after(emulator.stop);
  return { ...emulator, options: { urls: { [chain]: emulator.url }, timeoutMs: patientMs } };
}

function ask(standard: string, reference: string, account = alice, more: Partial<Question> = {}): Question {
  return { chain, standard, reference, account, needs: 'amount', ...more };
}

const amountsOf = (answers: readonly Answer[]) => answers.map((answer) => answer.kind === 'read' && answer.amount);

describe('coins through Esplora', () => {
  async function start(t: TestContext) {
    const emulator = await started(t, startEsploraEmulator());
    const coin = { address: alice, txid: 'a'.repeat(64) };
    emulator.state.outputs.push(
      { ...coin, vout: 0, sats: 2_099_999_997_690_000 },
      { ...coin, vout: 1, sats: 5, isSpent: true },
      { ...coin, vout: 2, sats: 7, isConfirmed: false },
    );
    const open = (timeoutMs = patientMs) => createEsploraHoldings({ fetch, ...emulator.options, timeoutMs });
    return { ...emulator, open, reader: open() };
  }

  test('confirmed coins are counted exactly', async (t) => {
    const { reader, state } = await start(t);
    const answers = await reader.read([ask('native', 'native'), ask('native', 'native', bob)]);
    assert.deepEqual(amountsOf(answers), ['20999999.9769', '0']);
    assert.equal(answers[0]?.kind === 'read' && answers[0].block?.number, String(state.height));
  });

  test('a batch interrupted by a new block is read again, and given up when blocks keep coming', async (t) => {
    const { reader, state, misbehave, behave, requests } = await start(t);
    misbehave(
      {
        kind: 'lie',
        change: (body) => {
          state.height += 1;
          return body;
        },
      },
      1,
    );
    const [answer] = await reader.read([ask('native', 'native')]);
    assert.equal(answer?.kind === 'read' && answer.block?.number, String(state.height));
    assert.equal(requests.filter(({ path }) => path.startsWith('/address')).length, 2);
    misbehave({
      kind: 'lie',
      change: (body) => {
        state.height += 1;
        return body;
      },
    });
    const [endless] = await reader.read([ask('native', 'native')]);
    assert.match(endless?.kind === 'unknown' ? endless.reason : '', /kept advancing/);
    behave();
    const [past] = await reader.read([ask('native', 'native', alice, { atBlock: '1' })]);
    assert.deepEqual(past, { kind: 'unknown', reason: 'Esplora cannot be read at a past block.' });
  });

  test('whatever fails, the result is unknown', async (t) => {
    const { open, ...emulator } = await start(t);
    await refuseMisbehaviour(emulator, open, [ask('native', 'native')], {
      'another address': (body) => (Array.isArray(body) ? body : { ...Object(body), address: bob }),
      'more spent than received': (body) =>
        Array.isArray(body) ? body : { ...Object(body), chain_stats: { funded_txo_sum: 1, spent_txo_sum: 2 } },
      'a sum that lost digits': (body) =>
        Array.isArray(body) ? body : { ...Object(body), chain_stats: { funded_txo_sum: 1.5, spent_txo_sum: 0 } },
    });
  });
});

describe('inscriptions through ord', () => {
  const idOf = (number: number) => `${number.toString(16).padStart(64, '0')}i0`;
  const parent = idOf(0xabc);

  async function start(t: TestContext) {
    const emulator = await started(t, startOrdEmulator());
    for (const number of [-5, 3, 150, 9_999, 10_000]) {
      emulator.state.inscriptions.push({
        id: idOf(Math.abs(number)),
        number,
        address: alice,
        parents: number === 150 ? [parent] : [],
      });
    }
    const collections = { punks: [idOf(3), idOf(77)] };
    const open = (timeoutMs = patientMs) => createOrdHoldings({ fetch, ...emulator.options, timeoutMs, collections });
    return { ...emulator, open, reader: open() };
  }

  test('all, ranges of numbers, children of a parent and named collections are counted', async (t) => {
    const { reader, requests, state } = await start(t);
    const all = ['inscriptions', '0-9999', parent, 'punks'].map((reference) => ask('ordinals', reference));
    const answers = await reader.read([
      ...all,
      ask('ordinals', 'no such collection'),
      ask('ordinals', 'inscriptions', bob),
    ]);
    assert.deepEqual(amountsOf(answers), ['5', '3', '1', '1', false, '0']);
    assert.deepEqual(answers[4], {
      kind: 'unknown',
      reason: 'Inscription range, parent or collection not found.',
    });
    assert.equal(requests.filter(({ path }) => path === '/inscriptions').length, 1);
    const [named] = await reader.read([ask('ordinals', 'inscriptions', alice, { tokenIds: '100-200' })]);
    assert.deepEqual(named?.kind === 'read' && named.tokens?.map((token) => token.id), [
      '-5',
      '3',
      '150',
      '9999',
      '10000',
    ]);
    state.hasBatches = false;
    assert.deepEqual(amountsOf(await reader.read(all)), ['5', '3', '1', '1']);
  });

  test('more inscriptions than fit in one request are all read', async (t) => {
    const { reader, state } = await start(t);
    for (let number = 20_000; number < 20_250; number += 1)
      state.inscriptions.push({ id: idOf(number), number, address: bob });
    assert.deepEqual(amountsOf(await reader.read([ask('ordinals', '20000-20199', bob)])), ['200']);
  });

  test('a server without addresses or of another network is not used, and nothing wrong with it counts', async (t) => {
    const { open, reader, state, ...emulator } = await start(t);
    await refuseMisbehaviour(emulator, open, [ask('ordinals', '0-9999')], {
      'other inscriptions': (body) => (Array.isArray(body) ? body.toReversed() : body),
      'no index of inscriptions': (body) => ({ ...Object(body), inscriptions: null }),
      'an endless address': (body) =>
        'outputs' in Object(body) ? { inscriptions: new Array(6_000).fill(parent) } : body,
    });
    state.hasAddressIndex = false;
    const [blind] = await reader.read([ask('ordinals', 'inscriptions')]);
    assert.deepEqual(blind, { kind: 'unknown', reason: 'The ord server is running without its address index.' });
    Object.assign(state, { hasAddressIndex: true, chain: 'signet' });
    const [other] = await reader.read([ask('ordinals', 'inscriptions')]);
    assert.deepEqual(other, { kind: 'unknown', reason: 'The ord server serves another network.' });
  });
});

describe('BRC-20 through an indexer', () => {
  async function start(t: TestContext) {
    const emulator = await started(t, startUnisatEmulator());
    emulator.state.tickers.push('ordi', 'sats');
    emulator.state.apiKey = 'secret-key';
    const overall = '1000000000000000000000.123456789012345678';
    emulator.state.balances.push({ address: alice, ticker: 'ordi', available: '1', transferable: '2', overall });
    const apiKey = 'secret-key';
    const open = (timeoutMs = patientMs) => createBrc20Holdings({ fetch, ...emulator.options, timeoutMs, apiKey });
    return { ...emulator, open, reader: open() };
  }

  test('balances are read exactly, whatever the case of the ticker', async (t) => {
    const { reader } = await start(t);
    const answers = await reader.read([ask('brc20', 'ORDI'), ask('brc20', 'sats'), ask('brc20', 'nope')]);
    assert.deepEqual(amountsOf(answers), ['1000000000000000000000.123456789012345678', '0', false]);
  });

  test('whatever fails, the result is unknown and does not reveal the key', async (t) => {
    const { open, options, ...emulator } = await start(t);
    await refuseMisbehaviour(emulator, open, [ask('brc20', 'ordi')], {
      'a failure in the envelope': () => ({ code: -1, msg: 'error', data: null }),
      'another ticker': (body) => ({ ...Object(body), data: { ...Object(body).data, ticker: 'sats' } }),
      'a negative balance': (body) => ({ ...Object(body), data: { ...Object(body).data, overallBalance: '-1' } }),
    });
    const locked = createBrc20Holdings({ fetch, ...options, apiKey: 'wrong-key' });
    const answers = await locked.read([ask('brc20', 'ordi')]);
    assert.deepEqual(answers, [{ kind: 'unknown', reason: 'The BRC-20 indexer did not accept the key (403).' }]);
  });
});

describe('stamps through stampchain.io', () => {
  const creator = '1GPon5BBwZJBSvGbj3b973TQ1XMXgDbPwt';

  async function start(t: TestContext) {
    const emulator = await started(t, startStampchainEmulator());
    const { held } = emulator.state;
    for (let stamp = 0; stamp < 120; stamp += 1)
      held.push({ address: alice, stamp, cpid: `A${stamp}`, creator, balance: 1 });
    held.push({ address: alice, stamp: -7, cpid: 'A900', creator: 'bc1qother', balance: 3 });
    held.push({ address: alice, stamp: 500, cpid: 'A500', creator: 'bc1qdivides', balance: 3, divisible: 1 });
    const open = (timeoutMs = patientMs) => createStampHoldings({ fetch, ...emulator.options, timeoutMs });
    return { ...emulator, open, reader: open() };
  }

  test('stamps count by creator, number and asset, over all pages', async (t) => {
    const { reader, requests } = await start(t);
    const answers = await reader.read(
      [creator, '5', 'A6', 'bc1qother', 'bc1qnobody', 'bc1qdivides'].map((one) => ask('stamps', one)),
    );
    assert.deepEqual(amountsOf(answers.slice(0, 5)), ['120', '1', '1', '3', '0']);
    assert.equal(requests.length, 3);
  });

  test('a divisible stamp and pages of different blocks are unknown', async (t) => {
    const { reader, state, misbehave } = await start(t);
    const [divisible] = await reader.read([ask('stamps', 'bc1qdivides')]);
    assert.match(divisible?.kind === 'unknown' ? divisible.reason : '', /divisible/);
    misbehave(
      {
        kind: 'lie',
        change: (body) => {
          state.lastBlock += 1;
          return body;
        },
      },
      1,
    );
    const [moved] = await reader.read([ask('stamps', creator)]);
    assert.match(moved?.kind === 'unknown' ? moved.reason : '', /advanced to a new block during the read/);
  });

  test('whatever fails, the result is unknown', async (t) => {
    const { open, ...emulator } = await start(t);
    await refuseMisbehaviour(emulator, open, [ask('stamps', creator)], {
      'pages without end': (body) => ({ ...Object(body), total: 1_000_000 }),
      'an invalid balance': (body) => ({
        ...Object(body),
        total: 1,
        data: [{ creator, stamp: 1, divisible: 0, balance: '1,5' }],
      }),
    });
  });
});
