import { exponentialRetry, job, shape, T } from '@latchkey/kernel';
import { type Mail, MailFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { adminMessages as t } from '../../shared/messages/index.ts';
import { otpPlace, otpTtlSeconds, selectLiveOtp } from './otp.ts';

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
    subject: t('mail.confirmAddress', { service: serviceName }),
    text: [
      t('mail.registered', { service: serviceName, url: baseUrl }),
      '',
      t('mail.oneTimePassword', { code }),
      '',
      t('mail.oneTimePasswordUse', { minutes: otpTtlSeconds / 60, service: serviceName }),
      t('mail.ignore'),
      '',
    ].join('\n'),
    messageId: `<${otpId}@${new URL(baseUrl).hostname}>`,
  };
}
