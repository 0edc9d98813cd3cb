import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsv } from './to-csv.ts';

test('quotes, commas and line breaks stay inside their cell', () => {
  assert.equal(
    toCsv([
      ['a', 'b "c", d'],
      ['e\nf', ''],
    ]),
    'a,"b ""c"", d"\r\n"e\nf",\r\n',
  );
});

test('a name that looks like a formula is not run by a spreadsheet', () => {
  assert.equal(
    toCsv([['=HYPERLINK("https://evil.example")', '@x', '-1']]),
    `"'=HYPERLINK(""https://evil.example"")",'@x,'-1\r\n`,
  );
});
