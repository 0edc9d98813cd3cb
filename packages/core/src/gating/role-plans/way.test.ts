import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { wayOfARole } from './way.ts';

const root = resolve(import.meta.dirname, '../../../../..');

test('every stage of the way of a role is in the room that it names', () => {
  for (const { stage, room } of wayOfARole)
    assert.ok(existsSync(join(import.meta.dirname, '..', room, 'index.ts')), `${stage} in ${room}`);
});

test('the pictures of the way show its stages in this order', () => {
  const order = wayOfARole.map(({ stage }) => stage);
  for (const [page, pattern] of [
    ['README.md', /^ touch ──▶.*$/m],
    ['docs/roles.md', /(?:^ {2}→ \w+ .*\n)+/m],
  ] as const) {
    const [picture = ''] = pattern.exec(readFileSync(join(root, page), 'utf8')) ?? [];
    const shown = [...picture.matchAll(/(?:→ |^ ?|▶ )(\w+)/gm)].map(([, stage = '']) => stage);
    assert.deepEqual(shown, order, page);
  }
});
