import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { contextFor } from '../../shared/context.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createOrganization } from './create.ts';
import { ownerOfOrganization, ownOrganization, planOfOrganization, setPlan } from './index.ts';
import { mailOrganizationOtp } from './jobs.ts';
import { getOrganization, getOrganizations, listOrganizationOverviews, verifyOrganization } from './operations.ts';

describe('dev orgs', () => {
  type User = Extract<Actor, { kind: 'user' }>;

  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('dev-orgs');
  });
  after(() => t.close());

  let users = 0;
  function newUser(): User {
    users += 1;
    return {
      kind: 'user',
      userId: `DIS#USER#${1000 + users}`,
      platform: 'discord',
      scopes: ['$all'],
      credential: 'wallet-session',
    };
  }

  const system: Actor = { kind: 'system', job: 'dev-orgs.mail-otp' };
  const run = { id: '1', attempt: 1, signal: new AbortController().signal };

  function create(user: Actor, name = 'Acme', email = 'dev@acme.test') {
    return createOrganization(t.as(user), { body: { name, email } });
  }

  function verify(user: Actor, otp: string) {
    return verifyOrganization(t.as(user), { body: { otp } });
  }

  async function waitingJobs(user: User): Promise<{ otpId: string }[]> {
    const jobs = await t.services.db.system
      .selectFrom('jobs')
      .select('payload')
      .where('name', '=', mailOrganizationOtp.name)
      .where('group_id', '=', user.userId)
      .orderBy('id')
      .execute();
    return jobs.map((job) => job.payload as { otpId: string });
  }

  /** Runs the newest mail job of a user, as the worker would, and returns the password in the mail. */
  async function readMail(user: User): Promise<string> {
    const payload = (await waitingJobs(user)).at(-1);
    assert.ok(payload);
    await mailOrganizationOtp.run(t.as(system), payload, run);
    const code = /\b\d{6}\b/.exec(t.mails.at(-1)?.text ?? '')?.[0];
    assert.ok(code);
    return code;
  }

  function other(code: string): string {
    return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
  }

  function refusal(code: ErrorCode, retryAfterSeconds?: number) {
    return (error: unknown) => {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, code);
      if (retryAfterSeconds !== undefined) assert.equal(error.retryAfterSeconds, retryAfterSeconds);
      return true;
    };
  }

  async function isVerified(sk: string): Promise<boolean> {
    const row = await t.services.db.system
      .selectFrom('organizations')
      .select('verified_at')
      .where('id', '=', sk.slice('ORG#'.length))
      .executeTakeFirstOrThrow();
    return row.verified_at !== null;
  }

  describe('organizations', () => {
    it('a new one belongs to its creator, is on the free plan and is confirmed by the mailed password', async () => {
      const user = newUser();
      const made = await create(user);
      assert.match(made.sk, /^ORG#[0-9A-Za-z]{21}$/);
      assert.deepEqual([made.pk, made.userId, made.planId], [user.userId, user.userId, 'free']);
      assert.equal(made.createdTime, t.services.clock().getTime());
      assert.equal(await isVerified(made.sk), false);
      assert.deepEqual(await verify(user, await readMail(user)), made);
      assert.equal(await isVerified(made.sk), true);
      assert.deepEqual(await getOrganizations(t.as(user)), [made]);
      assert.deepEqual(await getOrganization(t.as(user), { orgId: made.sk }), made);
      assert.deepEqual(await getOrganization(t.as(user), { orgId: made.sk.slice(4) }), made);
    });

    it('its owner’s applications are notified that it was confirmed, once', async () => {
      const user = newUser();
      const { sk } = await create(user);
      await assert.rejects(verify(user, other(await readMail(user))), refusal('INVALID_OTP'));
      await verify(user, await readMail(user));
      const { db } = t.services;
      const events = await db.system.selectFrom('events').selectAll().where('owner_id', '=', user.userId).execute();
      const timestamp = t.services.clock().toISOString();
      assert.deepEqual(
        events.map(({ client_id, body }) => [client_id, JSON.parse(body)]),
        [[null, { type: 'organization.verified', timestamp, data: { organizationId: sk.slice(4) } }]],
      );
    });

    it('the id of another user in the body does not make that user the owner', async () => {
      const user = newUser();
      const body = { pk: mallory.kind === 'user' ? mallory.userId : '', name: 'Acme', email: 'dev@acme.test' };
      const made = await createOrganization(t.as(user), { body });
      assert.equal(made.userId, user.userId);
      assert.deepEqual(await getOrganizations(t.as(mallory)), []);
    });

    it('a stranger sees neither the organization nor its list, and cannot confirm it', async () => {
      const user = newUser();
      const { sk } = await create(user);
      const code = await readMail(user);
      assert.equal(await ownerOfOrganization(t.services, sk), user.userId);
      await assert.rejects(getOrganization(t.as(mallory), { orgId: sk }), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(verify(mallory, code), refusal('INVALID_OTP'));
      await assert.rejects(verify(operator, code), refusal('INVALID_OTP'));
      assert.deepEqual(await getOrganizations(t.as(mallory)), []);
      assert.deepEqual(await getOrganizations(t.as(operator)), []);
      assert.equal(await isVerified(sk), false);
      const asMallory = t.as(mallory);
      await assert.rejects(
        asMallory.tx((tx) => planOfOrganization(asMallory, tx, sk)),
        refusal('ENTITY_NOT_FOUND'),
      );
    });

    it('the row policies alone hide everything of a user from another', async () => {
      const user = newUser();
      const { sk } = await create(user);
      const { tx } = t.as(mallory);
      for (const table of ['organizations', 'organization_otps'] as const) {
        const visible = await tx((db) => db.selectFrom(table).select('created_by_id').execute());
        assert.ok(!visible.some((row) => row.created_by_id === user.userId), table);
      }
      const renamed = await tx((db) => db.updateTable('organizations').set({ name: 'Mine' }).executeTakeFirst());
      assert.equal(renamed.numUpdatedRows, 0n);
      assert.equal((await getOrganization(t.as(user), { orgId: sk })).name, 'Acme');
    });

    it('an invalid id is a missing organization', async () => {
      for (const orgId of ['', 'ORG#', 'x', `ORG#${'a'.repeat(22)}`, `${'a'.repeat(20)}\u0000`, "' or 1=1 --"]) {
        await assert.rejects(getOrganization(t.as(operator), { orgId }), refusal('ENTITY_NOT_FOUND'));
        assert.equal(await ownerOfOrganization(t.services, orgId), undefined);
      }
    });

    it('only three can be waiting for their password, even with concurrent requests', async () => {
      const user = newUser();
      const names = Array.from({ length: 5 }, (_, n) => `Acme ${n}`);
      const results = await Promise.allSettled(names.map((name) => create(user, name)));
      assert.equal(results.filter((result) => result.status === 'fulfilled').length, 3);
      assert.equal((await getOrganizations(t.as(user))).length, 3);
      await assert.rejects(create(user, 'One more'), refusal('RATE_LIMITED', 24 * 3600));
      t.advanceSeconds(24 * 3600);
      const late = await create(user, 'One more');
      assert.deepEqual(await getOrganizations(t.as(user)), [late]);
    });

    it('a rolled back request leaves no organization, no password and no mail', async () => {
      const user = newUser();
      const { db } = t.services;
      const halfway = db.transaction({ owner: user.userId }, async (tx) => {
        await createOrganization(contextFor(t.services, user, tx), { body: { name: 'Acme', email: 'dev@acme.test' } });
        throw new Error('The process died here.');
      });
      await assert.rejects(halfway, /died here/);
      assert.deepEqual(await getOrganizations(t.as(user)), []);
      assert.deepEqual(await waitingJobs(user), []);
      const passwords = db.system.selectFrom('organization_otps').select('id').where('created_by_id', '=', user.userId);
      assert.deepEqual(await passwords.execute(), []);
    });

    it('the operator alone moves one to another plan', async () => {
      const user = newUser();
      const { sk } = await create(user);
      await assert.rejects(setPlan(t.as(user), sk, 'paid'), refusal('ROLE_NOT_ALLOWED'));
      await assert.rejects(setPlan(t.as(operator), sk, 'golden'), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(setPlan(t.as(operator), 'a'.repeat(21), 'paid'), refusal('ENTITY_NOT_FOUND'));
      assert.equal((await setPlan(t.as(operator), sk, 'PLAN#paid')).planId, 'paid');
      const ctx = t.as(user);
      assert.equal((await ctx.tx((tx) => planOfOrganization(ctx, tx, sk))).maxApiKeys, 500);
      assert.equal((await ctx.tx((tx) => planOfOrganization(ctx, tx, undefined))).maxApiKeys, 5);
      assert.equal((await ctx.tx((tx) => ownOrganization(ctx, tx, sk))).plan_id, 'paid');
    });
  });

  describe('one-time passwords', () => {
    it('work once', async () => {
      const user = newUser();
      await create(user);
      const code = await readMail(user);
      const results = await Promise.allSettled(Array.from({ length: 10 }, () => verify(user, code)));
      assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
      await assert.rejects(verify(user, code), refusal('INVALID_OTP'));
    });

    it('work for ten minutes', async () => {
      const user = newUser();
      const first = await create(user);
      const firstCode = await readMail(user);
      t.advanceSeconds(599);
      await verify(user, firstCode);
      assert.equal(await isVerified(first.sk), true);
      const second = await create(user, 'Slow');
      const secondCode = await readMail(user);
      t.advanceSeconds(600);
      await assert.rejects(verify(user, secondCode), refusal('INVALID_OTP'));
      assert.equal(await isVerified(second.sk), false);
    });

    it('allow five wrong attempts, however fast, and then refuse even the right one', async () => {
      const user = newUser();
      const { sk } = await create(user);
      const code = await readMail(user);
      const guesses = await Promise.allSettled(Array.from({ length: 30 }, () => verify(user, other(code))));
      const codes = guesses.map((guess) => (guess.status === 'rejected' ? (guess.reason as AppError).code : 'open'));
      assert.equal(codes.filter((answer) => answer === 'INVALID_OTP').length, 5);
      assert.equal(codes.filter((answer) => answer === 'TOO_MANY_TRIES').length, 25);
      await assert.rejects(verify(user, code), refusal('TOO_MANY_TRIES'));
      assert.equal(await isVerified(sk), false);
    });

    it('are checked against every pending organization, and a wrong one counts on all of them', async () => {
      const user = newUser();
      const first = await create(user, 'First');
      const firstCode = await readMail(user);
      for (let n = 0; n < 3; n += 1) await assert.rejects(verify(user, other(firstCode)), refusal('INVALID_OTP'));
      const second = await create(user, 'Second');
      const secondCode = await readMail(user);
      for (let n = 0; n < 2; n += 1) await assert.rejects(verify(user, other(secondCode)), refusal('INVALID_OTP'));
      await assert.rejects(verify(user, firstCode), refusal('INVALID_OTP'));
      assert.equal((await verify(user, secondCode)).sk, second.sk);
      await assert.rejects(verify(user, firstCode), refusal('TOO_MANY_TRIES'));
      assert.equal(await isVerified(first.sk), false);
    });

    it('are replaced when the same organization is requested again, and the old one stops working', async () => {
      const user = newUser();
      const first = await create(user);
      const oldCode = await readMail(user);
      for (let n = 0; n < 5; n += 1) await assert.rejects(verify(user, other(oldCode)), refusal('INVALID_OTP'));
      assert.deepEqual(await create(user, 'Acme', 'DEV@acme.test'), first);
      const newCode = await readMail(user);
      assert.notEqual(newCode, oldCode);
      await assert.rejects(verify(user, oldCode), refusal('INVALID_OTP'));
      assert.equal((await verify(user, newCode)).sk, first.sk);
    });

    it('are mailed five times an hour at most, and the refusal says when the next one is possible', async () => {
      const user = newUser();
      await create(user);
      t.advanceSeconds(100);
      for (let n = 0; n < 4; n += 1) await create(user);
      t.advanceSeconds(1000);
      await assert.rejects(create(user), refusal('RATE_LIMITED', 2500));
      t.advanceSeconds(2499);
      await assert.rejects(create(user), refusal('RATE_LIMITED', 1));
      t.advanceSeconds(1);
      await create(user);
      await assert.rejects(create(user), refusal('RATE_LIMITED', 100));
    });

    it('are nowhere in plain text: not in the tables, not in the log', async () => {
      const user = newUser();
      await create(user, 'Secretive');
      const code = await readMail(user);
      const { system: db } = t.services.db;
      const passwords = await db.selectFrom('organization_otps').selectAll().execute();
      const stored = [passwords, await db.selectFrom('jobs').selectAll().execute(), t.log.lines];
      assert.ok(passwords.length > 0);
      assert.ok(!JSON.stringify(stored).includes(code));
      await verify(user, code);
      const left = db.selectFrom('organization_otps').select('code').where('created_by_id', '=', user.userId);
      assert.deepEqual(await left.execute(), [{ code: null }]);
    });
  });

  it('shows a person which of their organizations are confirmed, and what the plans allow', async () => {
    const user = newUser();
    await create(user);
    const states = async () => (await listOrganizationOverviews(t.as(user))).map(({ isVerified }) => isVerified);
    assert.deepEqual(await states(), [false]);
    await verify(user, await readMail(user));
    assert.deepEqual(await states(), [true]);
    const [{ maxApps, planName } = { maxApps: 0, planName: '' }] = await listOrganizationOverviews(t.as(user));
    assert.ok(maxApps > 0 && planName !== '');
    assert.deepEqual(await listOrganizationOverviews(t.as(newUser())), []);
  });
});
