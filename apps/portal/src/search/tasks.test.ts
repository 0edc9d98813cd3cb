import assert from 'node:assert/strict';
import { test } from 'node:test';
import routes from '../../config/routes.json' with { type: 'json' };
import { tasksFor } from './tasks.ts';

test('readers of every section are offered tasks, each with a page of the site', () => {
  const paths = new Set(routes.map(({ path }) => path));
  for (const here of [
    'docs-default-current',
    'docs-help-docs-current',
    'docs-operators-current',
    'docs-dao-0.64',
    undefined,
  ]) {
    const tasks = tasksFor(here);
    assert.ok(tasks.length >= 3, here);
    for (const { path } of tasks) assert.ok(paths.has(path), path);
  }
});
