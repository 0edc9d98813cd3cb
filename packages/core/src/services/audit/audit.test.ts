import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import { saveLink } from '../../linking/wallet-links/index.ts';
import { eraseAccount } from '../../modules.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { ensureSigningKeys } from '../signing-keys/index.ts';
import { type AuditEntry, nameInAudit, recordAudit, selectAuditEntries } from './index.ts';

describe('the audit log', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('audit');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const entry = (change: Partial<AuditEntry> = {}): AuditEntry => ({
    at: t.services.clock(),
    who: nameInAudit(operator),
    through: 'command-line',
    action: 'token.issue',
    ...change,
  });
  const all = () => selectAuditEntries(t.services.db.system, { limit: 100 });

  it('keeps entries in their order, and finds them by account, action and time', async () => {
    const { system } = t.services.db;
    const before = t.services.clock();
    await recordAudit(system, entry({ subject: 'DIS#USER#1', reason: 'support', details: { ttlSeconds: 60 } }));
    t.advanceSeconds(60);
    const later = t.services.clock();
    await recordAudit(system, entry({ who: 'DIS#USER#1', through: 'api', action: 'app.decide', target: 'app-1' }));
    await recordAudit(system, entry({ subject: 'DIS#USER#2' }));
    const found = async (filter: Parameters<typeof selectAuditEntries>[1]) =>
      (await selectAuditEntries(system, filter)).map(({ action, who, subject }) => [action, subject ?? who]);
    assert.deepEqual(await found({ limit: 2 }), [
      ['token.issue', 'DIS#USER#2'],
      ['app.decide', 'DIS#USER#1'],
    ]);
    assert.equal((await found({ userId: 'DIS#USER#1', limit: 9 })).length, 2);
    assert.equal((await found({ action: 'token.issue', limit: 9 })).length, 2);
    assert.equal((await found({ since: later, limit: 9 })).length, 2);
    assert.equal((await found({ since: before, action: 'app.decide', userId: 'DIS#USER#2', limit: 9 })).length, 0);
    const [, , first] = await all();
    assert.deepEqual([first?.who, first?.reason, first?.details], ['$admin/operator', 'support', { ttlSeconds: 60 }]);
  });

  it('accepts entries from every tenant’s transaction, commits or rolls back with it, and shows them to none', async () => {
    const { db } = t.services;
    const count = (await all()).length;
    await db.transaction({ owner: 'DIS#USER#3' }, async (tx) => {
      await recordAudit(tx, entry({ who: 'DIS#USER#3', through: 'api' }));
      assert.deepEqual(await tx.selectFrom('audit_entries').selectAll().execute(), []);
    });
    assert.equal((await all()).length, count + 1);
    await assert.rejects(
      db.transaction('system', async (tx) => {
        await recordAudit(tx, entry());
        throw new Error('The change did not come about.');
      }),
    );
    assert.equal((await all()).length, count + 1);
  });

  it('cannot be updated, deleted or truncated', async () => {
    const { system } = t.services.db;
    const kept = await all();
    const tries = [
      sql`update audit_entries set reason = 'another'`,
      sql`update audit_entries set who = 'nobody'`,
      sql`delete from audit_entries`,
      sql`truncate audit_entries`,
    ];
    for (const attempt of tries) await assert.rejects(attempt.execute(system), /never changed or deleted/);
    await assert.rejects(
      t.services.db.transaction('system', async (tx) => {
        await sql`select set_config('latchkey.forgets_in_audit', 'on', true)`.execute(tx);
        await sql`update audit_entries set action = 'change-set.reject'`.execute(tx);
      }),
      /never changed or deleted/,
    );
    assert.deepEqual(await all(), kept);
  });

  it('erases a person and their wallets everywhere, and nothing else', async () => {
    const { system } = t.services.db;
    const [person, wallet] = ['DIS#USER#40', `0x${'ab'.repeat(20)}`];
    const user = {
      kind: 'user',
      userId: person,
      platform: 'discord',
      scopes: ['$all'],
      credential: 'wallet-session',
    } as const;
    await saveLink(t.as(user), { namespace: 'evm', address: wallet, contractChain: null }, async () => undefined);
    await recordAudit(system, entry({ who: person, through: 'api', fromAddress: '203.0.113.7', target: wallet }));
    await recordAudit(
      system,
      entry({ subject: person, reason: `${person} asked for it`, details: { by: [person, wallet] } }),
    );
    await recordAudit(system, entry({ who: 'DIS#USER#401', reason: 'DIS#USER#401 asked', fromAddress: '203.0.113.8' }));
    const before = await all();
    await eraseAccount(t.as(operator), person);
    const after = await all();
    assert.equal(after.length, before.length);
    const text = JSON.stringify(after.slice(0, 3));
    for (const gone of [`"${person}"`, wallet, '203.0.113.7', `${person} asked`]) assert.ok(!text.includes(gone), gone);
    assert.match(String(after[2]?.who), /^ERASED#USER#/);
    assert.equal(after[1]?.subject, after[2]?.who);
    assert.deepEqual(after[0], before[0]);
    assert.deepEqual(
      after.map(({ id, at, action }) => [id, at, action]),
      before.map(({ id, at, action }) => [id, at, action]),
    );
  });
});
