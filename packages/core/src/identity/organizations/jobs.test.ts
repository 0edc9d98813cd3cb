import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { MailFailed } from '../../ports/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createOrganization } from './create.ts';
import { mailOrganizationOtp } from './jobs.ts';

describe('dev orgs: jobs', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('otp mails');
  });
  after(() => t.close());

  const system: Actor = { kind: 'system', job: 'dev-orgs.mail-otp' };
  const run = { id: '1', attempt: 1, signal: new AbortController().signal };

  /** Requests an organization this many times, and returns the payloads of the resulting mail jobs. */
  async function ask(times: number, { name = 'Acme', email = 'dev@acme.test' } = {}): Promise<{ otpId: string }[]> {
    const userId = `DIS#USER#${t.services.random.id()}`;
    const ctx = t.as({ kind: 'user', userId, platform: 'discord', scopes: ['$all'], credential: 'wallet-session' });
    for (let n = 0; n < times; n += 1) await createOrganization(ctx, { body: { name, email } });
    const jobs = t.services.db.system.selectFrom('jobs').select('payload').where('group_id', '=', userId).orderBy('id');
    return (await jobs.execute()).map((job) => job.payload as { otpId: string });
  }

  describe('the mail', () => {
    it('names the server, the password and its lifetime, and nothing the creator wrote', async () => {
      const [payload] = await ask(1, { name: 'Visit evil.test now', email: 'victim@mail.test' });
      assert.ok(payload);
      await mailOrganizationOtp.run(t.as(system), payload, run);
      const mail = t.mails.at(-1);
      const code = /password is (\d{6})$/m.exec(mail?.text ?? '')?.[1];
      assert.ok(code);
      assert.equal(mail?.to, 'victim@mail.test');
      for (const part of ['Latchkey', 'http://latchkey.test', '10 minutes', 'ignore it'])
        assert.ok(mail?.text.includes(part), part);
      assert.ok(!mail?.subject.includes(code));
      assert.ok(!`${mail?.subject}${mail?.text}`.includes('evil.test'));
    });

    it('is not sent for a password that was replaced or has expired', async () => {
      const [replaced, current] = await ask(2);
      assert.ok(replaced && current);
      const mailsBefore = t.mails.length;
      await mailOrganizationOtp.run(t.as(system), replaced, run);
      t.advanceSeconds(600);
      await mailOrganizationOtp.run(t.as(system), current, run);
      await mailOrganizationOtp.run(t.as(system), { otpId: 'unknown' }, run);
      assert.equal(t.mails.length, mailsBefore);
    });

    it('is retried when the mail server is busy, and dropped without naming the address when it refuses', async () => {
      const [payload] = await ask(1, { email: 'secret-address@acme.test' });
      assert.ok(payload);
      const failing = (retryable: boolean) => ({
        ...t.as(system),
        mailer: { send: () => Promise.reject(new MailFailed('Not now.', { retryable })) },
      });
      await assert.rejects(mailOrganizationOtp.run(failing(true), payload, run), MailFailed);
      await mailOrganizationOtp.run(failing(false), payload, run);
      assert.match(t.log.lines.at(-1) ?? '', /rejected a one-time password/);
      assert.ok(!t.log.lines.join().includes('secret-address'));
    });
  });
});
