import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { listeningLog, patient } from '../queue/test-kit.ts';
import { type PrivateCluster, withCluster } from '../testing/index.ts';
import { queryOnce } from '../testing/query-once.ts';
import { prepareTenantLogin, tenantUrlOf } from './index.ts';

async function asAdmin({ url, adminUrl }: PrivateCluster, statement: string): Promise<void> {
  const here = new URL(adminUrl);
  here.pathname = new URL(url).pathname;
  await queryOnce(here.href, statement);
}

async function tenantWorks(url: string, tenantUrl: string): Promise<boolean> {
  const db = openDatabase({ url, tenantUrl, log: listeningLog(), ...patient });
  try {
    const { rows } = await db.transaction({ owner: 'alice' }, (tx) =>
      sql<{ tenant: string }>`select current_tenant() as tenant from (select count(*) from slugs) as s`.execute(tx),
    );
    return rows[0]?.tenant === 'alice';
  } finally {
    await db.close();
  }
}

describe('the tenant login', () => {
  test('is found, created or requested, and must not be privileged', async () => {
    await withCluster(async (cluster) => {
      const { url } = cluster;
      await migrate(url);
      assert.equal(await prepareTenantLogin({ url }), tenantUrlOf(url), 'the embedded server has one');
      assert.ok(await tenantWorks(url, tenantUrlOf(url)));

      await asAdmin(cluster, 'drop owned by latchkey_tenant; drop role latchkey_tenant');
      await assert.rejects(prepareTenantLogin({ url }), /create role latchkey_tenant .* LATCHKEY_TENANT_DATABASE_URL/);
      await assert.rejects(prepareTenantLogin({ url, tenantUrl: tenantUrlOf(url) }), /LATCHKEY_TENANT_DATABASE_URL/);

      await asAdmin(cluster, 'alter role latchkey createrole');
      const made = await Promise.all([1, 2, 3].map(() => prepareTenantLogin({ url })));
      assert.equal(new Set(made).size, 1, 'every process finds the same password');
      assert.equal(new URL(made[0] ?? '').username, 'latchkey_tenant_latchkey');
      assert.ok(await tenantWorks(url, made[0] ?? ''));
      await asAdmin(cluster, 'alter role latchkey nocreaterole');
      assert.equal(await prepareTenantLogin({ url }), made[0], 'it is found again without the right to make it');

      const as = (role: string) => url.replace('//latchkey@', `//${role}@`);
      await asAdmin(
        cluster,
        `create role plain login; create role strong login superuser; create role maker login createrole;
         create role bypassing login bypassrls; create role family login in role latchkey`,
      );
      assert.equal(await prepareTenantLogin({ url, tenantUrl: as('plain') }), as('plain'));
      assert.ok(await tenantWorks(url, as('plain')));
      for (const role of ['latchkey', 'strong', 'maker', 'bypassing', 'family'])
        await assert.rejects(prepareTenantLogin({ url, tenantUrl: as(role) }), /sees the rows of every tenant/, role);
      const elsewhere = as('plain').replace('/latchkey?', '/postgres?');
      await assert.rejects(prepareTenantLogin({ url, tenantUrl: elsewhere }), /points to a different database/);
    });
  });
});
