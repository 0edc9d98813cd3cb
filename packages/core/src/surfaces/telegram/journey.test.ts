import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from '@latchkey/db';
import { startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { createTelegram, pollUpdates } from '@latchkey/platforms/telegram';
import { until } from '@latchkey/test-kit';
import { updateAdmins } from '../../communities/admins/change-admins.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { handleTelegramEvent } from './check-updates.ts';
import { linkWallet, resync, startTestWorker, token, walletOf } from './testing.ts';

/** A real Telegram client against the emulator, over HTTP, with a real database and worker. */
describe('the journey of a Telegram member', () => {
  let t: TestPlatform;
  let emulator: TelegramEmulator;
  let services: Services;
  let ctx: Context;
  let worker: Worker;
  let polling: Promise<void>;
  const ended = new AbortController();
  // Telegram's clock and ours are the same, and keep running.
  const startedAt = Date.now();
  let skippedMs = 0;
  const clock = () => new Date(startedAt + skippedMs + performance.now() - origin);
  const origin = performance.now();

  before(async () => {
    t = await testPlatform('journey');
    await ensureSigningKeys(t.services);
    emulator = await startTelegramEmulator({ clock: () => clock().getTime() });
    const options = { fetch, token: emulator.bot.token, apiUrl: emulator.url, clock, timeoutMs: 120_000 };
    const { host, api } = createTelegram(options);
    services = { ...t.services, clock, telegram: api, hosts: { telegram: host } };
    ctx = contextFor(services, { kind: 'system', job: 'telegram.events' });
    worker = startTestWorker(services);
    const sleep = async (ms: number, signal: AbortSignal) => void (await delay(ms, undefined, { signal }));
    const onEvent = (event: Parameters<typeof handleTelegramEvent>[1]) => handleTelegramEvent(ctx, event);
    polling = pollUpdates(
      { ...options, log: t.log, random: t.services.random, sleep, onEvent, waitSeconds: 1 },
      ended.signal,
    );
  });
  after(async () => {
    ended.abort();
    await polling;
    await worker.stop(1_000);
    await emulator.stop();
    await t.close();
  });

  const hold = (userId: number, amount: string) =>
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: token, account: walletOf(userId) }, amount);

  it('requests to join, is admitted, and is removed once the token is gone, silent or not; the owner stays', async () => {
    const group = emulator.createGroup({ title: 'Cat Club' });
    const id = communityKey('telegram', String(group.id));
    const { owner_id } = await until('the community is known', () => selectCommunity(services.db.system, id));
    const ownerId = [...group.members].find(([, { status }]) => status === 'creator')?.[0] ?? 0;
    assert.equal(owner_id, userKey('telegram', String(ownerId)));
    const owner = contextFor(services, {
      kind: 'user',
      userId: owner_id,
      platform: 'telegram',
      scopes: [],
      credential: 'wallet-session',
    });
    const rule = { type: 'ERC20', chainId: 1, contractAddress: token, minToken: '1', roleId: 'member' };
    await createRule(owner, { id, body: rule });
    const door = (
      await requestedBy(emulator, 'createChatInviteLink', { chat_id: group.id, creates_join_request: true })
    ).invite_link;
    const isIn = (userId: number) => ['member', 'creator'].includes(emulator.statusOf(group.id, userId).status);

    const [ann, ben, cid] = ['Ann', 'Ben', 'Cid'].map((name) => emulator.createUser(name).id) as [
      number,
      number,
      number,
    ];
    emulator.join(ann, door);
    const message = await until('she gets a message', () => emulator.sentMessages(ann)[0]);
    assert.match(message.text, /^Cat Club requires tokens/);
    await until('her request is decided', () => !group.requests.has(ann));
    assert.equal(isIn(ann), false);

    for (const user of [ann, ben, cid]) {
      await linkWallet(services, user);
      hold(user, '1');
    }
    for (const user of [ann, ben]) emulator.join(user, door);
    await until('both are in', () => isIn(ann) && isIn(ben));

    emulator.speakToBot(cid, `/start ${group.id}`);
    const invitation = await until('he is invited', () => emulator.sentMessages(cid)[0]);
    emulator.join(cid, Object(invitation.replyMarkup).inline_keyboard[0][0].url);
    await until('all three are members', async () => {
      const { rows } = await services.db.pool.query(
        'select from community_members where community_id = $1 and left_at is null and not is_bot',
        [id],
      );
      return rows.length >= 3;
    });

    emulator.speak(ann, group.id, 'Sold mine!');
    for (const user of [ann, cid]) hold(user, '0');
    skippedMs += 3_600_000;
    await resync(services, id);
    await until('both are removed', () => !isIn(ann) && !isIn(cid));
    assert.deepEqual([isIn(ben), isIn(ownerId)], [true, true]);
    const removed = await until('both removals are recorded', async () => {
      const { rows } = await services.db.pool.query<{ user_id: string; action: string }>(
        "select user_id, action from role_ledger where community_id = $1 and not reason ? 'joinRequest' order by user_id",
        [id],
      );
      return rows.length === 2 && rows;
    });
    assert.deepEqual(
      removed,
      [ann, cid].map((user) => ({ user_id: userKey('telegram', String(user)), action: 'revoke' })),
    );
    const { rows: answers } = await services.db.pool.query<{ user_id: string; answer: string }>(
      `select user_id, reason ->> 'joinRequest' as answer from role_ledger
       where community_id = $1 and reason ? 'joinRequest' order by id`,
      [id],
    );
    const answersTo = (user: number) =>
      answers.filter((row) => row.user_id === userKey('telegram', String(user))).map((row) => row.answer);
    assert.deepEqual([ann, ben, cid].map(answersTo), [['declined', 'approved'], ['approved'], []]);
    const { rows: changeSets } = await services.db.pool.query<{ status: string }>(
      'select status from change_sets where community_id = $1',
      [id],
    );
    assert.ok(
      changeSets.every(({ status }) => status !== 'failed'),
      'the owner, who holds nothing, is in no change set',
    );

    hold(ann, '2');
    emulator.join(ann, door);
    await until('she is a member again', () => isIn(ann));
    assert.ok(t.log.lines.every((line) => !line.includes(emulator.bot.token)));
  });

  it('is demoted as an admin in the chat, and so here', async () => {
    const group = emulator.createGroup({ title: 'Dog Club' });
    const id = communityKey('telegram', String(group.id));
    const { owner_id } = await until('the community is known', () => selectCommunity(services.db.system, id));
    const keeper = emulator.createUser('Kim').id;
    emulator.addMember(group.id, keeper);
    emulator.setAdmin(group.id, keeper, ['can_invite_users', 'can_restrict_members']);
    const keeperId = userKey('telegram', String(keeper));
    const owner = contextFor(services, {
      kind: 'user',
      userId: owner_id,
      platform: 'telegram',
      credential: 'wallet-session',
      scopes: ['$all'],
    });
    await updateAdmins(owner, { id, body: [owner_id, keeperId] });
    const admins = async () => {
      const words = 'select user_id, confirmed_at from community_admins where community_id = $1';
      return (await services.db.pool.query<{ user_id: string; confirmed_at: Date | null }>(words, [id])).rows;
    };
    await until('Telegram confirms both', async () => {
      const rows = await admins();
      return rows.length === 2 && rows.every(({ confirmed_at }) => confirmed_at !== null);
    });
    emulator.setAdmin(group.id, keeper, ['can_delete_messages']);
    const [left] = await until('Telegram reports it, and is asked', async () => {
      const rows = await admins();
      return rows.length === 1 && rows;
    });
    assert.equal(left?.user_id, owner_id);
  });
});

/** Calls the Bot API as another tool of an admin would. */
async function requestedBy(emulator: TelegramEmulator, method: string, body: object): Promise<{ invite_link: string }> {
  const response = await fetch(`${emulator.url}/bot${emulator.bot.token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return Object(await response.json()).result;
}
