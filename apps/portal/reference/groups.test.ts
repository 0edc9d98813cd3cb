import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import type { Resource } from '@latchkey/kernel';
import { areaOf } from './areas.ts';
import { arrange, groups } from './groups.ts';
import { keywordsOf } from './resource-keywords.ts';

const served = resources.map(({ name }) => String(name));
const listed = (resources as readonly Resource[]).flatMap(({ name, operations }) =>
  operations.map(({ path }) => areaOf(String(name), path)),
);

test('every resource of the API is in one group, under its own title', () => {
  const named = groups.flatMap((group) => Object.keys(group.resources));
  assert.deepEqual(named.toSorted(), [...new Set(listed)].toSorted());
  const titles = groups.flatMap((group) => Object.values(group.resources));
  assert.equal(new Set(titles).size, titles.length);
});

test('every resource, and the events, can be found by what readers call it', () => {
  const without = [...served, 'webhooks'].filter((name) => keywordsOf(name).length === 0);
  assert.deepEqual(without, []);
});

test('what no group names comes last, under its own name', () => {
  const arranged = arrange([{ name: 'news' }, { name: 'ping' }, { name: 'access-control' }]);
  assert.deepEqual(
    arranged.map(({ name, title, group }) => [name, title, group]),
    [
      ['access-control', 'Role checks', 'Check what wallets own'],
      ['ping', 'Ping', 'Server and utilities'],
      ['news', 'news', 'Other'],
    ],
  );
});
