import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startWorker } from '@latchkey/db';
import { type EmulatorProposal, type SnapshotEmulator, startSnapshotEmulator } from '@latchkey/emulators/snapshot';
import { createSnapshotHub } from '@latchkey/integrations/snapshot';
import { administersCommunity } from '../../communities/access/index.ts';
import { createCommunity } from '../../communities/community/index.ts';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { memoryTelegram } from '../../surfaces/telegram/testing.ts';
import { mallory, nobody, operator, patienceMs } from '../../testing/index.ts';
import { removeOldSnapshotEvents } from './jobs.ts';
import { getSubscribedSpaces, subscribeSpace, unsubscribeSpace, updateSubscribedChannels } from './operations.ts';
import { postProposal } from './post-proposal.ts';
import { snapshotWebhook } from './take-event.ts';

const secret = 'a-secret-that-only-snapshot-knows';
const refused = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

describe('Snapshot', () => {
  let d: DiscordPlatform;
  let hub: SnapshotEmulator;
  let services: Services;
  before(async () => {
    d = await discordPlatform('snapshot');
    hub = await startSnapshotEmulator();
    const snapshot = createSnapshotHub({ fetch, url: hub.url, timeoutMs: 120_000 });
    const settings = { ...d.services.settings, partners: { snapshotWebhookSecrets: ['an-older-one', secret] } };
    services = { ...d.services, snapshot, settings };
  });
  after(async () => {
    await hub.stop();
    await d.close();
  });

  let spaces = 0;
  let proposals = 0;
  const newSpace = () => {
    spaces += 1;
    const space = { id: `space${spaces}.eth`, name: `Space ${spaces}` };
    hub.state.spaces.push(space);
    return space;
  };
  const now = () => Math.floor(services.clock().getTime() / 1000);
  const propose = (space: { id: string }, more: Partial<EmulatorProposal> = {}): EmulatorProposal => {
    proposals += 1;
    const times = { created: now(), start: now(), end: now() + 86_400 };
    const words = { title: 'More fish @everyone', body: 'Fish.', author: '0x1', choices: ['Yes', 'No'] };
    const proposal = { id: `0x${proposals}`, space, ...words, ...times, ...more };
    hub.state.proposals.push(proposal);
    return proposal;
  };
  const eventOf = (
    { id, space }: Pick<EmulatorProposal, 'id' | 'space'>,
    event = 'proposal/created',
    expire = now(),
  ) => ({
    id: `proposal/${id}`,
    event,
    space: space.id,
    token: 't',
    secret: 's',
    expire,
  });
  const system = (over: Partial<Services> = {}): Context =>
    contextFor({ ...services, ...over }, { kind: 'system', job: 'test' });
  const take = (body: ReturnType<typeof eventOf>, authentication: string | undefined = secret, ctx = system()) =>
    snapshotWebhook(ctx, { authentication, body });

  async function open() {
    const guild = await addGuild({ ...d, as: (actor) => contextFor(services, actor) });
    const [channelId = ''] = d.emulator.getGuild(guild.guildId).channels.keys();
    return {
      ...guild,
      channelId,
      ctx: contextFor(services, guild.owner),
      messages: () => d.emulator.sentMessages(channelId),
    };
  }

  async function work(over: Partial<Services> = {}): Promise<void> {
    const worker = startWorker({
      db: services.db,
      patienceMs,
      kinds: [postProposal],
      log: services.log,
      random: services.random,
      makeContext: () => system(over),
      validate: () => undefined,
      concurrency: 4,
    });
    await worker.idle();
    await worker.stop(1_000);
  }

  test('an admin follows a space, chooses channels, sees it and stops following it', async () => {
    const { ctx, id, channelId } = await open();
    const space = newSpace();
    const made = await subscribeSpace(ctx, { communityId: id, body: { space: space.id.toUpperCase(), channels: [] } });
    assert.deepEqual([made.space, made.pk, made.sk], [space.id, id, `SNAPSHOT#${space.id}`]);
    const body = { channels: [channelId, channelId] };
    const changed = await updateSubscribedChannels(ctx, { communityId: id, space: space.id, body });
    assert.deepEqual(changed.channels, [channelId]);
    const again = await subscribeSpace(ctx, { communityId: id, body: { space: space.id, channels: [channelId] } });
    assert.equal(again.createdTime, made.createdTime);
    assert.deepEqual(await getSubscribedSpaces(ctx, { communityId: id }), [again]);
    await unsubscribeSpace(ctx, { communityId: id, space: space.id });
    assert.deepEqual(await getSubscribedSpaces(ctx, { communityId: id }), []);
    await assert.rejects(unsubscribeSpace(ctx, { communityId: id, space: space.id }), refused('ENTITY_NOT_FOUND'));
  });

  test('unknown spaces, foreign channels and an unresponsive hub are refused', async () => {
    const { ctx, id } = await open();
    const other = await open();
    const space = newSpace();
    const follow = (body: { space: string; channels?: string[] }) => subscribeSpace(ctx, { communityId: id, body });
    await assert.rejects(follow({ space: 'nobody.eth' }), refused('ENTITY_NOT_FOUND'));
    await assert.rejects(follow({ space: space.id, channels: [other.channelId] }), refused('ENTITY_NOT_FOUND'));
    hub.misbehave({ kind: 'status', status: 503, headers: { 'retry-after': '60' } });
    await assert.rejects(follow({ space: space.id }), refused('UNAVAILABLE'));
    hub.behave();
    assert.deepEqual(await getSubscribedSpaces(ctx, { communityId: id }), []);
    const change = { communityId: id, space: space.id, body: { channels: [] } };
    await assert.rejects(updateSubscribedChannels(ctx, change), refused('ENTITY_NOT_FOUND'));
  });

  test('a stranger sees and changes nothing, even past the first check', async () => {
    const { ctx, id } = await open();
    const space = newSpace();
    await subscribeSpace(ctx, { communityId: id, body: { space: space.id } });
    const stranger = contextFor(services, mallory);
    assert.equal(await administersCommunity(stranger, id), false);
    const named = { communityId: id, space: space.id };
    await assert.rejects(getSubscribedSpaces(stranger, named), refused('ENTITY_NOT_FOUND'));
    await assert.rejects(unsubscribeSpace(stranger, named), refused('ENTITY_NOT_FOUND'));
    await assert.rejects(
      subscribeSpace(stranger, { ...named, body: { space: space.id } }),
      refused('ENTITY_NOT_FOUND'),
    );
    assert.equal((await getSubscribedSpaces(ctx, named)).length, 1);
  });

  test('an event is posted once in each channel that follows the space, however often it arrives', async () => {
    const [one, two, deaf] = [await open(), await open(), await open()];
    const space = newSpace();
    for (const { ctx, id, channelId } of [one, two])
      await subscribeSpace(ctx, { communityId: id, body: { space: space.id, channels: [channelId] } });
    await subscribeSpace(deaf.ctx, {
      communityId: deaf.id,
      body: { space: newSpace().id, channels: [deaf.channelId] },
    });
    const event = eventOf(propose(space));
    const answers = await Promise.all(Array.from({ length: 10 }, () => take(event)));
    assert.deepEqual(
      answers.filter(({ isNew }) => isNew),
      [{ isNew: true, channels: 2 }],
    );
    await work();
    assert.deepEqual(await take(event), { isNew: false, channels: 0 });
    await work();
    assert.deepEqual(
      [one, two, deaf].map(({ messages }) => messages().length),
      [1, 1, 0],
    );
    const [message] = one.messages();
    assert.match(message?.content ?? '', /A new proposal\*\* in Space/);
    assert.equal(Object(message?.embeds[0]).title, 'More fish @everyone');
    await take(eventOf({ id: event.id.slice(9), space }, 'proposal/end'));
    await work();
    assert.match(one.messages()[1]?.content ?? '', /Voting has ended/);
  });

  test('a community that removed the bot gets no post, the others do', async () => {
    const [gone, there] = [await open(), await open()];
    const space = newSpace();
    for (const { ctx, id, channelId } of [gone, there])
      await subscribeSpace(ctx, { communityId: id, body: { space: space.id, channels: [channelId] } });
    await services.db.system.updateTable('communities').set({ status: 'kicked' }).where('id', '=', gone.id).execute();
    assert.deepEqual(await take(eventOf(propose(space))), { isNew: true, channels: 1 });
    await work();
    assert.deepEqual([gone.messages().length, there.messages().length], [0, 1]);
  });

  test('only Snapshot is trusted: with the current secret in the header, and about a proposal', async () => {
    const { ctx, id, channelId, messages } = await open();
    const space = newSpace();
    await subscribeSpace(ctx, { communityId: id, body: { space: space.id, channels: [channelId] } });
    const event = eventOf(propose(space));
    const bare = contextFor(services, nobody);
    await assert.rejects(snapshotWebhook(bare, { body: event }), refused('AUTHENTICATION_REQUIRED'));
    for (const wrong of ['', 'x', `${secret} `, event.secret])
      await assert.rejects(take(event, wrong), refused('INVALID_CREDENTIAL'));
    const unset = { ...system(), settings: d.services.settings };
    await assert.rejects(take(event, secret, unset), refused('NOT_CONFIGURED'));
    await assert.rejects(take({ ...event, expire: now() + 3600 }), refused('VALIDATION_FAILED'));
    assert.equal((await take({ ...event, expire: now() - 8 * 86_400 })).isNew, false);
    assert.equal((await take({ ...event, event: 'proposal/eaten' })).isNew, false);
    await work();
    assert.equal(messages().length, 0);
    assert.equal((await take(event, 'an-older-one')).channels, 1);
    assert.ok(!d.t.log.lines.some((line) => line.includes(secret)));
  });

  test('proposals that the hub hides or assigns to another space are not posted', async () => {
    const { ctx, id, channelId, messages } = await open();
    const [space, other] = [newSpace(), newSpace()];
    await subscribeSpace(ctx, { communityId: id, body: { space: space.id, channels: [channelId] } });
    await take(eventOf(propose(space, { flagged: true })));
    await take(eventOf({ ...propose(other), space }));
    await take(eventOf({ id: '0xnever', space }));
    await work();
    assert.equal(messages().length, 0);
    const posts = await services.db.system
      .selectFrom('snapshot_posts')
      .selectAll()
      .where('community_id', '=', id)
      .execute();
    assert.equal(posts.length, 3);
    assert.ok(posts.every(({ problem }) => /does not list/.test(problem ?? '')));
    await take(eventOf({ id: '0xgone', space }, 'proposal/deleted'));
    await work();
    assert.match(messages()[0]?.content ?? '', /withdrawn/);
  });

  test('a worker that dies after sending sends nothing twice, and a webhook that dies half-way loses nothing', async () => {
    const { ctx, id, channelId, messages } = await open();
    const space = newSpace();
    await subscribeSpace(ctx, { communityId: id, body: { space: space.id, channels: [channelId] } });
    const event = eventOf(propose(space));
    const { db } = services;
    const dying: Services['db'] = {
      ...db,
      transaction: (tenant, run) =>
        db.transaction(tenant, async (tx) => {
          await run(tx);
          throw new Error('killed');
        }),
    };
    await assert.rejects(take(event, secret, system({ db: dying })), /killed/);
    await work();
    assert.equal(messages().length, 0);
    assert.equal((await take(event)).channels, 1);
    const discord = services.discord;
    assert.ok(discord);
    const forgetful: typeof discord = {
      ...discord,
      sendMessage: async (...message) => {
        await discord.sendMessage(...message);
        throw new Error('killed');
      },
    };
    const payload = { eventId: event.id, event: event.event, channelId };
    const run = { id: '1', attempt: 1, signal: new AbortController().signal };
    await assert.rejects(postProposal.run(system({ discord: forgetful }), payload, run), /killed/);
    assert.equal(messages().length, 1);
    await work();
    assert.equal(messages().length, 1);
    const [post] = await db.system.selectFrom('snapshot_posts').selectAll().where('community_id', '=', id).execute();
    assert.deepEqual([post?.message_id, post?.problem], [messages()[0]?.id, null]);
  });

  test('a hub that is down is retried, and after an hour the message is posted without it', async () => {
    const { ctx, id, channelId, messages } = await open();
    const space = newSpace();
    await subscribeSpace(ctx, { communityId: id, body: { space: space.id, channels: [channelId] } });
    const event = eventOf(propose(space));
    await take(event);
    hub.misbehave({ kind: 'cut' });
    const payload = { eventId: event.id, event: event.event, channelId };
    const run = (attempt: number) =>
      postProposal.run(system(), payload, { id: '1', attempt, signal: new AbortController().signal });
    await assert.rejects(run(1), /Snapshot could not be reached/);
    assert.equal(messages().length, 0);
    await run(12);
    hub.behave();
    assert.match(JSON.stringify(messages()[0]?.embeds), /snapshot\.org\/#\/space\d+\.eth\/proposal\/0x/);
  });

  test('a Telegram group follows a space as its own channel, and gets plain text', async () => {
    const telegram = memoryTelegram();
    const { owner } = await open();
    const add = async (platform: 'telegram' | 'reddit', communityId: string) => {
      const body = { platform, communityId, ownerId: owner.userId };
      return (await createCommunity(contextFor(services, operator), { body })).id ?? '';
    };
    const [chatId, ctx] = ['-1001234567890', contextFor(services, owner)];
    const [id, other, subreddit] = [
      await add('telegram', chatId),
      await add('telegram', '-100987'),
      await add('reddit', 'fish'),
    ];
    const space = newSpace();
    const follow = (communityId: string, channels?: string[]) =>
      subscribeSpace(ctx, { communityId, body: { space: space.id, ...(channels && { channels }) } });
    assert.deepEqual((await follow(id)).channels, [chatId]);
    assert.deepEqual((await follow(other, [])).channels, []);
    await assert.rejects(follow(other, [chatId]), refused('ENTITY_NOT_FOUND'));
    await assert.rejects(follow(subreddit), refused('STATE_CONFLICT'));
    assert.deepEqual(await take(eventOf(propose(space, { choices: ['@all', 'No'] }))), { isNew: true, channels: 1 });
    await work({ telegram: telegram.api });
    const [post, ...more] = telegram.posts;
    assert.deepEqual([post?.chatId, more], [chatId, []]);
    assert.match(post?.text ?? '', /^A new proposal in Space \d+\n\nMore fish @\u200beveryone\n\nBegins: .* UTC\n/);
    assert.match(post?.text ?? '', /• @\u200ball\n• No$/);
    assert.match(JSON.stringify(post?.buttons), /snapshot\.org/);
    telegram.deaf.add(chatId);
    await take(eventOf(propose(space)));
    await work({ telegram: telegram.api });
    const rows = await services.db.system
      .selectFrom('snapshot_posts')
      .selectAll()
      .where('community_id', '=', id)
      .execute();
    assert.deepEqual(rows.map(({ message_id, problem }) => message_id ?? problem).toSorted(), [
      '1',
      'The bot was blocked by the user.',
    ]);
  });

  test('a deleted or closed channel is given up with a reason, and old events are purged', async () => {
    const { ctx, id, guildId, channelId } = await open();
    const space = newSpace();
    await subscribeSpace(ctx, { communityId: id, body: { space: space.id, channels: [channelId] } });
    d.emulator.getGuild(guildId).channels.delete(channelId);
    await take(eventOf(propose(space)));
    await work();
    const posts = () =>
      services.db.system.selectFrom('snapshot_posts').selectAll().where('community_id', '=', id).execute();
    assert.match((await posts())[0]?.problem ?? '', /channel no longer exists/);
    d.t.advanceSeconds(36 * 86_400);
    await removeOldSnapshotEvents.run(system(), {}, { id: '1', attempt: 1, signal: new AbortController().signal });
    assert.deepEqual(await posts(), []);
  });
});
