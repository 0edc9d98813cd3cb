import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const packages = new URL('../../../', import.meta.url);

test('the one file that chains and integrations both need is the same in both', () => {
  const [ours, theirs] = ['integrations', 'chains'].map((name) =>
    readFileSync(new URL(`${name}/src/http-holdings/json-over-http.ts`, packages), 'utf8'),
  );
  assert.equal(ours, theirs);
});
