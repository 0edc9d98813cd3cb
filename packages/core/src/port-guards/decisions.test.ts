import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Actor, AppError } from '@latchkey/kernel';
import { seedNumber, volume } from '@latchkey/test-kit';
import { checkKey } from '../billing/payments/check-key.ts';
import { stripeWebhook } from '../billing/payments/operations.ts';
import { noTerms, upsertSubscription } from '../billing/payments/queries.ts';
import { syncPayment } from '../billing/payments/sync.ts';
import { confirmAdmins } from '../communities/access/confirm-admins.ts';
import { requireCommunityAdmin } from '../communities/access/guards.ts';
import { newCommunity } from '../communities/community/testing.ts';
import { checkRoles } from '../gating/access-control/check-roles.ts';
import { erc20Rule, setUpGuild } from '../gating/role-changes/testing/index.ts';
import { createLinkChallenge } from '../identity/wallets/link-message.ts';
import { askInOtherBrowser, beginHandoff, proveInOtherBrowser } from '../linking/device-handoffs/operations.ts';
import { getChallenge, loginBySiwe } from '../linking/ethereum-login/operations.ts';
import { linkWallet } from '../linking/wallet-links/link-wallet.ts';
import { connectWallet } from '../linking/wallet-manager/connect-wallet.ts';
import { connectMarketplaceWallet, generateMagicCode } from '../linking/wallet-manager/operations.ts';
import { type CardPayments, type Locks, type Marketplace, type NameService, PlatformFailed } from '../ports/index.ts';
import { ensureSigningKeys } from '../services/signing-keys/index.ts';
import { contextFor, type Services } from '../shared/context.ts';
import { serveInteraction } from '../surfaces/discord-interactions/index.ts';
import { alice, nobody, operator, type TestPlatform, testPlatform, testSignature } from '../testing/index.ts';
import { guardPorts } from './index.ts';
import { type Breakable, breakable, type Fault, faults } from './testing/faults.ts';

/** Returns the faults that one decision is tested with: a few that the seed chooses, all of them in the deep run. */
function someFaults(decision: string): readonly Fault[] {
  const first = seedNumber(decision) % faults.length;
  const turned = [...faults.slice(first), ...faults.slice(0, first)];
  const step = Math.max(1, Math.floor(turned.length / volume(5, turned.length)));
  return turned.filter((_fault, place) => place % step === 0);
}

const hours = (count: number) => count * 60 * 60;
const numbers = Array.from({ length: 10_000 }, (_, number) => number).values();
const newNumber = () => numbers.next().value ?? assert.fail('There are more people than numbers.');
const newAddress = () => `0x${(0xabc000 + newNumber()).toString(16).padStart(40, '0')}`;
const unavailable = (error: unknown) => error instanceof AppError && error.code === 'UNAVAILABLE';
const onlyUndecided = (error: unknown) => {
  if (!(error instanceof PlatformFailed && error.kind === 'unavailable')) throw error;
};

