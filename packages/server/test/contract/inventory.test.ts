import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import { isOwnOperation, type Resource } from '@latchkey/kernel';
import { compareWithInventory, readInventory, readOwnOperations, routeOf } from '../../src/inventory.ts';

const inventory = readInventory();
const everything = (resources as readonly Resource[]).flatMap(({ name, operations }) =>
  operations.map((operation) => ({ name, operation })),
);
const served = everything.filter(({ operation }) => !isOwnOperation(operation));

for (const { name, operation } of served) {
  test(`${operation.route} matches what existing clients expect`, () => {
    assert.deepEqual(compareWithInventory(operation, name, inventory), []);
  });
}

test('the inventory lists 215 operations, each once', (t) => {
  assert.equal(inventory.operations.length, 215);
  assert.equal(new Set(inventory.operations.map(routeOf)).size, 215);
  t.diagnostic(`${served.length} of ${inventory.operations.length} operations are served`);
});

test('a resource is served completely or not at all', () => {
  const complete = new Map(
    [...Map.groupBy(inventory.operations, (entry) => entry.resource)].map(([name, entries]) => [
      name,
      entries.map(routeOf).sort(),
    ]),
  );
  for (const [name, entries] of Map.groupBy(served, (entry) => entry.name)) {
    const operations = entries.map(({ operation }) => operation);
    assert.deepEqual(operations.map((operation) => operation.route).sort(), complete.get(name), name);
  }
});

test('our own operations have no SDK name and are listed', () => {
  const own = everything.filter(({ operation }) => isOwnOperation(operation)).map(({ operation }) => operation);
  assert.deepEqual(
    own.filter(({ contract }) => contract.sdk !== undefined),
    [],
  );
  assert.deepEqual(Object.fromEntries(own.map(({ route, contract }) => [route, contract.id])), readOwnOperations());
  assert.ok(served.every(({ operation }) => operation.contract.sdk !== undefined));
});

test('a difference from the published API is detected', () => {
  const [first] = served;
  assert.ok(first);
  const renamed = { ...first.operation, contract: { ...first.operation.contract, id: 'other', sdk: 'A.b' as const } };
  assert.equal(compareWithInventory(renamed, first.name, inventory).length, 2);
  const moved = { ...first.operation, route: 'GET /elsewhere' as const };
  assert.deepEqual(compareWithInventory(moved, first.name, inventory), ['is not one of the published operations']);
});
