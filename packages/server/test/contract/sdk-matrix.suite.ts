import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { resources } from '@latchkey/core';
import type { Resource } from '@latchkey/kernel';
import { realOperations, typeMismatches } from '../harness/sdk-matrix.ts';

const cache = join(import.meta.dirname, '../../../../.cache');

/** The operations that existing clients know: the others are below /latchkey. */
const published = (resources as readonly Resource[]).flatMap(({ name, operations }) =>
  operations.map(({ route }) => ({ resource: name, route: route as string })).filter(({ route }) => !isOwn(route)),
);

function isOwn(route: string): boolean {
  return route.includes(' /latchkey/');
}

/** Runs after the stories: writes for each operation whether a story showed that it is real, and keeps their number. */
export function matrixSuite({
  isWhole,
  notReal,
}: {
  isWhole: boolean;
  notReal: Readonly<Record<string, string>>;
}): void {
  const skip = !isWhole && 'only a share of the stories ran';
  describe('contract: sdk, the matrix', { skip }, () => {
    test('a story shows that each operation is real, except those that are listed with a reason', () => {
      const real = realOperations();
      mkdirSync(cache, { recursive: true });
      writeFileSync(join(cache, 'stories.txt'), drawMatrix(real));
      const missing = published.map(({ route }) => route).filter((route) => !real.has(route));
      assert.deepEqual(
        missing.filter((route) => !Object.hasOwn(notReal, route)),
        [],
      );
    });
  });
}

function drawMatrix(real: ReadonlyMap<string, string>): string {
  const wide = Math.max(...published.map(({ route }) => route.length));
  const lines = published.map(({ resource, route }) => {
    const why = real.get(route);
    return `${why === undefined ? '    ' : 'real'}  ${resource.padEnd(20)} ${route.padEnd(wide)}  ${why ?? 'not shown'}`;
  });
  const mismatches = [...typeMismatches()].map(([route, found]) => `  ${route}: ${[...found].join('; ')}`);
  const count = published.filter(({ route }) => real.has(route)).length;
  return [
    ...lines,
    '',
    `Answers that the SDK declares otherwise, of ${mismatches.length} operations:`,
    ...mismatches,
    '',
    `${count} of ${published.length} operations are real.`,
    '',
  ].join('\n');
}
