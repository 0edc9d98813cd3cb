import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DiscordEvent } from '@latchkey/core/ports';
import type { Log } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { type DiscordTwin, startDiscordTwin } from '@latchkey/twins/discord';
import { type Gateway, startDiscordGateway } from './start-gateway.ts';

describe('the gateway of Discord', () => {
  let twin: DiscordTwin;
  let gateway: Gateway;
  const events: DiscordEvent[] = [];
  const lines: string[] = [];
  const write = (message: string, fields?: Record<string, unknown>) =>
    void lines.push(JSON.stringify({ message, ...fields }));
  const log: Log = { debug: write, info: write, warn: write, error: write, for: () => log };
  let refuse = false;
  before(async () => {
    twin = await startDiscordTwin({ seed: 'gateway' });
    gateway = await startDiscordGateway({
      token: twin.application.token,
      apiUrl: twin.url,
      log,
      onEvent: async (event) => {
        if (refuse) throw new Error('the database is away');
        events.push(event);
      },
    });
  });
  after(async () => {
    await gateway.close();
    await twin.stop();
  });

  const seen = (isIt: (event: DiscordEvent) => boolean) => until(`an event comes: ${isIt}`, () => events.find(isIt));

  test('tells who joined, changed, wrote and left', async () => {
    const guildId = twin.createGuild({ name: 'Guild' }).id;
    await seen((event) => event.kind === 'guild-joined' && event.guildId === guildId);
    const role = twin.createRole(guildId, { name: 'Holder' }).id;
    const userId = twin.addMember(guildId, { name: 'ada' }).user.id;
    const isOf = (kind: DiscordEvent['kind']) => (event: DiscordEvent) =>
      event.kind === kind && 'userId' in event && event.userId === userId;
    assert.deepEqual(await seen(isOf('member-joined')), {
      kind: 'member-joined',
      guildId,
      userId,
      userName: 'ada',
      roleIds: [],
      isBot: false,
    });
    twin.setMemberRoles(guildId, userId, [role]);
    const updated = await seen(isOf('member-updated'));
    assert.deepEqual('roleIds' in updated && updated.roleIds, [role]);
    const channelId = [...twin.getGuild(guildId).channels.keys()][0] ?? '';
    twin.speak(userId, channelId, 'hello');
    await seen(isOf('message'));
    twin.removeMember(guildId, userId);
    await seen(isOf('member-left'));
  });

  test('tells of roles that were changed', async () => {
    const guildId = twin.createGuild({ name: 'Powers' }).id;
    const roleId = twin.createRole(guildId, { name: 'Staff' }).id;
    await seen((event) => event.kind === 'guild-joined' && event.guildId === guildId);
    twin.setPermissions(guildId, roleId, ['BAN_MEMBERS']);
    const isIt = (event: DiscordEvent) => event.kind === 'role-updated' && event.roleId === roleId;
    assert.deepEqual(await seen(isIt), { kind: 'role-updated', guildId, roleId });
  });

  test('an event that cannot be taken in is logged, and the next one comes', async () => {
    const guildId = twin.createGuild({ name: 'Other' }).id;
    await seen((event) => event.kind === 'guild-joined' && event.guildId === guildId);
    refuse = true;
    twin.addMember(guildId, { name: 'lost' });
    await until('the trouble is logged', () => lines.find((line) => line.includes('the database is away')));
    refuse = false;
    const userId = twin.addMember(guildId, { name: 'found' }).user.id;
    await seen((event) => 'userId' in event && event.userId === userId);
    assert.ok(!lines.join().includes(twin.application.token));
  });
});
