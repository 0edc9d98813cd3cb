/** Prints every published operation: method, path, scopes, file, and whether it is served. `npm run routes [resource]`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { resources } from '@latchkey/core';
import type { Operation, Resource } from '@latchkey/kernel';
import { compareWithInventory, readInventory, routeOf } from '@latchkey/server/inventory';

const root = resolve(import.meta.dirname, '..');
const served = new Map<string, { operation: Operation; resource: string }>();
for (const { name, operations } of resources as readonly Resource[]) {
  for (const operation of operations) served.set(operation.route, { operation, resource: name });
}

/** Returns where each operation is declared, found by its route in the sources. */
function findFiles(): Map<string, string> {
  const folder = join(root, 'packages/core/src');
  const files = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('operations.ts')) continue;
    const text = readFileSync(join(folder, path), 'utf8');
    for (const [, route = ''] of text.matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/g)) {
      files.set(route, relative(root, join(folder, path)));
    }
  }
  return files;
}

const [only] = process.argv.slice(2);
const inventory = readInventory();
const entries = inventory.operations.filter((entry) => only === undefined || entry.resource === only);
if (entries.length === 0) {
  const names = [...new Set(inventory.operations.map((entry) => entry.resource))];
  console.error(`There is no resource ${only}. Choose one of: ${names.join(', ')}.`);
  process.exit(1);
}

const files = findFiles();
const rows = entries.map((entry) => {
  const found = served.get(routeOf(entry));
  const state = found === undefined ? 'not served' : 'served';
  return [entry.method, entry.path, entry.scopes.join(' ') || '-', files.get(routeOf(entry)) ?? '-', state];
});
const table = [['METHOD', 'PATH', 'SCOPES', 'FILE', 'STATE'], ...rows];
const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
for (const row of table)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );

const differences = [...served.values()].flatMap(({ operation, resource }) =>
  compareWithInventory(operation, resource, inventory).map((difference) => `${operation.route}: ${difference}`),
);
const count = entries.filter((entry) => served.has(routeOf(entry))).length;
console.log(`\n${count} of ${entries.length} operations are served.`);
if (differences.length > 0) {
  console.log(`\nDifferences from what was published:\n  ${differences.join('\n  ')}`);
  process.exitCode = 1;
}
