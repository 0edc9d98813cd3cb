import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError } from '@latchkey/kernel';
import { seedNumber, until, volume } from '@latchkey/test-kit';
import { verifyAeToken } from '../../identity/credentials/index.ts';
import { PlatformFailed, type TelegramJoinWay } from '../../ports/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { decideJoin, joinPageSeconds } from '../telegram/decide-join.ts';
import { TelegramWorld } from '../telegram/testing-world.ts';
import { telegramGateModule } from '../telegram-gate/index.ts';
import { listGateBypasses, revokeGateBypass } from '../telegram-gate/operations.ts';
import { findJoinPage } from './open-page.ts';
import { checkJoinRequest, openJoinPage } from './operations.ts';

/** Telegram chats whose requests to join reach the bot as queries. */
class GuardedWorld {
  readonly w: TelegramWorld;
  #queries = 0;

  constructor(w: TelegramWorld) {
    this.w = w;
  }

  /** Requests to join. Returns the query, and the slug of the page once there is one. */
  async knock(chatId: string, userId: number, { isLate = false } = {}): Promise<string> {
    this.#queries += 1;
    const queryId = `q${this.#queries}`;
    const key = `${chatId}/${userId}`;
    if (!isLate) this.w.telegram.queries.set(queryId, key);
    this.w.telegram.waiting.add(key);
    const user = this.w.person(userId);
    await this.w.hear({ kind: 'join-requested', chatId, user, replyTo: String(userId), queryId });
    return queryId;
  }

  /** Runs what the job of a request does now; an error means that it is tried again. */
  async decide(chatId: string, userId: number, { isPageOver = false } = {}): Promise<unknown> {
    const row = await this.row(chatId, userId);
    const request = { communityId: communityKey('telegram', chatId), userId: String(userId), replyTo: String(userId) };
    const run = { attempt: 1, signal: new AbortController().signal };
    return decideJoin(this.w.ctx, { ...request, slug: row?.slug, isPageOver }, run).catch((error: unknown) => error);
  }

  async markShown(chatId: string, userId: number): Promise<void> {
    await this.w.services.db.pool.query(
      'update telegram_join_queries set page_at = $3 where community_id = $1 and user_id = $2',
      [communityKey('telegram', chatId), userKey('telegram', String(userId)), this.w.services.clock()],
    );
  }

  async row(chatId: string, userId: number) {
    const { rows } = await this.w.services.db.pool.query<{
      slug: string;
      outcome: string | null;
      page_at: Date | null;
    }>('select slug, outcome, page_at from telegram_join_queries where community_id = $1 and user_id = $2', [
      communityKey('telegram', chatId),
      userKey('telegram', String(userId)),
    ]);
    return rows[0];
  }

  open(slug: string, userId: number, ageSeconds = 0) {
    const seconds = Math.floor(this.w.services.clock().getTime() / 1000) - ageSeconds;
    const anyone = contextFor(this.w.services, { kind: 'anonymous' });
    return openJoinPage(anyone, { slug, body: { initData: `${userId}@${seconds}` } });
  }

  check(slug: string, userId: number) {
    return checkJoinRequest(this.as(userId), { slug });
  }

  as(userId: number): Context {
    return contextFor(this.w.services, {
      kind: 'user',
      userId: userKey('telegram', String(userId)),
      platform: 'telegram',
      scopes: ['user:wallet:write'],
      credential: 'connect-link',
    });
  }
}

const refusedAs = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

