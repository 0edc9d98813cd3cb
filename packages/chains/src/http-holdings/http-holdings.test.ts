import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { answerEach, digitsOf, fieldsOf, Malformed } from '@latchkey/adapter-kit';
import type { Answer, Question } from '@latchkey/core/ports';
import { type EmulatorReply, startHttpEmulator } from '@latchkey/emulators/http-emulator';
import { patientMs } from '@latchkey/emulators/testing';
import fc from 'fast-check';
import { createHttpReader, type Session } from './create-reader.ts';
import { fromUnits, plainDecimal, sumDecimals } from './decimal.ts';

async function start(t: TestContext, answer: () => EmulatorReply = () => ({ body: { amount: '1' } })) {
  const emulator = await startHttpEmulator(answer);
  t.after(emulator.stop);
  return emulator;
}

describe('several endpoints', () => {
  const question: Question = { chain: 'toy:net', standard: 'coin', reference: 'x', account: 'a', needs: 'amount' };
  const read = (questions: readonly Question[], { ask }: Session) =>
    answerEach('It', questions, async () => ({
      kind: 'read',
      amount: digitsOf(fieldsOf((await ask('/')).body, 'it').amount, 'it'),
    }));

  async function startThree(t: TestContext, amounts: readonly string[]) {
    const emulators = await Promise.all(amounts.map((amount) => start(t, () => ({ body: { amount } }))));
    const urls = { 'toy:net': emulators.map(({ url }) => url) };
    const reader = createHttpReader(
      { service: 'It', standards: ['coin'], hasHistory: false, read },
      { fetch, urls, timeoutMs: patientMs },
    );
    return { emulators, reader };
  }

  test('the next endpoint is used only when the previous one gave no result', async (t) => {
    const { emulators, reader } = await startThree(t, ['1', '2', '3']);
    assert.deepEqual(await reader.read([question]), [{ kind: 'read', amount: '1' }]);
    emulators[0]?.misbehave({ kind: 'malformed' });
    assert.deepEqual(await reader.read([question]), [{ kind: 'read', amount: '2' }]);
    assert.equal(emulators[2]?.requests.length, 0);
  });

  test('a quorum needs equal results; a lying endpoint is outvoted, and without a majority the result is unknown', async (t) => {
    const { emulators, reader } = await startThree(t, ['0', '5', '5']);
    assert.deepEqual(await reader.read([question], { quorum: 2 }), [{ kind: 'read', amount: '5' }]);
    assert.deepEqual(await reader.read([question], { quorum: 3 }), [
      { kind: 'unknown', reason: 'The It endpoints disagree.' },
    ]);
    emulators[2]?.misbehave({ kind: 'status', status: 400 });
    assert.deepEqual(await reader.read([question], { quorum: 2 }), [
      { kind: 'unknown', reason: 'It rejected the request (400).' },
    ]);
  });

  test('later endpoints are read at the block of the first', async (t) => {
    const emulators = await Promise.all([start(t), start(t)]);
    const requests: (string | undefined)[] = [];
    const readAt = async (questions: readonly Question[], { ask, block }: Session): Promise<Answer[]> => {
      requests.push(block?.number);
      await ask('/');
      return questions.map(() => ({ kind: 'read', amount: '1', block: block ?? { number: '42' } }));
    };
    const urls = { 'toy:net': emulators.map(({ url }) => url) };
    const reader = createHttpReader(
      { service: 'It', standards: ['coin'], hasHistory: true, read: readAt },
      { fetch, urls },
    );
    const [answer] = await reader.read([question], { quorum: 2 });
    assert.deepEqual(answer, { kind: 'read', amount: '1', block: { number: '42' } });
    assert.deepEqual(requests, [undefined, '42']);
  });

  test('where fewer endpoints are configured than the quorum, all of them must agree', async (t) => {
    const { reader } = await startThree(t, ['5', '5']);
    assert.deepEqual(await reader.read([question], { quorum: 9 }), [{ kind: 'read', amount: '5' }]);
  });

  test('chains and standards that are not configured are not read, and past blocks are refused without history', async (t) => {
    const { reader } = await startThree(t, ['1']);
    assert.ok(reader.reads(question));
    assert.ok(
      !reader.reads({ chain: 'toy:other', standard: 'coin' }) && !reader.reads({ chain: 'toy:net', standard: 'art' }),
    );
    const blocks = new Map([['toy:net', { number: '5' }]]);
    assert.deepEqual(await reader.read([question], { blocks }), [
      { kind: 'unknown', reason: 'It cannot be read at a past block.' },
    ]);
  });
});

describe('decimals', () => {
  test('units become whole tokens exactly', () => {
    assert.equal(fromUnits('0', 18), '0');
    assert.equal(fromUnits('1', 18), '0.000000000000000001');
    assert.equal(fromUnits('1000000', 6), '1');
    assert.equal(fromUnits('123', 0), '123');
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 0, max: 30 }), (units, decimals) => {
        const [whole = '', fraction = ''] = fromUnits(units, decimals).split('.');
        assert.equal(BigInt(whole + fraction.padEnd(decimals, '0')), units);
        assert.ok(!fraction.endsWith('0'));
      }),
      { seed: 7 },
    );
  });

  test('ledger decimals are written in plain notation, and malformed ones are refused', () => {
    const plain = {
      '1e-7': '0.0000001',
      '1.50': '1.5',
      '.5': '0.5',
      '-0.0': '0',
      '-1e2': '-100',
      '9999999999999999e80': `9999999999999999${'0'.repeat(80)}`,
    };
    for (const [written, expected] of Object.entries(plain)) assert.equal(plainDecimal(written, 'it'), expected);
    for (const written of ['', '.', 'NaN', '1,5', '1e999', '0x10', 'Infinity', ' 1', 1.5, null]) {
      assert.throws(() => plainDecimal(written, 'it'), Malformed);
    }
  });

  test('sums lose nothing', () => {
    assert.equal(sumDecimals([]), '0');
    assert.equal(sumDecimals(['0.1', '0.2']), '0.3');
    assert.equal(
      sumDecimals(['340282366920938463463374607431768211455', '0.000000000000000001']),
      '340282366920938463463374607431768211455.000000000000000001',
    );
  });
});
