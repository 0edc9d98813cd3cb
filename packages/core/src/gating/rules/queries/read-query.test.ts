import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseQuery, QueryMalformed, readQuery } from './read-query.ts';

const refused = (text: string, message: RegExp) =>
  assert.throws(
    () => readQuery(text),
    (error) => error instanceof QueryMalformed && message.test(error.message),
    text,
  );

describe('reading a query', () => {
  test('unparsable queries are refused with the location', () => {
    refused('$sum([', /./);
    refused('1 '.repeat(4096), /at most 4096/);
    refused('('.repeat(4000), /./);
    assert.throws(
      () => readQuery('1 + $match(x, /a/)'),
      (error) => error instanceof QueryMalformed && error.position !== undefined,
    );
  });

  test('regular expressions are refused wherever they hide', () => {
    for (const text of ['$match(x, /(a+)+b/)', '[{"a": (x.y[/a/])}]', 'a ~> /b/', 'a^(/b/)', 'a{/b/: 1}'])
      refused(text, /cannot use regular expressions/);
    // JSONata also turns a signature into a regular expression, without escaping its brackets.
    for (const text of ['function($a)<s?s?:n>{1}', '$map(x, function($a)<(s](x+)+[)>{1})'])
      refused(text, /cannot have a signature/);
  });

  test('pictures are refused wherever they hide', () => {
    for (const text of [
      `$toMillis(x, "${'[f]'.repeat(11)}")`,
      `$toMillis(x, "${'[f]'.repeat(25)}")`,
      'x ~> $toMillis("[Y]")',
      '$toMillis(?, "[Y]")',
      '$fromMillis(0, "[Y,300000000]")',
      '$fromMillis(0, nothing, "+0100")',
      '$formatNumber(0, "0.0e0")',
      '$formatInteger(1, "I")',
      '$parseInteger("1", "w")',
      '($f := $formatNumber; $f(0, "0.0e0"))',
      '[1].{"a": $formatInteger($, "w")}',
    ]) {
      refused(text, /picture strings/);
    }
  });

  test('harmless queries are parsed', () => {
    for (const text of [
      '$toMillis(x) > 5',
      'x ~> $toMillis()',
      '$fromMillis(5) = "x"',
      '$map(x, $toMillis)',
      '$sum(x.y) ?: 0',
      'a ?? b ?? 1',
      'function($x) { $x + 1 }(2) = 3',
    ]) {
      assert.equal(readQuery(text).text, text);
    }
  });

  test('parsing takes linear time', () => {
    const nodesOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? 1 + Object.values(value).reduce((sum: number, part) => sum + nodesOf(part), 0)
        : 0;
    const nested = (times: number, operator: string) => `${'('.repeat(times)}a${` ${operator} b)`.repeat(times)}`;
    for (const operator of ['??', '?:']) {
      assert.ok(nodesOf(parseQuery(nested(6, operator)).ast()) < 10_000);
      for (const times of [12, 30, 500]) refused(nested(times, operator), /too often/);
    }
    refused('a.'.repeat(1000), /256 points/);
  });
});