describe('a request to join a chat that the bot guards', () => {
  let g: GuardedWorld;
  before(async () => {
    g = new GuardedWorld(await TelegramWorld.open('guard'));
  });
  after(() => g.w.close());

  it('is approved at once for a person who qualifies, without a page', async () => {
    const { w } = g;
    const [chatId, ann] = [await w.newGatedChat(), await w.newHolder()];
    await g.knock(chatId, ann);
    await g.decide(chatId, ann);
    // The worker runs the same job at the same time, and only one of the two notes the outcome.
    await until('the outcome is noted', async () => (await g.row(chatId, ann))?.outcome === 'approved');
    assert.equal(w.isIn(chatId, ann), true);
    assert.equal(w.telegram.pages.length, 0);
  });

  it('opens a page for others, which names what is missing and lets them in once a wallet has it', async () => {
    const { w } = g;
    const [chatId, ben] = [await w.newGatedChat(), await w.newHolder('0')];
    await g.knock(chatId, ben);
    await until('the page is open', () => w.telegram.pages.some(([key]) => key === `${chatId}/${ben}`));
    const slug = (await g.row(chatId, ben))?.slug ?? '';
    assert.match(w.telegram.pages.at(-1)?.[1] ?? '', new RegExp(`^http://latchkey\\.test/telegram/join/${slug}$`));
    assert.deepEqual([w.isWaiting(chatId, ben), w.sentTo(ben).length], [true, 0]);
    const opened = await g.open(slug, ben);
    assert.equal(opened.communityName, 'Cat Club');
    const actor = await verifyAeToken(w.services, opened.token);
    assert.equal(actor.kind === 'user' && actor.userId, userKey('telegram', String(ben)));
    const needed = await g.check(slug, ben);
    assert.equal(needed.state, 'needed');
    assert.equal(needed.role?.paths[0]?.conditions[0]?.state, 'not-met');
    w.hold(ben, '1');
    assert.deepEqual(await g.check(slug, ben), { state: 'approved' });
    assert.equal(w.isIn(chatId, ben), true);
    assert.deepEqual(await g.check(slug, ben), { state: 'approved' }, 'again');
    w.telegram.host.removeMember(chatId, String(ben));
    assert.deepEqual(await g.check(slug, ben), { state: 'ended' });
  });

  it('is declined with the reason when the time on the page is up, and not before', async () => {
    const { w } = g;
    const [chatId, ben] = [await w.newGatedChat(), await w.newHolder('0')];
    await g.knock(chatId, ben);
    await until('the page is open', async () => (await g.row(chatId, ben))?.page_at);
    await g.decide(chatId, ben);
    assert.equal(w.isWaiting(chatId, ben), true);
    w.t.advanceSeconds(joinPageSeconds);
    await g.decide(chatId, ben);
    assert.equal(w.isWaiting(chatId, ben), false);
    assert.match(w.sentTo(ben)[0]?.text ?? '', /^Cat Club requires tokens/);
    assert.deepEqual(await g.check((await g.row(chatId, ben))?.slug ?? '', ben), { state: 'ended' });
  });

  it('is left open while something is unknown, at first and on the page, and decided later', async () => {
    const { w } = g;
    const [chatId, ann, ben] = [await w.newGatedChat(), await w.newHolder(), await w.newHolder('0')];
    await g.knock(chatId, ben);
    await until('the page is open', async () => (await g.row(chatId, ben))?.page_at);
    w.t.holdings.fail('evm:1', 'The node is down.');
    const slug = (await g.row(chatId, ben))?.slug ?? '';
    const { queueJoinRequest } = w.telegram.api;
    w.telegram.api.queueJoinRequest = () => Promise.reject(new PlatformFailed('unavailable', 'Telegram is down.'));
    await assert.rejects(g.check(slug, ben), refusedAs('UNAVAILABLE'));
    w.telegram.api.queueJoinRequest = queueJoinRequest;
    assert.equal((await g.check(slug, ben)).state, 'queued');
    await g.knock(chatId, ann);
    await until('it is queued', async () => (await g.row(chatId, ann))?.outcome === 'queued');
    assert.deepEqual(new Set(w.telegram.queued.slice(-2)), new Set([`${chatId}/${ann}`, `${chatId}/${ben}`]));
    assert.deepEqual([w.isWaiting(chatId, ann), w.isWaiting(chatId, ben)], [true, true]);
    w.t.holdings.fail('evm:1', undefined);
    await g.decide(chatId, ann);
    await g.decide(chatId, ben);
    assert.deepEqual([w.isIn(chatId, ann), w.isIn(chatId, ben), w.isWaiting(chatId, ben)], [true, false, false]);
  });

  it('is not declined by a second run of its job while the page of the first one is open', async () => {
    const { w } = g;
    const [chatId, ben] = [await w.newGatedChat(), await w.newHolder('0')];
    const { openJoinPage: openPage } = w.telegram.api;
    const isOpen = Promise.withResolvers<void>();
    w.telegram.api.openJoinPage = async (...page) => {
      // The second run evaluated at the same time, and finds that Telegram has had its answer.
      w.telegram.api.openJoinPage = () => isOpen.promise.then(() => false);
      const second = g.decide(chatId, ben);
      const result = await openPage(...page);
      void g.markShown(chatId, ben).then(isOpen.resolve);
      await second;
      return result;
    };
    await g.knock(chatId, ben);
    await until('the page is open', () => w.telegram.pages.some(([key]) => key === `${chatId}/${ben}`));
    await until('both runs have ended', async () => (await g.row(chatId, ben))?.page_at);
    w.telegram.api.openJoinPage = openPage;
    const row = await g.row(chatId, ben);
    assert.deepEqual([w.isWaiting(chatId, ben), row?.outcome, w.sentTo(ben).length], [true, null, 0]);
  });

  it('is left to its retries when the time on the page is up and it was queued there', async () => {
    const { w } = g;
    const [chatId, ben] = [await w.newGatedChat(), await w.newHolder('0')];
    await g.knock(chatId, ben);
    await until('the page is open', async () => (await g.row(chatId, ben))?.page_at);
    w.t.holdings.fail('evm:1', 'The node is down.');
    assert.equal((await g.check((await g.row(chatId, ben))?.slug ?? '', ben)).state, 'queued');
    w.t.advanceSeconds(joinPageSeconds);
    assert.equal(await g.decide(chatId, ben, { isPageOver: true }), undefined, 'one chain of retries is enough');
    assert.match(String(await g.decide(chatId, ben)), /cannot be read yet/);
    w.t.holdings.fail('evm:1', undefined);
    assert.equal(w.isWaiting(chatId, ben), true);
  });

  it('is an ordinary request if Telegram no longer waits for an answer', async () => {
    const { w } = g;
    const [chatId, ann, ben] = [await w.newGatedChat(), await w.newHolder(), await w.newHolder('0')];
    for (const user of [ann, ben]) await g.knock(chatId, user, { isLate: true });
    await until('both are decided', () => !w.isWaiting(chatId, ann) && !w.isWaiting(chatId, ben));
    assert.deepEqual([w.isIn(chatId, ann), w.isIn(chatId, ben)], [true, false]);
    assert.match(w.sentTo(ben)[0]?.text ?? '', /^Cat Club requires tokens/);
  });

  it('opens its page only for the person who requested, with fresh data that Telegram signed', async () => {
    const { w } = g;
    const [chatId, ben, mallory] = [await w.newGatedChat(), await w.newHolder('0'), await w.newHolder()];
    await g.knock(chatId, ben);
    await until('the page is open', async () => (await g.row(chatId, ben))?.page_at);
    const slug = (await g.row(chatId, ben))?.slug ?? '';
    await assert.rejects(g.open(slug, mallory), refusedAs('ENTITY_NOT_FOUND'));
    await assert.rejects(g.check(slug, mallory), refusedAs('ENTITY_NOT_FOUND'));
    await assert.rejects(g.open('made-up', ben), refusedAs('ENTITY_NOT_FOUND'));
    assert.equal((await findJoinPage(w.ctx, slug))?.page.slug, slug);
    for (const other of ['made-up', 'a\0b']) assert.equal(await findJoinPage(w.ctx, other), undefined);
    await assert.rejects(g.open(slug, ben, 301), refusedAs('INVALID_CREDENTIAL'));
    await assert.rejects(g.open(slug, ben, -61), refusedAs('INVALID_CREDENTIAL'));
    const anyone = contextFor(w.services, { kind: 'anonymous' });
    const unsigned = openJoinPage(anyone, { slug, body: { initData: 'unsigned' } });
    await assert.rejects(unsigned, refusedAs('INVALID_CREDENTIAL'));
    assert.equal(w.isIn(chatId, mallory), false);
    await g.knock(chatId, ben);
    await assert.rejects(g.open(slug, ben), refusedAs('ENTITY_NOT_FOUND'), 'a new request replaces the old page');
  });
});

