import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bound } from '@latchkey/test-kit';
import { listTokenIds, matchesTokenIds, maxTokenIdItems, parseTokenIds, TokenIdsMalformed } from './token-ids.ts';

const fits = (text: string, id: string) => matchesTokenIds(parseTokenIds(text), id);

describe('token ids', () => {
  test('lists are separated by commas and spaces', () => {
    for (const id of ['1', '22', '333', '4']) assert.ok(fits('1, 22 333,\n4', id), id);
    assert.ok(!fits('1, 22 333', '2'));
  });

  test('ranges include both ends, and may be open', () => {
    assert.deepEqual(
      ['4', '5', '9', '10', '11'].map((id) => fits('5-10', id)),
      [false, true, true, true, false],
    );
    assert.deepEqual(
      ['0', '5', '6'].map((id) => fits('-5', id)),
      [true, true, false],
    );
    assert.deepEqual(
      ['4', '5', '99999999999999999999999999'].map((id) => fits('5-', id)),
      [false, true, true],
    );
  });

  test('a number is one token in decimal and in hexadecimal', () => {
    assert.ok(fits('0x1F', '31'));
    assert.ok(fits('31', '0x1f'));
    assert.ok(fits('0x10-0x20', '0x1f'));
    assert.ok(fits('031', '31'));
    const large = (2n ** 256n - 1n).toString();
    assert.ok(fits(large, `0x${'f'.repeat(64)}`));
  });

  test('non-numeric ids are compared literally', () => {
    assert.ok(fits('art-1, Art-2', 'art-1'));
    assert.ok(!fits('art-1', 'ART-1'));
    assert.ok(!fits('1-5', 'art-1'));
  });

  test('globs match whole ids', () => {
    const cases: [string, string, boolean][] = [
      ['10*', '1000', true],
      ['10*', '110', false],
      ['1?3', '123', true],
      ['1?3', '13', false],
      ['[12]0', '20', true],
      ['[!12]0', '20', false],
      ['[0-4]7', '47', true],
      ['{7,8}00', '800', true],
      ['{7,8}00', '700', true],
      ['x{1..12}', 'x11', true],
      ['x{1..12}', 'x13', false],
      ['(7|8)?', '81', true],
      ['7|8', '8', true],
      ['*(1|2)*', '9919', true],
      ['\\*', '*', true],
      ['a*b*c', 'aXXbYYc', true],
      ['a*b*c', 'aXXbYY', false],
    ];
    for (const [glob, id, expected] of cases) assert.equal(fits(glob, id), expected, `${glob} ${id}`);
  });

  test('a comma inside braces belongs to the glob', () => {
    assert.equal(parseTokenIds('1,{2,3}4').items.length, 2);
  });

  test('matching a glob is never slow', async (t) => {
    // A backtracking matcher would not finish with this one.
    const glob = parseTokenIds(`${'*(a|*a)'.repeat(20)}b`);
    const startedAt = performance.now();
    assert.equal(matchesTokenIds(glob, 'a'.repeat(200)), false);
    await bound(t, 'matching a hostile glob', performance.now() - startedAt, 1_000);
  });

  test('errors name their location', () => {
    const faults: [string, number][] = [
      ['', 0],
      ['1, 9-8', 3],
      ['1, (2', 3],
      ['1 2]', 3],
      ['{9..1}', 1],
      ['[', 0],
      ['((((((((((1))))))))))', 9],
    ];
    for (const [text, position] of faults) {
      assert.throws(
        () => parseTokenIds(text),
        (error) => error instanceof TokenIdsMalformed && error.position === position,
        text,
      );
    }
  });

  test('equal sets have the same form, and can be parsed again', () => {
    const set = parseTokenIds(' 0x1f 31,5-10 , {a,b}* ');
    assert.equal(set.text, '31,5-10,{a,b}*');
    assert.equal(parseTokenIds(set.text).text, set.text);
  });

  test('only finite sets are listed', () => {
    assert.deepEqual(listTokenIds(parseTokenIds('3, 5-7, 6')), ['3', '5', '6', '7']);
    assert.equal(listTokenIds(parseTokenIds('-9999'))?.length, maxTokenIdItems);
    for (const text of ['5-', '1*', '-10000', '0-99999999999999999999']) {
      assert.equal(listTokenIds(parseTokenIds(text)), undefined, text);
    }
  });
});
