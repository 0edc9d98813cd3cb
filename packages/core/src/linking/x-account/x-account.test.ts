import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { type Guild, setUpGuild } from '../../gating/role-changes/testing/index.ts';
import { linkAttemptsModule } from '../../identity/link-attempts/index.ts';
import { listWallets } from '../../identity/wallets/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { alice, mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { unlinkAllWallets } from '../wallet-links/index.ts';
import { beginXLink, finishXLink, getXAccount, unlinkX } from './operations.ts';

const twitterRule = {
  roleId: 'known',
  scheme: 'twitter',
  asset: 'twitter:twitter/profile:data',
  variables: { _filter: { filters: [{ traits: [{ trait_type: 'followers_count', value: '$ >= 100' }] }] } },
};

describe('a linked X account', () => {
  let t: TestPlatform;
  /** Codes that X issued, with their account and challenge. Each works once. */
  const codes = new Map<string, { userId: string; name: string; challenge: string }>();
  let failure: PlatformFailed | undefined;

  before(async () => {
    t = await testPlatform('x-account');
    t.services.x = {
      kind: 'redirect',
      issuer: undefined,
      start: ({ state, redirectUri, codeChallenge }) =>
        `https://x.test/authorize?${new URLSearchParams({ state, redirectUri, codeChallenge })}`,
      finish: async ({ code, redirectUri, codeVerifier }) => {
        if (failure !== undefined) throw failure;
        const given = codes.get(code);
        codes.delete(code);
        const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
        if (given?.challenge !== challenge || redirectUri !== 'http://latchkey.test/account/x')
          throw new PlatformFailed('forbidden', 'X does not accept the code.');
        return { userId: given.userId, name: given.name };
      },
    };
  });
  after(() => t.close());
  beforeEach(async () => {
    failure = undefined;
    await t.services.db.pool.query('delete from wallet_connections');
    await t.services.db.pool.query('delete from account_link_attempts');
  });

  const refusal =
    (code: ErrorCode, text = /./) =>
    (error: unknown) =>
      error instanceof AppError && error.code === code && text.test(error.message);
  const finish = (actor: Actor, body: { state: string; code: string }) => finishXLink(t.as(actor), { body });

  let given = 0;

  /** Starts as a user, and approves it on X as an account there. */
  async function allow(actor: Actor, userId = '42', name = 'ann_x'): Promise<{ state: string; code: string }> {
    const { url, state } = await beginXLink(t.as(actor));
    const challenge = new URL(url).searchParams.get('codeChallenge') ?? '';
    const code = `code${given++}`;
    codes.set(code, { userId, name, challenge });
    return { state, code };
  }

  const memberOf = (guild: Guild, member: number): Actor => ({
    kind: 'user',
    userId: guild.idOf(member),
    platform: 'discord',
    scopes: ['$all'],
    credential: 'wallet-session',
  });

  it('meets a twitter rule, and takes the role with it when it is unlinked', async () => {
    const guild = await setUpGuild(t, { members: 2, rules: [twitterRule], withWallets: false });
    const profile = (followers: number) => ({
      kind: 'read' as const,
      amount: '1',
      tokens: [
        { id: '42', amount: '1', metadata: { attributes: [{ trait_type: 'followers_count', value: followers }] } },
      ],
    });
    t.holdings.set({ chain: 'twitter:twitter', standard: 'profile', reference: 'data', account: '42' }, profile(250));
    await guild.resync();
    assert.deepEqual(guild.rolesOf(0), []);
    const member = memberOf(guild, 0);
    const linked = await finish(member, await allow(member));
    assert.deepEqual([linked.isOffered, linked.account?.id, linked.account?.name], [true, '42', 'ann_x']);
    await guild.check();
    await guild.write();
    assert.deepEqual([guild.rolesOf(0), guild.rolesOf(1)], [['known'], []]);
    await unlinkX(t.as(member));
    await guild.check();
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), []);
    assert.deepEqual(await getXAccount(t.as(member)), { isOffered: true });
    await assert.rejects(unlinkX(t.as(member)), refusal('ENTITY_NOT_FOUND'));
  });

  it('is linked only by the user who started, and no one else ends the attempt', async () => {
    const attempt = await allow(alice);
    await assert.rejects(finish(mallory, attempt), refusal('ENTITY_NOT_FOUND'));
    assert.equal((await finish(alice, attempt)).account?.id, '42');
    assert.deepEqual(await getXAccount(t.as(mallory)), { isOffered: true });
  });

  it('is linked once per attempt, within 15 minutes, with its own code', async () => {
    const first = await allow(alice);
    const second = await allow(alice);
    await assert.rejects(finish(alice, { ...second, code: first.code }), refusal('VALIDATION_FAILED', /Start again/));
    await assert.rejects(finish(alice, second), refusal('ENTITY_NOT_FOUND'), 'a failed try consumes the attempt');
    const third = await allow(alice);
    await finish(alice, third);
    await assert.rejects(finish(alice, third), refusal('ENTITY_NOT_FOUND'));
    const late = await allow(alice);
    t.advanceSeconds(900);
    await assert.rejects(finish(alice, late), refusal('ENTITY_NOT_FOUND'));
    const oldest = await allow(alice);
    for (let newer = 0; newer < 5; newer += 1) {
      t.advanceSeconds(1);
      await beginXLink(t.as(alice));
    }
    await assert.rejects(finish(alice, oldest), refusal('ENTITY_NOT_FOUND'), 'only the newest five are valid');
  });

  it('is refused while another member of the same community has it, and available to users of other communities', async () => {
    const guild = await setUpGuild(t, { members: 2, rules: [twitterRule], withWallets: false });
    await guild.resync();
    const [ann, bob] = [memberOf(guild, 0), memberOf(guild, 1)];
    await finish(ann, await allow(ann));
    await assert.rejects(finish(bob, await allow(bob)), refusal('STATE_CONFLICT', /@ann_x is linked to another/));
    assert.equal((await finish(alice, await allow(alice))).account?.id, '42');
    await unlinkX(t.as(ann));
    assert.equal((await finish(bob, await allow(bob))).account?.id, '42');
  });

  it('is limited to one per user; a second waits until the first is unlinked, and the same one updates its name', async () => {
    await finish(alice, await allow(alice));
    await assert.rejects(
      finish(alice, await allow(alice, '43', 'other')),
      refusal('STATE_CONFLICT', /You have already linked @ann_x/),
    );
    assert.equal((await finish(alice, await allow(alice, '42', 'renamed'))).account?.name, 'renamed');
    const both = await Promise.allSettled(
      ['44', '45'].map(async (id) => {
        const actor = { ...mallory };
        return finish(actor, await allow(actor, id, `name${id}`));
      }),
    );
    assert.ok(both.filter(({ status }) => status === 'fulfilled').length <= 1);
  });

  it('is not a wallet: it is in no list of wallets, and stays when all wallets are unlinked', async () => {
    await finish(alice, await allow(alice));
    assert.deepEqual((await listWallets(t.as(alice), {})).items, []);
    await unlinkAllWallets(t.as(alice), async () => undefined);
    assert.equal((await getXAccount(t.as(alice))).account?.id, '42');
  });

  it('is undecided while X is down or rejects this server, and the reason is only in the log', async () => {
    const attempt = await allow(alice);
    failure = new PlatformFailed('unavailable', 'X did not answer.', 30);
    await assert.rejects(finish(alice, attempt), refusal('UNAVAILABLE', /Nothing was linked/));
    failure = new PlatformFailed('not-configured', 'X does not accept the client id and secret.');
    await assert.rejects(finish(alice, await allow(alice)), refusal('UNAVAILABLE', /Please contact the operator\./));
    assert.match(t.log.lines.at(-1) ?? '', /X does not accept the client id and secret/);
    const { x } = t.services;
    t.services.x = undefined;
    await assert.rejects(beginXLink(t.as(alice)), refusal('UNAVAILABLE', /LATCHKEY_X_CLIENT_ID/));
    assert.deepEqual(await getXAccount(t.as(alice)), { isOffered: false });
    t.services.x = x;
  });

  it('is audited without its id or name, and attempts are deleted with the user', async () => {
    await finish(alice, await allow(alice));
    await unlinkX(t.as(alice));
    const { rows } = await t.services.db.pool.query(
      `select action, target, details from audit_entries where action like 'x-account%' and who = 'DIS#USER#100'
       order by id desc limit 2`,
    );
    assert.deepEqual(
      rows.map(({ action, details }) => [action, details]),
      [
        ['x-account.unlink', {}],
        ['x-account.link', {}],
      ],
    );
    await beginXLink(t.as(alice));
    const [erasure] = linkAttemptsModule.erasures;
    await t.services.db.transaction('system', async (tx) =>
      erasure?.forget(t.as(alice), tx, { userId: 'DIS#USER#100' } as never),
    );
    const { rows: left } = await t.services.db.pool.query('select state_hash from account_link_attempts');
    assert.deepEqual(left, []);
  });
});