describe('joins around the gate', () => {
  let w: TelegramWorld;
  before(async () => {
    w = await TelegramWorld.open('bypass');
  });
  after(() => w.close());

  it('are listed by the way that people took, and links of the bot can be revoked', async () => {
    const [chatId, ann, ben] = [await w.newGatedChat(), await w.newHolder(), await w.newHolder()];
    const communityId = communityKey('telegram', chatId);
    const admin = w.person(w.newNumber());
    const join = (user: number, way?: TelegramJoinWay) =>
      w.hear({ kind: 'joined', chatId, user: w.person(user), ...(way && { way }) });
    const own = (name: string) =>
      ({ kind: 'link', link: { url: `https://t.me/+${name}`, name, isOwn: true } }) as const;
    await join(ann);
    await join(ann, own(`for ${ann}`));
    assert.deepEqual((await listGateBypasses(w.ctx, { communityId })).items, []);
    const foreign = { kind: 'link', by: admin, link: { url: 'https://t.me/+ab...', isOwn: false } } as const;
    for (const user of [ann, ben]) await join(user, foreign);
    await join(ben, own(`for ${ann}`));
    await join(ben, { kind: 'public' });
    await join(ben, { kind: 'added', by: admin });
    const { items } = await listGateBypasses(w.ctx, { communityId });
    const found = Object.fromEntries(items.map(({ kind, joins, canRevoke }) => [kind, [joins, canRevoke]]));
    assert.deepEqual(found, {
      link: [2, false],
      'shared-invitation': [1, true],
      public: [1, false],
      added: [1, false],
    });
    const idOf = (kind: string) => items.find((item) => item.kind === kind)?.id ?? '';
    const revoked = await revokeGateBypass(w.ctx, { communityId, bypassId: idOf('shared-invitation') });
    assert.deepEqual([revoked.canRevoke, w.telegram.revoked], [false, [`https://t.me/+for ${ann}`]]);
    await revokeGateBypass(w.ctx, { communityId, bypassId: idOf('shared-invitation') });
    assert.equal(w.telegram.revoked.length, 1, 'once');
    const refused = revokeGateBypass(w.ctx, { communityId, bypassId: idOf('link') });
    await assert.rejects(refused, /Only people can revoke this link.*request.*Approval/i);
    await assert.rejects(revokeGateBypass(w.ctx, { communityId, bypassId: 'x' }), refusedAs('ENTITY_NOT_FOUND'));
  });

  it('keep nothing of a person who is erased, not even in the name of a link that others used', async () => {
    const [chatId, ann, ben] = [await w.newGatedChat(), await w.newHolder(), await w.newHolder()];
    const link = { url: 'https://t.me/+once', name: `for ${ann}`, isOwn: true };
    await w.hear({ kind: 'joined', chatId, user: w.person(ben), way: { kind: 'link', link } });
    const named = () => listGateBypasses(w.ctx, { communityId: communityKey('telegram', chatId) });
    assert.equal((await named()).items[0]?.linkName, `for ${ann}`);
    const userId = userKey('telegram', String(ann));
    await w.ctx.db.transaction('system', async (tx) => {
      for (const { forget } of telegramGateModule.erasures ?? []) await forget(w.ctx, tx, { userId } as never);
    });
    const [left] = (await named()).items;
    assert.deepEqual([left?.kind, left?.linkName, left?.joins], ['shared-invitation', undefined, 1]);
  });
});

