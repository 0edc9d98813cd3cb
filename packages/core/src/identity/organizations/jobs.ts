import { exponentialRetry, job, shape, T } from '@latchkey/kernel';
import { type Mail, MailFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { otpPlace, otpTtlSeconds } from './otp.ts';
import { selectLiveOtp } from './otp-queries.ts';

type MailContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'log' | 'mailer' | 'settings'>;

/** Mails a one-time password. The payload only has its id, since payloads are stored in plain text. */
export const mailOrganizationOtp = job(
  'dev-orgs.mail-otp',
  {
    payload: shape(T.Object({ otpId: T.String({ maxLength: 64 }) })),
    // All attempts fit into the ten minutes in which the password is valid.
    retry: exponentialRetry(7, 5, 120),
  },
  async (ctx: MailContext, { otpId }) => {
    const otp = await selectLiveOtp(ctx.db.system, otpId, ctx.clock());
    if (otp === undefined) return;
    const code = ctx.keyring.openText(otpPlace(otpId), otp.code);
    try {
      await ctx.mailer.send(compose(ctx.settings, otp.email, otpId, code));
    } catch (error) {
      if (!(error instanceof MailFailed) || error.retryable) throw error;
      // The address itself is wrong or rejects us, so a retry would fail as well. Addresses stay out of the log.
      ctx.log.warn('The mail server permanently rejected a one-time password e-mail.', { otpId });
    }
  },
);

export const devOrgJobs = [mailOrganizationOtp] as const;

// The organization's name is left out: its creator could use it to send arbitrary text to strangers.
function compose({ serviceName, baseUrl }: Context['settings'], to: string, otpId: string, code: string): Mail {
  return {
    to,
    subject: `${serviceName}: confirm your e-mail address`,
    text: [
      `Someone registered an organization with this e-mail address at ${serviceName} (${baseUrl}).`,
      '',
      `The one-time password is ${code}`,
      '',
      `It works once and expires after ${otpTtlSeconds / 60} minutes. Never share it: nobody from ${serviceName} will ask you for it.`,
      'If you did not request this e-mail, you can ignore it.',
      '',
    ].join('\n'),
    messageId: `<${otpId}@${new URL(baseUrl).hostname}>`,
  };
}
