import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answer, Question } from '@latchkey/core/ports';
import { answerEach, answerGroups, once, toAnswers } from './answer-groups.ts';
import { Malformed } from './read-fields.ts';
import { ServiceFailed } from './request-json.ts';
import { unknown } from './unknown.ts';

const ask = (reference: string): Question => ({
  chain: 'toy:net',
  standard: 'coin',
  reference,
  account: 'a',
  needs: 'amount',
});
const read = (amount: string): Answer => ({ kind: 'read', amount });

describe('answering in groups', () => {
  test('questions with the same key share a request up to its size, and answers keep the order of the questions', async () => {
    const requests: string[][] = [];
    const questions = ['a1', 'b1', 'a2', 'a3'].map(ask);
    const grouping = { keyOf: ({ reference }: Question) => reference.slice(0, 1), size: 2 };
    const answers = await answerGroups('It', questions, grouping, async (group) => {
      requests.push(group.map(({ reference }) => reference));
      return group.map(({ reference }) => read(reference));
    });
    assert.deepEqual(requests.sort(), [['a1', 'a2'], ['a3'], ['b1']]);
    assert.deepEqual(answers, ['a1', 'b1', 'a2', 'a3'].map(read));
  });

  test('a group that fails or returns too few answers is unknown without affecting the others', async () => {
    const keyOf = ({ reference }: Question) => reference;
    const answers = await answerGroups('It', ['down', 'short', 'good'].map(ask), { keyOf }, async ([{ reference }]) => {
      if (reference === 'down') throw new ServiceFailed('It failed (503).');
      return reference === 'short' ? [] : [read('1')];
    });
    assert.deepEqual(answers, [unknown('It failed (503).'), unknown('It returned no result.'), read('1')]);
  });

  test('duplicate questions that are answered one by one each get an answer', async () => {
    let count = 0;
    const answers = await answerEach('It', ['x', 'x'].map(ask), async () => read(String(++count)));
    assert.deepEqual(answers, [read('1'), read('2')]);
  });

  test('unexpected errors are not quoted, since they may contain a key', async () => {
    const faults: Record<string, Error> = {
      foreseen: new Malformed('the amount is not a string'),
      surprising: new TypeError('https://node.test/?key=secret'),
    };
    const answers = toAnswers('It', Object.keys(faults).map(ask), ({ reference }) => {
      throw faults[reference];
    });
    assert.deepEqual(answers, [
      unknown('It sent a response that cannot be read: the amount is not a string.'),
      unknown('The response from It could not be used.'),
    ]);
  });

  test('data that several questions need is fetched once', async () => {
    const requests: string[] = [];
    const find = once(async (key) => requests.push(key));
    await Promise.all([find('a'), find('b'), find('a')]);
    assert.deepEqual(requests, ['a', 'b']);
  });
});
