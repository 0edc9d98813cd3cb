import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import {
  communityKey,
  contextFor,
  createCommunity,
  createRule,
  enqueueReconcile,
  keepTelegramSessions,
  reconcileCommunityJob,
  type Services,
  userKey,
  writeWaiting,
} from '@latchkey/core';
import { type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { type MtprotoEmulator, startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import type { Actor } from '@latchkey/kernel';
import { createTelegram } from '@latchkey/platforms/telegram';

const token = '0x00000000000000000000000000000000000000aa';
const walletOf = (userId: number) => `0x${userId.toString(16).padStart(40, '0')}`;

/** A real database, and an emulator that speaks both the Bot API and MTProto. */
describe('a resync of a Telegram chat whose members can be listed', () => {
  let t: TestPlatform;
  let emulator: TelegramEmulator;
  let mtproto: MtprotoEmulator;
  let chatId: number;
  let id: string;

  before(async () => {
    t = await testPlatform('telegram-members');
    emulator = await startTelegramEmulator();
    mtproto = await emulator.openMtproto();
    chatId = emulator.createGroup({ title: 'Cat Club' }).id;
    id = communityKey('telegram', String(chatId));
    const [ownerId] = [
      ...(emulator
        .chats()
        .find((chat) => chat.id === chatId)
        ?.members.keys() ?? []),
    ];
    const owner: Actor = {
      kind: 'user',
      userId: userKey('telegram', String(ownerId)),
      platform: 'telegram',
      scopes: ['$all'],
      credential: 'wallet-session',
    };
    const services = startedAnew();
    const place = {
      platform: 'telegram',
      communityId: String(chatId),
      name: 'Cat Club',
      ownerId: owner.userId,
    } as const;
    await createCommunity(contextFor(services, { kind: 'system', job: 'test' }), { body: place });
    const body = { type: 'ERC20', chainId: 1, contractAddress: token, minToken: '1', roleId: 'member' };
    await createRule(contextFor(services, owner), { id, body });
  });
  after(async () => {
    await emulator.stop();
    await t.close();
  });

  /** The platform of a process that has just started. */
  function startedAnew(): Services {
    const { apiId, apiHash, addresses, publicKey } = mtproto;
    const [firstDc] = addresses;
    assert.ok(firstDc);
    const { clock, random, log } = t.services;
    const sessions = keepTelegramSessions(t.services, { botId: String(emulator.bot.user.id), apiId });
    const telegram = createTelegram(
      { fetch, token: emulator.bot.token, apiUrl: emulator.url, clock, callsPerSecond: 10_000 },
      { apiId, apiHash, sessions, connect, random, log, server: { firstDc, publicKey } },
    );
    return { ...t.services, telegram: telegram.api, hosts: { telegram: telegram.host } };
  }

  async function resync(): Promise<void> {
    t.advanceSeconds(3_600);
    const ctx = contextFor(startedAnew(), { kind: 'system', job: 'test' });
    await enqueueReconcile(ctx.db.system, { communityId: id, members: '*', cause: 'schedule' });
    await reconcileCommunityJob(ctx, id);
    await writeWaiting(ctx, id, new AbortController().signal);
  }

  /** A member who was in the chat before the bot and never wrote: no event mentions them. */
  async function silentMember(holds: boolean): Promise<number> {
    const { id: userId } = emulator.createUser('Silent');
    emulator
      .chats()
      .find((chat) => chat.id === chatId)
      ?.members.set(userId, { status: 'member' });
    await t.services.db.pool.query(
      `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
       values ($1, $2, 'telegram', 'evm', $3, $4)`,
      [`w${userId}`, userKey('telegram', String(userId)), walletOf(userId), t.services.clock()],
    );
    const place = { chain: 'evm:1', standard: 'erc20', reference: token, account: walletOf(userId) } as const;
    t.holdings.set(place, holds ? '1' : '0');
    return userId;
  }

  const statusOf = (userId: number) => emulator.statusOf(chatId, userId).status;
  const leftAt = async (userId: number) => {
    const rows = await t.services.db.system.selectFrom('community_members').select(['user_id', 'left_at']).execute();
    return rows.find(({ user_id }) => user_id === userKey('telegram', String(userId)))?.left_at;
  };

  it('reaches members who never spoke: those who qualify stay, the others are removed', async () => {
    const [holder, other] = [await silentMember(true), await silentMember(false)];
    await resync();
    assert.deepEqual([statusOf(holder), statusOf(other)], ['member', 'left']);
    assert.equal(await leftAt(holder), null);
    assert.notEqual(await leftAt(other), null);
  });

  it('logs in once, however often processes start', async () => {
    await resync();
    await resync();
    assert.equal(mtproto.counts()['auth.importBotAuthorization'], 1);
    const rows = await t.services.db.system.selectFrom('telegram_sessions').selectAll().execute();
    assert.equal(rows.length, 1);
  });

  it('treats no member as gone, and removes nothing from new ones, while members cannot be listed', async () => {
    const holder = await silentMember(true);
    await resync();
    const unseen = await silentMember(false);
    emulator.misbehave({ kind: 'rate-limit', on: 'channels.', retryAfterSeconds: 900 });
    await resync();
    assert.deepEqual([statusOf(holder), await leftAt(holder)], ['member', null]);
    assert.deepEqual([statusOf(unseen), await leftAt(unseen)], ['member', undefined]);
    const [list] = await t.services.db.system.selectFrom('member_lists').selectAll().execute();
    assert.deepEqual([list?.is_complete, /rate-limited/i.test(list?.reason ?? '')], [false, true]);
    emulator.behave();
    await resync();
    assert.equal(statusOf(unseen), 'left');
  });

  it('writes neither the session nor a token to the log', () => {
    const text = t.log.lines.join('\n');
    assert.match(text, /Could not list/);
    for (const secret of [emulator.bot.token, mtproto.apiHash]) assert.ok(!text.includes(secret));
  });
});
