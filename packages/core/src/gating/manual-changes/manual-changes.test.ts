import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seed } from '@latchkey/test-kit';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import type { WriteOutcome } from '../../ports/index.ts';
import { contextFor } from '../../shared/context.ts';
import { composeNotice } from '../../surfaces/admin-notices/compose.ts';
import { findNews } from '../../surfaces/admin-notices/find.ts';
import type { NoticeRow } from '../../surfaces/admin-notices/queries.ts';
import { takeDiscordEvent } from '../../surfaces/discord-interactions/take-event.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { setApprovalPolicy } from '../approval-policies/operations.ts';
import { throwDice } from '../role-changes/testing/dice.ts';
import { type Guild, setUpGuild } from '../role-changes/testing/index.ts';

describe('a ruled role that is changed by hand', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('manual-changes');
  });
  after(() => t.close());

  type Policy = 'correct' | 'report' | 'leave';

  async function settle(policy: Policy | undefined, members = 1) {
    const guild = await setUpGuild(t, { members });
    for (let member = 0; member < members; member += 1) guild.hold(member, '1');
    const values = policy && { roleId: 'gold', approvesGrants: false, manualChanges: policy };
    await setApprovalPolicy(t.as({ kind: 'admin', name: 'operator' }), {
      communityId: guild.id,
      body: { approvers: 1, roles: values ? [values] : [] },
    });
    await guild.resync();
    t.advanceSeconds(600);
    return guild;
  }

  /** Reports a member's roles as the gateway would. */
  const report = (guild: Guild, member: number, roleIds: readonly string[] = guild.rolesOf(member) ?? []) =>
    takeDiscordEvent(t.services, {
      kind: 'member-updated',
      guildId: guild.guildId,
      userId: guild.nativeIdOf(member),
      userName: 'ann',
      roleIds,
      isBot: false,
    });
  const byHand = (guild: Guild, member: number, roleIds: readonly string[]) => {
    t.host.addMember(guild.guildId, guild.nativeIdOf(member), roleIds);
    return report(guild, member);
  };
  const queued = async ({ id }: Guild) =>
    (await t.services.db.pool.query('select user_id, cause from reconcile_queue where community_id = $1', [id])).rows;
  const counted = async ({ id }: Guild) =>
    (
      await t.services.db.pool.query(
        'select role_id, added, removed from manual_role_changes where community_id = $1',
        [id],
      )
    ).rows;
  const apply = async (guild: Guild) => {
    await guild.check();
    await guild.write();
  };

  it('is corrected at once where the policy of the role says so', async () => {
    const guild = await settle('correct');
    assert.deepEqual(guild.rolesOf(0), ['gold']);
    await byHand(guild, 0, []);
    assert.deepEqual(await queued(guild), [{ user_id: guild.idOf(0), cause: 'manual-change' }]);
    await apply(guild);
    assert.deepEqual(guild.rolesOf(0), ['gold']);
    guild.hold(0, '0');
    await guild.resync();
    t.advanceSeconds(600);
    await byHand(guild, 0, ['gold', 'other']);
    await apply(guild);
    assert.deepEqual(guild.rolesOf(0), ['other']);
    assert.deepEqual(await counted(guild), []);
  });

  it('is counted for admins where the policy of the role says so, and changed by nothing', async () => {
    const guild = await settle('report', 2);
    for (const member of [0, 1]) await byHand(guild, member, []);
    await byHand(guild, 0, ['gold']);
    // A duplicate event changes nothing.
    await report(guild, 0);
    assert.deepEqual(await counted(guild), [{ role_id: 'gold', added: 1, removed: 2 }]);
    assert.deepEqual(await queued(guild), []);
    t.advanceSeconds(2 * 24 * 60 * 60);
    await byHand(guild, 0, []);
    assert.deepEqual(await counted(guild), [{ role_id: 'gold', added: 0, removed: 1 }], 'after a day it starts again');
  });

  it('is one notice per role, with the counts, that closes after a day without changes', async () => {
    const guild = await settle('report', 3);
    const ctx = contextFor(t.services, { kind: 'system', job: 'test' });
    const notices = async () =>
      (
        await t.services.db.pool.query<NoticeRow>(
          `select * from admin_notices where community_id = $1 and kind = 'manual-changes' order by noted_at`,
          [guild.id],
        )
      ).rows;
    const wordsOf = async (notice: NoticeRow | undefined) => {
      const community = await selectCommunity(t.services.db.system, guild.id);
      assert.ok(community && notice);
      return (await composeNotice(ctx, community, notice))?.full.text;
    };
    for (const member of [0, 1, 2]) {
      await byHand(guild, member, []);
      await findNews(ctx);
    }
    const [notice, ...others] = await notices();
    assert.deepEqual([notice?.about, others.length], ['gold', 0]);
    assert.match(
      (await wordsOf(notice)) ?? '',
      /in Test was removed 3 times by hand\. The next check follows the rules/,
    );
    t.advanceSeconds(25 * 60 * 60);
    await findNews(ctx);
    const [closed] = await notices();
    assert.notEqual(closed?.closed_at, null);
    assert.match((await wordsOf(closed)) ?? '', /not been changed by hand for a day/);
  });

  it('is left until the next check by default, and so are roles that no rule names', async () => {
    for (const policy of [undefined, 'leave'] as const) {
      const guild = await settle(policy);
      await byHand(guild, 0, []);
      assert.deepEqual([await queued(guild), await counted(guild)], [[], []]);
      await guild.resync();
      assert.deepEqual(guild.rolesOf(0), ['gold']);
    }
    const guild = await settle('report');
    await byHand(guild, 0, ['gold', 'other']);
    assert.deepEqual([await queued(guild), await counted(guild)], [[], []]);
  });

  it('is not what Latchkey writes, whether the event arrives before, during or after the write is recorded', async () => {
    const dice = throwDice(seed('own writes'));
    for (const policy of ['correct', 'report'] as const) {
      const guild = await settle(policy, 12);
      const { writeMember } = t.host;
      t.host.writeMember = async (write, signal): Promise<WriteOutcome> => {
        const outcome = await writeMember(write, signal);
        const member = Number(write.userId) - Number(guild.nativeIdOf(0));
        // Some events arrive before the platform's response.
        if (dice.below(2) === 0) await report(guild, member);
        return outcome;
      };
      for (const amount of ['0', '1', '0']) {
        for (let member = 0; member < 12; member += 1) guild.hold(member, amount);
        await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: '*', cause: 'requested' });
        await apply(guild);
        for (let member = 0; member < 12; member += 1) await report(guild, member);
      }
      t.host.writeMember = writeMember;
      assert.deepEqual([await queued(guild), await counted(guild)], [[], []]);
    }
  });

  it('is not reported by an event from before a write, and a check that follows changes nothing', async () => {
    const reporting = await settle('report');
    const correcting = await settle('correct');
    for (const guild of [reporting, correcting]) {
      guild.hold(0, '0');
      await guild.resync();
      const writes = guild.writes().length;
      // After a reconnect, the gateway replays the role as it was before.
      await report(guild, 0, ['gold']);
      await report(guild, 0, []);
      assert.deepEqual(await counted(guild), []);
      await apply(guild);
      assert.deepEqual([guild.rolesOf(0), guild.writes().length], [[], writes]);
    }
  });
});
