import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { selectLedger } from './ledger/queries.ts';
import { playTransfer } from './testing/play-transfer.ts';

const page = join(import.meta.dirname, '../../../../../docs/scaling-out.md');

describe('keys that lead with the community, as the page on scaling out makes them', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('scaling_out');
    const [, script = ''] = /```sql\n(begin;[^`]*)```/.exec(await readFile(page, 'utf8')) ?? [];
    await t.services.db.pool.query(script);
  });
  after(() => t.close());

  it('are the keys of every table that the page distributes', async () => {
    const text = await readFile(page, 'utf8');
    const [, list = ''] = /distributed by the community:\n\n([^#]*?)\n\n/.exec(text) ?? [];
    const tables = [...list.matchAll(/`(\w+)`/g)].map(([, table = '']) => table);
    assert.ok(tables.includes('change_set_items'), list);
    const { rows } = await t.services.db.pool.query<{ index: string }>(
      `select i.indexrelid::regclass::text as index from pg_index i
       where i.indisunique and i.indrelid = any($1::regclass[]) and not exists (
         select from pg_attribute a
         where a.attrelid = i.indrelid and a.attnum = any(i.indkey)
           and a.attname = case when i.indrelid = 'communities'::regclass then 'id' else 'community_id' end
       )`,
      [tables],
    );
    assert.deepEqual(rows, []);
  });

  it('take a transfer to the role and the ledger, with the same statements', async () => {
    const guild = await playTransfer(t);
    assert.deepEqual(guild.rolesOf(0), []);
    assert.deepEqual(guild.rolesOf(1), ['gold']);
    const ledger = await selectLedger(t.services.db.system, guild.id, { userId: guild.idOf(0) }, undefined, 50);
    assert.deepEqual(
      ledger.map(({ action }) => action),
      ['revoke', 'grant'],
    );
  });
});
