import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import { erasures, jobKinds, modules, schedules, sealedColumns } from './modules.ts';
import { defineModule, mergeResources } from './shared/module.ts';
import { type TestPlatform, testPlatform } from './testing/index.ts';

/** Tables of the machinery below the features: the queue, the pipeline of requests, migrations, the sample world. */
const ofNoModule = [
  'backups',
  'call_blocks',
  'call_budgets',
  'call_refusals',
  'call_returns',
  'call_shares',
  'database_eras',
  'jobs',
  'migrations',
  'processes',
  'leases',
  'paces',
  'sample_world',
  'schedules',
  'drills',
  'taken_metrics',
  'tenant_login_key',
];

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/test(ing)?\b/.test(path))
  .map((path) => ({ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }));

/** What the sources declare by a pattern, as far as a feature's list does not have it. */
function missing(pattern: RegExp, listed: Iterable<string>): string[] {
  const known = new Set(listed);
  const declared = sources.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name = '']) => name));
  assert.ok(declared.length > 5, 'the pattern finds what it looks for');
  return declared.filter((name) => !known.has(name));
}

describe('the list of modules', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('modules');
  });
  after(() => t.close());

  it('has every folder that declares a module, under the name of the folder', () => {
    const named = modules.map(({ name }) => name);
    const folders = sources.filter(
      ({ path, text }) => basename(path) === 'index.ts' && text.includes('= defineModule('),
    );
    assert.ok(folders.length > 90);
    assert.deepEqual(
      folders.map(({ path }) => basename(dirname(path))).filter((name) => !named.includes(name as never)),
      [],
    );
    assert.equal(new Set(named).size, named.length);
  });

  it('has every job that the sources declare, and every schedule runs one of them', () => {
    const names = jobKinds.map(({ name }) => name);
    assert.deepEqual(missing(/\bjob\(\s*'([^']+)'/g, names), []);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(
      schedules.filter(({ job }) => !names.includes(job.name)).map(({ name }) => name),
      [],
    );
  });

  it('has every erasure that the sources declare', () => {
    const inModules = sources.flatMap(({ text }) => text.split('= defineModule(').slice(1));
    const listed = inModules.flatMap((text) => text.match(/\w+/g) ?? []);
    assert.deepEqual(missing(/\bconst (\w+): Erasure\b/g, listed), []);
    assert.ok(erasures.length > 30);
  });

  it('has every sealed column of the database', async () => {
    const { rows } = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and domain_name = 'sealed_secret' order by 1`.execute(t.services.db.system);
    const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
    assert.ok(rows.length > 10);
    assert.deepEqual(
      rows.map((row) => row.name).filter((name) => !listed.includes(name) && name !== 'idempotent_requests.answer'),
      [],
      'Add each to the `sealed` of its module, so that a change of the master key reaches it.',
    );
  });

  it('assigns every table to one module', async () => {
    const { rows } = await sql<{ name: string }>`
      select case table_schema when 'public' then '' else table_schema || '.' end || table_name as name
      from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema in ('public', 'signer') order by 1`.execute(
      t.services.db.system,
    );
    const owned = modules.flatMap(({ tables }) => tables);
    const there = rows.map((row) => row.name);
    assert.deepEqual(
      there.filter((name) => !owned.includes(name) && !ofNoModule.includes(name)),
      [],
      'Add each to the `tables` of its module.',
    );
    assert.deepEqual(
      owned.filter((name) => !there.includes(name) && !name.startsWith('signer.')),
      [],
    );
    assert.equal(new Set(owned).size, owned.length);
  });

  it('joins the parts of a resource at the position of the last one', () => {
    const part = (name: string, ...operations: string[]) => ({ name, description: '', operations }) as never;
    const merged = mergeResources([part('a', '1'), part('own', '2'), part('b', '3'), part('own', '4')]);
    assert.deepEqual(
      merged.map(({ name, operations }) => [name, operations]),
      [
        ['a', ['1']],
        ['b', ['3']],
        ['own', ['2', '4']],
      ],
    );
    assert.deepEqual(defineModule('empty', {}).tables, []);
  });
});
