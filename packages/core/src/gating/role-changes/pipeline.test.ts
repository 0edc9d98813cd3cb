import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { reconcilePipeline } from './pipeline.ts';

const root = resolve(import.meta.dirname, '../../../../..');
const modules = globSync('packages/core/src/*/*/index.ts', { cwd: root });

test('every stage of the pipeline is in the module that it names', () => {
  for (const { stage, module } of reconcilePipeline)
    assert.ok(
      modules.some((path) => path.includes(`/${module}/`)),
      `${stage} in ${module}`,
    );
});

test('the pictures of the pipeline show its stages in this order', () => {
  const order = reconcilePipeline.map(({ stage }) => stage);
  for (const [page, pattern] of [
    ['README.md', /^ enqueue ──▶.*$/m],
    ['docs/roles.md', /(?:^ {2}→ \w+ .*\n)+/m],
  ] as const) {
    const [picture = ''] = pattern.exec(readFileSync(join(root, page), 'utf8')) ?? [];
    const shown = [...picture.matchAll(/(?:→ |^ ?|▶ )(\w+)/gm)].map(([, stage = '']) => stage);
    assert.deepEqual(shown, order, page);
  }
});
