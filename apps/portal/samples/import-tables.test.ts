import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRule } from '@latchkey/core/rule-language';
import { readExport } from '@latchkey/core/testing/insides';
import { portalFolder } from '../config/folders.ts';
import { readAllSamples } from './read-samples.ts';

const tables = readAllSamples(portalFolder).filter(({ text }) => text.startsWith('role,type,'));

for (const source of ['vulcan', 'matrica'] as const)
  test(`the table on the page about moving from ${source} becomes rules, row by row`, () => {
    const [table, ...others] = tables.filter(({ file }) => file.endsWith(`moving-from-${source}.md`));
    assert.ok(table !== undefined && others.length === 0);
    const found = readExport(source, table.text, '42');
    assert.deepEqual(
      found.map(({ problem }) => problem),
      found.map(() => undefined),
    );
    const rows = table.text.trim().split('\n').slice(1);
    assert.deepEqual(
      found.map(({ role, rule }) => `${role.name},${rule?.type}`),
      rows.map((row) => row.split(',').slice(0, 2).join(',')),
    );
    for (const { rule } of found)
      assert.notEqual(readRule({ ...rule, roleId: 'gold' }).condition.kind, 'unreadable', JSON.stringify(rule));
  });
