import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTables, sql, type Worker } from '@latchkey/db';
import { type TestSigner, testSigner } from '../../services/signer/testing.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { tenantOf } from '../../shared/context.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { fillAccount, ophelia, startWholeWorker } from './testing.ts';

describe('SQL planted in a stranger’s transaction', () => {
  let t: TestPlatform;
  let worker: Worker;
  let signer: TestSigner;
  let tables: string[];
  before(async () => {
    t = await testPlatform('planted-sql');
    await ensureSigningKeys(t.services);
    Object.assign(t.services, { marketplaces: { opensea: { readProfile: async () => ({ kind: 'none' }) } } });
    signer = await testSigner(t);
    signer.start();
    worker = startWholeWorker(t);
    await fillAccount(t, worker);
    const { rows } = await sql<{ name: string }>`
      select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(t.services.db.system);
    tables = rows.map(({ name }) => name);
  });
  after(async () => {
    await worker.stop(1000);
    await signer.close();
    await t.close();
  });

  /** The tables in which a user's SQL sees at least one row, and those it may not read. */
  async function look(person: typeof ophelia, planted: string): Promise<{ seen: string[]; refused: string[] }> {
    const seen: string[] = [];
    const refused: string[] = [];
    for (const table of tables) {
      const look = t.services.db.transaction(tenantOf(person), async (tx) => {
        await sql.raw(planted).execute(tx);
        return (await sql`select from ${sql.table(table)}`.execute(tx)).rows.length;
      });
      const rows = await look.catch((error: unknown) => {
        assert.ok(error instanceof Error && 'code' in error && error.code === '42501', `${table}: ${error}`);
        refused.push(table);
        return 0;
      });
      if (rows > 0) seen.push(table);
    }
    return { seen, refused };
  }

  it('reads no other user’s row in any table, whatever it claims', async () => {
    const stranger = { ...ophelia, userId: 'DIS#USER#666', name: 'Mallory' };
    for (const planted of [
      'select 1',
      `set latchkey.tenant = '*'`,
      `set latchkey.tenant = '${ophelia.userId}'`,
      `commit; begin; set local latchkey.tenant = '${ophelia.userId}'`,
    ]) {
      const { seen } = await look(stranger, planted);
      assert.deepEqual(
        seen.filter((table) => !(table in openTables)),
        [],
        planted,
      );
    }
  });

  it('would find rows of the person in dozens of tables, as the person does', async () => {
    const { seen, refused } = await look(ophelia, 'select 1');
    assert.ok(seen.length > 20, seen.join());
    for (const table of [
      'access_tokens',
      'admin_keys',
      'jobs',
      'signing_keys',
      'tenant_login_key',
      'wallet_challenges',
    ])
      assert.ok(refused.includes(table), table);
  });
});
