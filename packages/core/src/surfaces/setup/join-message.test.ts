import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createCommunity } from '../../communities/community/index.ts';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { communityKey } from '../../shared/qualified-ids.ts';
import { memoryTelegram } from '../telegram/testing.ts';
import { checkCommunitySetup } from './check-setup.ts';
import { getJoinMessage, postJoinMessage } from './join-message.ts';

describe('the join message', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('join-message', { isQuick: true });
  });
  after(() => d.close());

  type Permissions = Parameters<DiscordPlatform['emulator']['setPermissions']>[2];
  const least = ['VIEW_CHANNEL', 'MANAGE_ROLES', 'SEND_MESSAGES', 'EMBED_LINKS'] as const;

  /** A server whose bot may create channels, or may only do what the invite link asks for. */
  async function settle({ may = [...least, 'MANAGE_CHANNELS'] }: { may?: Permissions } = {}) {
    const place = await addGuild(d);
    const guild = d.emulator.getGuild(place.guildId);
    const own = [...guild.roles.values()].find(({ botId }) => botId !== undefined)?.id ?? '';
    d.emulator.setPermissions(place.guildId, own, may);
    const ctx = d.as(place.owner);
    const post = (body: Parameters<typeof postJoinMessage>[1]['body'] = {}) =>
      postJoinMessage(ctx, { communityId: place.id, body });
    const named = (name: string) => [...guild.channels.values()].filter((channel) => channel.name === name);
    return { ...place, ctx, guild, post, named, get: () => getJoinMessage(ctx, { communityId: place.id }) };
  }

  test('creates a channel in which members read and press, and a second click finds it', async () => {
    const { post, named, guild, guildId, get, id, ctx } = await settle();
    assert.deepEqual([(await get()).isPosted, (await get()).canCreateChannel], [false, true]);
    const first = await post({ channelName: 'Get Roles', createsAdminChannel: true });
    assert.deepEqual([first.isPosted, first.channelName], [true, 'get-roles']);
    const [channel] = named('get-roles');
    const member = d.emulator.addMember(guildId).user.id;
    const everyone = channel?.overwrites.get(guildId);
    const [view, send] = [1n << 10n, 1n << 11n];
    assert.deepEqual([everyone?.allow === view, ((everyone?.deny ?? 0n) & send) === send], [true, true]);
    const admins = named('latchkey-config')[0]?.overwrites.get(guildId);
    assert.equal(admins?.deny, view, 'members do not see the channel of the admins');
    const [message] = [...(channel?.messages.values() ?? [])];
    assert.match(JSON.stringify(message?.components), /latchkey:join/);
    assert.match(first.link ?? '', new RegExp(`/${guildId}/${channel?.id}/${message?.id}$`));
    assert.ok(guild.members.has(member));
    const channels = guild.channels.size;
    for (const body of [{}, { channelName: 'get-roles', createsAdminChannel: true }]) await post(body);
    assert.deepEqual([guild.channels.size, channel?.messages.size], [channels, 1]);
    const setup = await checkCommunitySetup(ctx, { communityId: id });
    assert.deepEqual(
      setup.checks.filter(({ subject }) => subject === 'channel').map(({ state }) => state),
      ['ok', 'ok'],
    );
  });

  test('replaces the text of a message that an earlier version posted', async () => {
    const { post, named } = await settle();
    await post();
    const [message] = [...(named('latchkey-join')[0]?.messages.values() ?? [])];
    assert.ok(message);
    const button = { type: 2, style: 1, label: 'Let’s go', custom_id: 'latchkey:join' };
    Object.assign(message, { content: 'Old', flags: 0, components: [{ type: 1, components: [button] }] });
    await post();
    assert.deepEqual([message.content, message.flags], ['', 1 << 15]);
    assert.match(JSON.stringify(message.components), /"type":17.*latchkey:join/);
  });

  test('uses an existing channel, and brings back what was deleted', async () => {
    const { post, guild, guildId, named } = await settle();
    const rules = d.emulator.createChannel(guildId, { name: 'rules' });
    await post({ channelId: rules.id });
    assert.equal(rules.messages.size, 1);
    rules.messages.clear();
    await post();
    assert.equal(rules.messages.size, 1, 'a deleted message is posted again');
    guild.channels.delete(rules.id);
    const again = await post();
    assert.deepEqual([again.channelName, named('latchkey-join').length], ['latchkey-join', 1]);
  });

  test('names the missing permission, and offers channels that exist', async () => {
    const { post, get, guildId, guild } = await settle({ may: [...least] });
    const { canCreateChannel, problem, permissionLink, channels } = await get();
    assert.equal(canCreateChannel, false);
    assert.match(problem ?? '', /Manage Channels/);
    const wanted = BigInt(new URL(permissionLink ?? '').searchParams.get('permissions') ?? 0);
    assert.equal(wanted & (1n << 4n), 1n << 4n);
    assert.deepEqual(
      channels.map(({ name, canPost }) => [name, canPost]),
      [['general', true]],
    );
    await assert.rejects(post(), { code: 'STATE_CONFLICT', message: /permission Manage Channels/ });
    const closed = d.emulator.createChannel(guildId, { name: 'closed' });
    d.emulator.setOverwrite(closed.id, { roleId: guildId }, { deny: ['SEND_MESSAGES'] });
    await assert.rejects(post({ channelId: closed.id }), { code: 'STATE_CONFLICT', message: /#closed.*Send Messages/ });
    await assert.rejects(post({ channelId: '123' }), { code: 'STATE_CONFLICT', message: /no longer a text channel/ });
    assert.equal(guild.channels.size, 2, 'nothing was created');
  });

  test('names the limit of 500 channels', async () => {
    const { post, guildId, guild } = await settle();
    while (guild.channels.size < 500) d.emulator.createChannel(guildId, { name: `room-${guild.channels.size}` });
    await assert.rejects(post(), { code: 'STATE_CONFLICT', message: /500 channels/ });
  });

  test('survives an outage and two clicks at once with one channel and one message', async () => {
    const { post, named, get } = await settle();
    d.emulator.misbehave({ kind: 'error', status: 500 });
    await assert.rejects(post(), { code: 'UNAVAILABLE' });
    d.emulator.behave();
    assert.equal((await get()).isPosted, false);
    const clicks = await Promise.allSettled([post(), post(), post()]);
    assert.ok(clicks.some(({ status }) => status === 'fulfilled'));
    for (const click of clicks) if (click.status === 'rejected') assert.equal(click.reason.code, 'STATE_CONFLICT');
    assert.deepEqual([named('latchkey-join').length, named('latchkey-join')[0]?.messages.size], [1, 1]);
  });

  test('is posted and pinned once in a Telegram group, also without the right to pin', async () => {
    const telegram = memoryTelegram();
    const ctx = { ...d.as({ kind: 'system', job: 'test' }), telegram: telegram.api };
    const place = { platform: 'telegram', communityId: '-1008', name: 'Dogs', ownerId: 'TEL#USER#8' } as const;
    await createCommunity(ctx, { body: place });
    const communityId = communityKey('telegram', '-1008');
    telegram.missing.push('pin messages');
    const first = await postJoinMessage(ctx, { communityId, body: {} });
    assert.match(first.problem ?? '', /Pin messages/);
    assert.deepEqual([first.isPosted, telegram.posts.length, telegram.pinned.size], [true, 1, 0]);
    telegram.missing.length = 0;
    const second = await postJoinMessage(ctx, { communityId, body: {} });
    assert.deepEqual([second.problem, telegram.posts.length], [undefined, 1]);
    assert.deepEqual([...telegram.pinned], ['-1008/1']);
    const [button] = telegram.posts[0]?.buttons ?? [];
    assert.deepEqual(button && 'url' in button && button.url, 'https://t.me/gate_bot?start=link-1008');
    telegram.deaf.add('-1008');
    telegram.posts.length = 0;
    await assert.rejects(postJoinMessage(ctx, { communityId, body: {} }), { code: 'STATE_CONFLICT' });
  });
});
