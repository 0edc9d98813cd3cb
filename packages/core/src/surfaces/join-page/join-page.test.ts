import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { verifyAeToken } from '../../identity/credentials/index.ts';
import { PlatformFailed, type TelegramJoinWay } from '../../ports/index.ts';
import { contextFor } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { joinPageSeconds } from '../telegram/decide-join.ts';
import { TelegramWorld } from '../telegram/testing-world.ts';
import { telegramGateModule } from '../telegram-gate/index.ts';
import { listGateBypasses, revokeGateBypass } from '../telegram-gate/operations.ts';
import { findJoinPage } from './open-page.ts';
import { openJoinPage } from './operations.ts';
import { GuardedWorld } from './testing.ts';

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
