import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { putManagedRules } from '../../communities/managed-rules/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { contextFor } from '../../shared/context.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { getTagOrder, setTagOrder } from './tag-order.ts';
import { readTagRoles } from './tag-roles.ts';

describe('the order of tags', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('tag-order');
  });
  after(() => t.close());

  let chats = 0;
  /** A chat with rules that give these roles, the oldest first. */
  async function open(roleIds: readonly string[]) {
    chats += 1;
    const [chatId, communityId] = [`-100${chats}`, `TEL#COMM#-100${chats}`];
    await t.services.db.pool.query(
      `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
         created_at, updated_at)
       values ($1, 'telegram', $2, 'Cats', 'active', 'TEL#USER#1', '{}', false, now(), now())`,
      [communityId, chatId],
    );
    await t.services.db.pool.query(
      `insert into community_rules (id, community_id, role_id, definition, created_at, updated_at)
       select 'TPC#' || n, $1, r, '{}', now() + n * interval '1 second', now()
       from unnest($2::text[]) with ordinality as e (r, n)`,
      [communityId, [...roleIds]],
    );
    const ctx = contextFor(t.services, { kind: 'system', job: 'test' });
    const set = async (...ids: string[]) =>
      (await setTagOrder(ctx, { communityId, body: { roleIds: ids } })).tags.map(({ roleId }) => roleId);
    const queued = async () => {
      const { rows } = await t.services.db.pool.query(
        'select user_id, cause, role_ids from reconcile_queue where community_id = $1',
        [communityId],
      );
      return rows;
    };
    return { chatId, communityId, ctx, set, queued };
  }

  test('is that of the rules at first, and then as admins set it; other rules stay where they are', async () => {
    const { chatId, communityId, ctx, set, queued } = await open([
      'tag:OG',
      'member',
      'tag:Whale',
      'tag:OG',
      'tag:New',
    ]);
    assert.deepEqual((await getTagOrder(ctx, { communityId })).tags, [
      { roleId: 'tag:OG', tag: 'OG', rules: 2 },
      { roleId: 'tag:Whale', tag: 'Whale', rules: 1 },
      { roleId: 'tag:New', tag: 'New', rules: 1 },
    ]);
    assert.deepEqual(await set('tag:OG', 'tag:Whale'), ['tag:OG', 'tag:Whale', 'tag:New'], 'as it was');
    assert.deepEqual(await queued(), []);
    assert.deepEqual(await set('tag:Whale', 'tag:gone'), ['tag:Whale', 'tag:OG', 'tag:New']);
    assert.deepEqual(await readTagRoles(ctx, chatId), ['tag:Whale', 'tag:OG', 'tag:New'], 'what the bot writes by');
    const rows = await selectRules(t.services.db.system, communityId);
    assert.deepEqual(
      rows.map(({ id, role_id }) => [id, role_id]),
      [
        ['TPC#3', 'tag:Whale'],
        ['TPC#2', 'member'],
        ['TPC#1', 'tag:OG'],
        ['TPC#4', 'tag:OG'],
        ['TPC#5', 'tag:New'],
      ],
    );
    assert.deepEqual(await queued(), [{ user_id: '*', cause: 'rule', role_ids: ['tag:Whale', 'tag:OG', 'tag:New'] }]);
  });

  test('cannot be changed while a file describes the rules, and repeating what is set is no change', async () => {
    const { communityId, ctx, set } = await open(['tag:A', 'tag:B']);
    await t.services.db.transaction('system', (tx) =>
      putManagedRules(tx, communityId, { locked_at: t.services.clock(), locked_by: 'TEL#USER#1' }),
    );
    await assert.rejects(set('tag:B', 'tag:A'), { code: 'STATE_CONFLICT' });
    assert.deepEqual(await set('tag:A', 'tag:B'), ['tag:A', 'tag:B']);
    await assert.rejects(getTagOrder(ctx, { communityId: 'TEL#COMM#-1' }), { code: 'ENTITY_NOT_FOUND' });
  });
});