describe('while a port fails', () => {
  let t: TestPlatform;
  let guarded: Services;
  let wallets: Breakable<Services['wallets']['evm']>;
  let holdings: Breakable<TestPlatform['holdings']>;
  let host: Breakable<TestPlatform['host']>;
  let names: Breakable<NameService>;
  let market: Breakable<Marketplace>;
  let locks: Breakable<Locks>;
  let cards: Breakable<CardPayments>;
  let profile = '';
  const as = (actor: Actor) => contextFor(guarded, actor);

  before(async () => {
    t = await testPlatform('port-faults');
    await ensureSigningKeys(t.services);
    wallets = breakable(t.services.wallets.evm);
    holdings = breakable(t.holdings);
    host = breakable(t.host);
    names = breakable<NameService>({
      namespace: 'evm',
      resolve: async () => ({ kind: 'found', address: `0x${'1'.repeat(40)}` }),
    });
    market = breakable<Marketplace>({ readProfile: async () => ({ kind: 'read', text: profile }) });
    locks = breakable<Locks>({ checkoutUrl: () => '', keyUntil: async () => new Date('2027-01-01') });
    cards = breakable({
      subscription: async () => assert.fail('It is broken in every test.'),
      readEvent: () => assert.fail('It is broken in every test.'),
    } as unknown as CardPayments);
    const broken: Services = {
      ...t.services,
      wallets: { evm: wallets.port },
      holdings: holdings.port,
      hosts: { discord: host.port },
      names: names.port,
      marketplaces: { opensea: market.port },
      locks: locks.port,
      cards: cards.port,
    };
    guarded = guardPorts(broken, { questionMs: 5, batchMs: 5 });
  });
  after(() => t.close());

  it('no wallet is refused, and its message can be signed in with afterwards', async () => {
    for (const fault of someFaults('sign-in')) {
      const address = newAddress();
      const { requestId = '', message = '' } = await getChallenge(as(nobody), {
        body: { accountId: `evm:1:${address}` },
      });
      const logIn = () => loginBySiwe(as(nobody), { body: { requestId, signature: testSignature(address, message) } });
      wallets.fail('verify', fault);
      await assert.rejects(logIn, unavailable, fault.name);
      wallets.fail('verify', undefined);
      assert.ok((await logIn()).idToken, fault.name);
      await assert.rejects(logIn, { code: 'INVALID_CREDENTIAL' }, 'the verdict consumed the message');
    }
  });

  it('no wallet is refused, and its message can be linked with afterwards', async () => {
    for (const fault of someFaults('link')) {
      const address = newAddress();
      const message = await createLinkChallenge(as(alice));
      const signature = testSignature(address, message);
      const link = () =>
        linkWallet(as(alice), { namespace: 'evm', chain: '1', address, message, signature }, async () => undefined);
      const connect = () => connectWallet(as(alice), { body: { accountId: `evm:1:${address}`, message, signature } });
      wallets.fail('verify', fault);
      await assert.rejects(link, unavailable, fault.name);
      await assert.rejects(connect, unavailable, fault.name);
      wallets.fail('verify', undefined);
      assert.deepEqual((await connect()) satisfies object, await connected(address), fault.name);
      await assert.rejects(link, { code: 'INVALID_CREDENTIAL' });
    }

    async function connected(address: string) {
      const { code, success, connection, message } = {
        code: 'CONNECTED',
        success: true,
        message: 'The wallet is linked now.',
        connection: {
          user: { platform: 'discord', id: '100', userPk: 'DIS#USER#100', name: 'alice' },
          address,
          accountId: `evm:1:${address}`,
        },
      };
      return { success, code, message, address, connection };
    }
  });

  it('a contract whose owner cannot be read does not consume the message', async () => {
    for (const fault of someFaults('safe owner')) {
      const [safe, signer] = [newAddress(), newAddress()];
      const requested = { accountId: `evm:1:${safe}`, gnosisSignerAddress: signer };
      const { message = '' } = (await connectWallet(as(alice), { body: requested })) as { message?: string };
      const body = { ...requested, message, signature: testSignature(signer, message), verifyOnly: true };
      holdings.fail('read', fault);
      await assert.rejects(() => connectWallet(as(alice), { body }), unavailable, fault.name);
      holdings.fail('read', undefined);
      t.holdings.set({ chain: 'evm:1', standard: 'safe', reference: safe, account: signer }, '1');
      assert.equal(((await connectWallet(as(alice), { body })) as { code?: string }).code, 'VERIFIED', fault.name);
    }
  });

  it('a proof in another browser is not refused, and can be sent again', async () => {
    for (const fault of someFaults('handoff')) {
      for (const [actor, purpose] of [
        [alice, 'link'],
        [nobody, 'sign-in'],
      ] as const) {
        const accountId = `evm:1:${newAddress()}`;
        const { url } = await beginHandoff(as(actor), { body: { purpose } });
        const ticket = url.split('/').at(-1) ?? '';
        const { message, state } = await askInOtherBrowser(as(nobody), { body: { ticket, accountId } });
        const signature = testSignature(accountId.slice('evm:1:'.length), message);
        const prove = () => proveInOtherBrowser(as(nobody), { body: { ticket, accountId, state, signature } });
        wallets.fail('verify', fault);
        await assert.rejects(prove, unavailable, fault.name);
        wallets.fail('verify', undefined);
        assert.match((await prove()).code, /^\d{6}$/, fault.name);
      }
    }
  });

  it('an unreadable profile leaves its code valid', async () => {
    for (const fault of someFaults('profile')) {
      const account = newAddress();
      const requested = { marketplace: 'opensea', account };
      const { magicCode } = await generateMagicCode(as(alice), { body: requested as never });
      profile = `I am ${magicCode}.`;
      const connect = () => connectMarketplaceWallet(as(alice), { body: { ...requested, magicCode } });
      market.fail('readProfile', fault);
      await assert.rejects(connect, unavailable, fault.name);
      market.fail('readProfile', undefined);
      assert.equal((await connect()).code, 'CONNECTED', fault.name);
    }
  });

  it('no member loses a role because holdings cannot be read', async () => {
    for (const fault of someFaults('holdings')) {
      const guild = await setUpGuild(
        { services: guarded, holdings: t.holdings, host: t.host },
        {
          members: 2,
          roles: () => ['gold'],
        },
      );
      guild.hold(0, '1');
      holdings.fail('read', fault);
      await guild.resync();
      assert.deepEqual([guild.rolesOf(0), guild.rolesOf(1), guild.writes()], [['gold'], ['gold'], []], fault.name);
      holdings.fail('read', undefined);
      await guild.resync();
      assert.deepEqual([guild.rolesOf(0), guild.rolesOf(1)], [['gold'], []], fault.name);
    }
  });

  it('no member counts as gone or loses a role because the platform is unreachable', async () => {
    for (const method of ['readMember', 'readMembers', 'writeMember', 'readRoles', 'findFaults'] as const) {
      for (const fault of someFaults(`presence ${method}`)) {
        const guild = await setUpGuild(
          { services: guarded, holdings: t.holdings, host: t.host },
          {
            members: 2,
            roles: () => ['gold'],
          },
        );
        guild.hold(0, '1');
        guild.hold(1, '1');
        await guild.resync();
        host.fail(method, fault);
        await guild.resync().catch(onlyUndecided);
        host.fail(method, undefined);
        const left = await t.services.db.system
          .selectFrom('community_members')
          .select('user_id')
          .where('community_id', '=', guild.id)
          .where('left_at', 'is not', null)
          .execute();
        assert.deepEqual(
          [left, guild.rolesOf(0), guild.rolesOf(1)],
          [[], ['gold'], ['gold']],
          `${method} ${fault.name}`,
        );
      }
    }
  });

  it('a role whose removal is uncertain is checked again', async () => {
    for (const fault of someFaults('write')) {
      const guild = await setUpGuild(
        { services: guarded, holdings: t.holdings, host: t.host },
        {
          members: 1,
          roles: () => ['gold'],
        },
      );
      host.fail('writeMember', fault);
      await guild.resync();
      host.fail('writeMember', undefined);
      assert.deepEqual(guild.rolesOf(0), ['gold']);
      const items = await t.services.db.system
        .selectFrom('change_set_items')
        .select(['state'])
        .where('community_id', '=', guild.id)
        .execute();
      assert.ok(
        items.length > 0 && items.every(({ state }) => state === 'pending' || state === 'sent'),
        `${fault.name} ${JSON.stringify(items)}`,
      );
    }
  });

  it('no admin is demoted, and after a day without a response the error names the platform', async () => {
    for (const fault of someFaults('admins')) {
      const { id, owner } = await newCommunity(t);
      await confirmAdmins(t.services, id);
      const admins = () =>
        t.services.db.system.selectFrom('community_admins').select('user_id').where('community_id', '=', id).execute();
      const before = await admins();
      host.fail('administers', fault);
      await confirmAdmins(guarded, id);
      await requireCommunityAdmin(as(owner), id);
      t.advanceSeconds(hours(25));
      await assert.rejects(() => requireCommunityAdmin(as(owner), id), unavailable, fault.name);
      host.fail('administers', undefined);
      assert.deepEqual(await admins(), before, fault.name);
      await requireCommunityAdmin(as(owner), id);
    }
  });

  it('a rule check returns unknown, not false', async () => {
    for (const fault of someFaults('check-roles')) {
      const { roleId: _role, ...rule } = erc20Rule('gold');
      const body = { account: newAddress(), rules: [{ ...rule, id: 'r' }] } as never;
      holdings.fail('read', fault);
      const answer = await checkRoles(as(operator), { body });
      holdings.fail('read', undefined);
      const [role] = answer.roles ?? [];
      assert.deepEqual(
        [role?.granted ?? false, (answer as { errors?: unknown[] }).errors?.length ?? 0],
        [false, 1],
        fault.name,
      );
    }
  });

  it('an unresolvable name returns unknown, not false', async () => {
    for (const fault of [
      ...someFaults('names'),
      { name: 'answers no account', method: async () => ({ kind: 'found', address: 'x' }) },
    ]) {
      const { roleId: _role, ...rule } = erc20Rule('gold');
      const body = { account: `n${newNumber()}.eth`, rules: [{ ...rule, id: 'r' }] } as never;
      names.fail('resolve', fault);
      const answer = await checkRoles(as(operator), { body });
      names.fail('resolve', undefined);
      assert.equal(
        (answer as { errors?: unknown[] }).errors?.length ?? 0,
        1,
        `${fault.name} ${JSON.stringify(answer)}`,
      );
    }
  });

  it('no subscription ends, with either payment provider', async () => {
    const { db, clock } = t.services;
    const { id: planId } = await db.system.selectFrom('plans').select('id').limit(1).executeTakeFirstOrThrow();
    const isActive = async (id: string) =>
      (await db.system.selectFrom('payment_subscriptions').select('is_active').where('id', '=', id).executeTakeFirst())
        ?.is_active;
    for (const provider of ['unlock', 'stripe'] as const) {
      for (const fault of someFaults(`subscription ${provider}`)) {
        const id = provider === 'unlock' ? `1:0x${'2'.repeat(40)}:${newAddress()}` : `sub_${newNumber()}`;
        const now = clock();
        const dates = { began_at: now, paid_until: now, cancel_on: null, check_at: now };
        const row = { id, created_by_id: 'DIS#USER#100', provider, plan_id: planId, subscriber_id: `DIS#COMM#${id}` };
        await db.transaction('system', (tx) =>
          upsertSubscription(tx, { ...row, ...noTerms, ...dates, is_active: true }),
        );
        if (provider === 'unlock') {
          locks.fail('keyUntil', fault);
          assert.equal(await checkKey(as(operator), id), true, fault.name);
        } else {
          cards.fail('subscription', fault);
          const attempt = { id: 'job', attempt: 1, signal: new AbortController().signal };
          await assert.rejects(
            async () => syncPayment.run(as(operator), { kind: 'subscription', id }, attempt),
            { name: 'PaymentsFailed' },
            fault.name,
          );
        }
        assert.equal(await isActive(id), true, fault.name);
      }
    }
  });

  it('no webhook is reported as forged', async () => {
    // These verify synchronously, so a promise is one more kind of garbage.
    for (const fault of someFaults('webhooks')) {
      cards.fail('readEvent', fault);
      const posted = { 'Stripe-Signature': 'sig', body: new Uint8Array() };
      await assert.rejects(() => stripeWebhook(as(nobody), posted), unavailable, fault.name);
      if (!/^(throws|rejects)/.test(fault.name)) continue;
      const request = { signature: '', timestamp: '', rawBody: new Uint8Array() };
      const verify = fault.method as () => boolean;
      await assert.rejects(() => serveInteraction(guarded, verify, request), unavailable, fault.name);
    }
  });
});
