import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const packages = new URL('../../../', import.meta.url);

test('the one file that chains and integrations both need is the same in both', () => {
  for (const file of ['http-holdings/json-over-http.ts', 'testing/refuse-misbehaviour.ts']) {
    const [ours, theirs] = ['integrations', 'chains'].map((name) =>
      readFileSync(new URL(`${name}/src/${file}`, packages), 'utf8'),
    );
    assert.equal(ours, theirs, file);
  }
});
