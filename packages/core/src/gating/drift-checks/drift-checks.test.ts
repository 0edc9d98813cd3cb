import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { contextFor } from '../../shared/context.ts';
import { createRule } from '../community-rules/index.ts';
import { reconcileCommunityJob } from '../role-changes/index.ts';
import { checkDrift } from './index.ts';

describe('role counts between resyncs', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('drift-checks', { isQuick: true });
  });
  after(() => d.close());

  const system = () => contextFor(d.services, { kind: 'system', job: 'test' });

  /** A server whose members are known, and whose queue is empty. */
  async function open() {
    const guild = await addGuild(d);
    const member = d.emulator.addMember(guild.guildId, { roles: [guild.holder] });
    const body = { type: 'ERC20', chainId: 1, contractAddress: `0x${'1'.repeat(40)}`, roleId: guild.holder };
    await createRule(d.as(guild.owner), { id: guild.id, body });
    await reconcileCommunityJob(system(), guild.id);
    await d.services.db.pool.query(`delete from reconcile_queue where community_id = $1`, [guild.id]);
    const queued = async () => {
      const { rows } = await d.services.db.pool.query<{ user_id: string; cause: string }>(
        `select user_id, cause from reconcile_queue where community_id = $1`,
        [guild.id],
      );
      return rows;
    };
    return { ...guild, member, queued };
  }

  test('that agree cost one call and resync nothing', async () => {
    const { id, queued } = await open();
    d.emulator.resetCounts();
    await checkDrift(system(), id);
    await checkDrift(system(), id);
    assert.deepEqual(await queued(), []);
    assert.deepEqual(d.emulator.counts().byRoute, { 'GET /guilds/:guild/roles/member-counts': 2 });
  });

  test('that differ twice resync the community early, and only that one', async () => {
    const [changed, other] = [await open(), await open()];
    d.emulator.addMember(changed.guildId, { roles: [changed.holder] });
    await checkDrift(system(), changed.id);
    assert.deepEqual(await changed.queued(), [], 'the event may be on its way');
    await checkDrift(system(), changed.id);
    await checkDrift(system(), other.id);
    assert.deepEqual(await changed.queued(), [{ user_id: '*', cause: 'schedule' }]);
    assert.deepEqual(await other.queued(), []);
  });

  test('that agree again in between were late events', async () => {
    const { id, guildId, holder, whale, queued } = await open();
    const late = d.emulator.addMember(guildId, { roles: [holder] });
    await checkDrift(system(), id);
    d.emulator.setMemberRoles(guildId, late.user.id, [whale]);
    await checkDrift(system(), id);
    d.emulator.setMemberRoles(guildId, late.user.id, [holder]);
    await checkDrift(system(), id);
    assert.deepEqual(await queued(), []);
  });

  test('that differ by what is being written resync nothing, and by more than that do', async () => {
    const { id, guildId, holder, member, queued } = await open();
    const { rows } = await d.services.db.pool.query<{ action: string; state: string }>(
      `select action, state from change_set_items where community_id = $1`,
      [id],
    );
    assert.deepEqual(rows, [{ action: 'revoke', state: 'pending' }]);
    // Written on Discord, and not recorded here yet.
    d.emulator.setMemberRoles(guildId, member.user.id, []);
    await checkDrift(system(), id);
    await checkDrift(system(), id);
    assert.deepEqual(await queued(), []);
    for (let more = 0; more < 2; more += 1) d.emulator.addMember(guildId, { roles: [holder] });
    await checkDrift(system(), id);
    await checkDrift(system(), id);
    assert.deepEqual(await queued(), [{ user_id: '*', cause: 'schedule' }]);
  });

  test('that cannot be read change nothing', async () => {
    const { id, guildId, holder, queued } = await open();
    d.emulator.addMember(guildId, { roles: [holder] });
    await checkDrift(system(), id);
    const end = d.emulator.misbehave({ kind: 'error', on: 'GET /guilds/:guild/roles/member-counts' });
    await assert.rejects(checkDrift(system(), id), PlatformFailed);
    end();
    assert.deepEqual(await queued(), []);
    await checkDrift(system(), id);
    assert.equal((await queued()).length, 1);
  });
});
