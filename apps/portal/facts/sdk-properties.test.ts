import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import properties from './sdk-properties.json' with { type: 'json' };

test('the properties that the pages list are those of the original SDK', () => {
  const declared = readFileSync(new URL('application.d.ts', import.meta.resolve('@collabland/sdk')), 'utf8');
  const found = [...declared.matchAll(/^ {4}(\w+): (\w+)Service;$/gm)].map(([, name, service]) => [
    name,
    `${service}Controller`,
  ]);
  assert.deepEqual(properties, Object.fromEntries(found));
  assert.ok(found.length > 20);
});
