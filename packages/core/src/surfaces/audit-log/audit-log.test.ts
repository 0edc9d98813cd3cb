import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Actor, principalId } from '@latchkey/kernel';
import { admin, setUpGuild } from '../../gating/role-changes/testing/index.ts';
import { type AuditEntry, recordAudit } from '../../services/audit/index.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { listAudit, listCommunityAudit, listOwnAudit } from './operations.ts';

describe('the audit log', () => {
  let t: TestPlatform;
  let communityId: string;
  const owner = principalId(admin);
  before(async () => {
    t = await testPlatform('audit-log');
    ({ id: communityId } = await setUpGuild(t, { members: 1 }));
    const entries: Partial<AuditEntry>[] = [
      { who: owner, action: 'rule.create', target: 'rule-1', communityId },
      {
        who: '$command-line/root',
        through: 'command-line',
        action: 'change-set.approve',
        target: 'plan-1',
        communityId,
      },
      { who: 'DIS#USER#2', action: 'rule.delete', target: 'rule-1', communityId },
      { who: '$admin/support', action: 'token.issue', subject: owner, reason: 'asked for help' },
      { who: 'DIS#USER#3', action: 'app.create', target: 'app-1' },
    ];
    for (const entry of entries)
      await recordAudit(t.services.db.system, {
        at: t.services.clock(),
        who: owner,
        through: 'api',
        action: 'rule.create',
        requestId: 'request-1',
        fromAddress: '203.0.113.7',
        ...entry,
      });
  });
  after(() => t.close());

  async function readAll(actor: Actor, request: { action?: 'rule.create' } = {}) {
    const items = [];
    for (let paginationToken: string | undefined, first = true; first || paginationToken !== undefined; first = false) {
      const page = await listCommunityAudit(t.as(actor), { communityId, limit: 1, paginationToken, ...request });
      items.push(...page.items);
      paginationToken = page.paginationToken;
    }
    return items;
  }

  it('of a community is paged, newest first, and describes each action', async () => {
    const items = await readAll(admin);
    assert.deepEqual(
      items.map(({ action, target }) => [action, target]),
      [
        ['rule.delete', 'rule-1'],
        ['change-set.approve', 'plan-1'],
        ['rule.create', 'rule-1'],
      ],
    );
    assert.equal(items[0]?.meaning, 'A rule was deleted.');
    const filtered = await readAll(admin, { action: 'rule.create' });
    assert.deepEqual(
      filtered.map(({ action }) => action),
      ['rule.create'],
    );
    const nativeId = communityId.replace('DIS#COMM#', '');
    assert.equal((await listCommunityAudit(t.as(admin), { communityId: nativeId })).items.length, 3);
  });

  it('shows a user’s address only to the user and the operator, and which key the operator used only to the operator', async () => {
    const items = await readAll(admin);
    assert.deepEqual(
      items.map(({ who, fromAddress, requestId }) => [who, fromAddress, requestId]),
      [
        ['DIS#USER#2', undefined, undefined],
        ['$admin', undefined, undefined],
        [owner, '203.0.113.7', 'request-1'],
      ],
    );
    const all = (await listAudit(t.as(operator), {})).items;
    assert.deepEqual(
      all.map(({ who, fromAddress }) => [who, fromAddress]),
      [
        ['DIS#USER#3', '203.0.113.7'],
        ['$admin/support', '203.0.113.7'],
        ['DIS#USER#2', '203.0.113.7'],
        ['$command-line/root', '203.0.113.7'],
        [owner, '203.0.113.7'],
      ],
    );
  });

  it('of an account contains what the user did and what was done to them, and nothing of others', async () => {
    const { items } = await listOwnAudit(t.as(admin), {});
    assert.deepEqual(
      items.map(({ who, action, reason }) => [who, action, reason]),
      [
        ['$admin', 'token.issue', 'asked for help'],
        [owner, 'rule.create', undefined],
      ],
    );
    assert.deepEqual((await listOwnAudit(t.as(mallory), {})).items, []);
    const found = (await listAudit(t.as(operator), { userId: owner })).items;
    assert.deepEqual(
      found.map(({ id }) => id),
      items.map(({ id }) => id),
    );
  });

  it('of the server names people, communities and what was changed, which other logs do not', async () => {
    const { db, clock } = t.services;
    const guild = await setUpGuild(t, { members: 2 });
    await guild.resync();
    const [who, subject] = [guild.idOf(0), guild.idOf(1)];
    await db.pool.query(`update community_members set user_name = 'Ann' where user_id = $1`, [who]);
    await db.pool.query(`update community_members set user_name = 'Bob' where user_id = $1`, [subject]);
    const entry = { at: clock(), through: 'api', communityId: guild.id } as const;
    await recordAudit(db.system, { ...entry, who, subject, action: 'guest-pass.give', target: subject });
    await recordAudit(db.system, { ...entry, who, action: 'rule.change', target: 'TPC#1' });
    const { items } = await listAudit(t.as(operator), { userId: who });
    assert.deepEqual(
      items.map(({ whoName, subjectName, communityName, object }) => [whoName, subjectName, communityName, object]),
      [
        ['Ann', undefined, 'Test', { kind: 'rule', id: 'TPC#1', exists: true }],
        ['Ann', 'Bob', 'Test', { kind: 'member', id: subject, exists: true, name: 'Bob' }],
      ],
    );
    const [own] = (await listCommunityAudit(t.as(admin), { communityId: guild.id })).items;
    assert.deepEqual([own?.action, own?.whoName, own?.object], ['rule.change', undefined, undefined]);
  });

  it('refuses a page token of another caller, filter or log', async () => {
    const { paginationToken } = await listCommunityAudit(t.as(admin), { communityId, limit: 1 });
    assert.ok(paginationToken);
    const refused = { code: 'INVALID_PAGINATION_TOKEN' };
    await assert.rejects(listOwnAudit(t.as(admin), { paginationToken }), refused);
    await assert.rejects(listCommunityAudit(t.as(mallory), { communityId, paginationToken }), refused);
    await assert.rejects(
      listCommunityAudit(t.as(admin), { communityId, paginationToken, action: 'rule.create' }),
      refused,
    );
  });
});
