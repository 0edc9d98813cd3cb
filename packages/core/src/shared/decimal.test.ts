import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  parseDecimal,
  subtractDecimals,
  toDecimal,
} from './decimal.ts';

const read = (text: string): Decimal => {
  const decimal = parseDecimal(text);
  assert.ok(decimal, text);
  return decimal;
};

describe('exact decimals', () => {
  test('sums that floating point gets wrong are right', () => {
    assert.equal(formatDecimal(addDecimals(read('0.1'), read('0.2'))), '0.3');
    assert.equal(compareDecimals(read('9007199254740993'), read('9007199254740992')), 1);
    assert.equal(compareDecimals(read('0.000000000000000001'), read('0')), 1);
  });

  test('equal numbers have the same form', () => {
    for (const text of ['1.50', '01.5', '1.5000']) assert.equal(formatDecimal(read(text)), '1.5');
    for (const text of ['0', '-0', '0.00', '.0']) assert.equal(formatDecimal(read(text)), '0');
    assert.equal(formatDecimal(read('-.05')), '-0.05');
  });

  test('anything but a plain decimal is refused', () => {
    for (const text of ['', '.', '-', '1.', '1e3', '+1', ' 1', '1,5', '0x1', 'NaN', '1'.repeat(200)]) {
      assert.equal(parseDecimal(text), undefined, text);
    }
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, null, undefined, {}, true]) {
      assert.equal(toDecimal(value), undefined);
    }
  });

  test('JSON numbers keep their written form', () => {
    const cases: [number, string][] = [
      [0.25, '0.25'],
      [1e21, '1000000000000000000000'],
      [1e-7, '0.0000001'],
      [-3, '-3'],
    ];
    for (const [value, text] of cases) {
      const decimal = toDecimal(value);
      assert.equal(decimal && formatDecimal(decimal), text);
    }
  });

  test('adding and comparing agree with whole numbers of the smallest unit', () => {
    const part = fc.record({ units: fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), scale: fc.nat(20) });
    fc.assert(
      fc.property(part, part, (a, b) => {
        const [x, y] = [a.units * 10n ** BigInt(20 - a.scale), b.units * 10n ** BigInt(20 - b.scale)];
        assert.equal(compareDecimals(a, b), x < y ? -1 : x > y ? 1 : 0);
        assert.equal(
          formatDecimal(addDecimals(a, b)),
          formatDecimal(addDecimals({ units: x + y, scale: 20 }, read('0'))),
        );
        assert.equal(compareDecimals(subtractDecimals(addDecimals(a, b), b), a), 0);
        assert.equal(compareDecimals(read(formatDecimal(a)), a), 0);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