describe('any mix of requests, wallets, sales, outages and invitations', () => {
  let g: GuardedWorld;
  before(async () => {
    g = new GuardedWorld(await TelegramWorld.open('gate-model'));
  });
  after(() => g.w.close());

  it('lets nobody in and declines nobody while unknown, and leaves no join around the gate unreported', async () => {
    const { w } = g;
    let state = seedNumber('telegram-gate');
    const draw = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const chatId = await w.newGatedChat();
    const communityId = communityKey('telegram', chatId);
    const people = await Promise.all(Array.from({ length: 6 }, async () => w.newHolder('0')));
    const holds = new Map(people.map((user) => [String(user), false]));
    let isDown = false;
    // Its jobs would change the truth between two steps; each step runs what a job does.
    await w.stopWorker();
    const wrong: string[] = [];
    const counts = { admitted: 0, declined: 0, bypasses: 0 };
    const { writeMember } = w.telegram.host;
    w.telegram.host.writeMember = (write, signal) => {
      const { isJoinRequest, userId, add } = write;
      if (!isJoinRequest) return writeMember(write, signal);
      const action = add.length > 0 ? 'admitted' : 'declined';
      counts[action] += 1;
      if (isDown) wrong.push(`${action} ${userId} while unknown`);
      else if (holds.get(userId) !== (action === 'admitted')) wrong.push(`${action} ${userId} against the rule`);
      return writeMember(write, signal);
    };
    const pick = () => people[draw(people.length)] ?? 0;
    const steps = [
      async () => {
        const user = pick();
        if (!w.isIn(chatId, user)) await g.knock(chatId, user, { isLate: draw(4) === 0 });
      },
      async () => {
        const user = pick();
        holds.set(String(user), !holds.get(String(user)));
        w.hold(user, holds.get(String(user)) ? '1' : '0');
      },
      async () => {
        isDown = draw(3) === 0;
        w.t.holdings.fail('evm:1', isDown ? 'The node is down.' : undefined);
      },
      async () => {
        const user = pick();
        const row = await g.row(chatId, user);
        if (row !== undefined) await g.check(row.slug, user);
      },
      async () => g.decide(chatId, pick()),
      async () => {
        w.t.advanceSeconds(draw(3) === 0 ? 30 : joinPageSeconds);
        for (const user of people) await g.decide(chatId, user);
      },
      async () => {
        const user = pick();
        if (w.isIn(chatId, user)) return;
        const ways: (TelegramJoinWay | undefined)[] = [
          { kind: 'public' },
          { kind: 'link', link: { url: 'https://t.me/+x', name: `for ${draw(2) === 0 ? user : 1}`, isOwn: true } },
          { kind: 'folder' },
        ];
        const way = ways[draw(ways.length)];
        w.telegram.host.addMember(chatId, String(user), ['member']);
        w.telegram.waiting.delete(`${chatId}/${user}`);
        w.t.advanceSeconds(1);
        await w.hear({ kind: 'joined', chatId, user: w.person(user), ...(way && { way }) });
        if (way?.link?.name !== `for ${user}`) counts.bypasses += 1;
      },
      async () => {
        for (const user of people) if (draw(2) === 0) w.telegram.host.removeMember(chatId, String(user));
      },
    ];
    for (let step = 0; step < volume(250, 3_000); step += 1) {
      await steps[draw(steps.length)]?.();
    }
    assert.deepEqual(wrong, []);
    const { items } = await listGateBypasses(w.ctx, { communityId });
    assert.equal(
      items.reduce((sum, { joins }) => sum + joins, 0),
      counts.bypasses,
    );
    assert.ok(counts.admitted > 3 && counts.declined > 3 && counts.bypasses > 3, JSON.stringify(counts));
  });
});
