import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '@latchkey/db';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { noteMember } from '../../communities/members/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { contextFor } from '../../shared/context.ts';
import { patienceMs, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { applyNow, writeWaiting } from './applying/write-community.ts';
import { reconcileCommunityJob } from './jobs.ts';
import { readRoles } from './planning/reconcile.ts';
import { type Guild, setUpGuild } from './testing/index.ts';

/** A database that runs an action as soon as a table was read for the first time. */
function afterRead(db: Database, table: string, act: () => Promise<void>): Database {
  let request: unknown;
  const system = db.system.withPlugin({
    transformQuery: ({ node, queryId }) => {
      if (request === undefined && node.kind === 'SelectQueryNode' && JSON.stringify(node.from).includes(`"${table}"`))
        request = queryId;
      return node;
    },
    transformResult: async ({ queryId, result }) => {
      if (queryId === request) await act();
      return result;
    },
  });
  return new Proxy(db, { get: (target, name) => (name === 'system' ? system : Reflect.get(target, name)) });
}

describe('what happens while a member is checked', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('races');
  });
  after(() => t.close());

  const beginGrant = () => beginWrite([], '1');

  /** Starts a write of a member's role that blocks until it is released. */
  async function beginWrite(roles: readonly string[], amount: string) {
    const guild = await setUpGuild(t, { members: 1, roles: () => roles });
    guild.hold(0, amount);
    await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: '*', cause: 'schedule' });
    await guild.check();
    const { host } = t;
    const began = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const slow: typeof host = {
      ...host,
      writeMember: async (...args) => {
        began.resolve();
        await arrived.promise;
        return host.writeMember(...args);
      },
    };
    const system = contextFor(t.services, { kind: 'system', job: 'test' });
    const write = () =>
      writeWaiting({ ...system, hosts: { discord: slow } }, guild.id, AbortSignal.timeout(patienceMs));
    return { guild, system, write, began: began.promise, letGo: arrived.resolve };
  }

  async function actionsOf(guild: Guild): Promise<string[]> {
    const rows = await t.services.db.system
      .selectFrom('role_ledger')
      .select('action')
      .where('community_id', '=', guild.id)
      .orderBy('id')
      .execute();
    return rows.map((row) => row.action);
  }

  for (const table of ['community_members', 'change_set_items']) {
    it(`a role that arrives while its member is checked is removed, right after ${table} was read too`, async () => {
      const { guild, system, write, began, letGo } = await beginGrant();
      const writing = write();
      await began;
      guild.hold(0, '0');
      await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: [guild.idOf(0)], cause: 'chain' });
      const db = afterRead(t.services.db, table, async () => {
        letGo();
        await writing;
      });
      await reconcileCommunityJob({ ...system, db }, guild.id);
      await guild.write();
      assert.deepEqual([guild.rolesOf(0), await actionsOf(guild)], [[], ['grant', 'revoke']]);
    });
  }

  it('a role whose writing begins while its member is checked is removed', async () => {
    const { guild, system, write, began, letGo } = await beginGrant();
    guild.hold(0, '0');
    let writing: Promise<void> | undefined;
    const db = afterRead(t.services.db, 'change_set_items', async () => {
      writing = write();
      await began;
    });
    const community = await selectCommunity(t.services.db.system, guild.id);
    assert.ok(community);
    await applyNow({ ...system, db }, community, guild.idOf(0), { liftSuppressions: false });
    letGo();
    await writing;
    assert.deepEqual(guild.rolesOf(0), ['gold']);
    await guild.check();
    await guild.write();
    assert.deepEqual([guild.rolesOf(0), await actionsOf(guild)], [[], ['grant', 'revoke']]);
  });

  for (const table of ['community_members', 'change_set_items']) {
    it(`a role that is removed while the roles are read is not returned, right after ${table} was read too`, async () => {
      const { guild, system, write, began, letGo } = await beginWrite(['gold'], '0');
      const writing = write();
      await began;
      const db = afterRead(t.services.db, table, async () => {
        letGo();
        await writing;
      });
      assert.deepEqual(await readRoles({ ...system, db }, guild.id, guild.idOf(0)), []);
    });
  }

  it('an event that is older than what was written hides no role from a check', async ({ mock }) => {
    const guild = await setUpGuild(t, { members: 2 });
    guild.hold(0, '1');
    await guild.resync();
    guild.hold(0, '0');
    await noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(0), { kind: 'updated', roleIds: [] });
    const reads = mock.method(t.host, 'readMember');
    await guild.resync([0, 1], 'wallet');
    assert.deepEqual(guild.rolesOf(0), []);
    const requested = reads.mock.calls.map(({ arguments: [, userId] }) => userId);
    assert.deepEqual(requested, [guild.nativeIdOf(0)], 'only the member with contradicting roles is read');
  });
});
