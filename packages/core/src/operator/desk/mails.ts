import { choice, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';

const mostMails = 50;

export const MailState = record('MailState', 'Where mails go, and what the built-in catcher holds.', {
  delivery: choice('server: to a mail server; catcher: they are kept here and not sent; none: every mail fails.', [
    'server',
    'catcher',
    'none',
  ]),
  isCatcherReached: T.Boolean({ description: 'Whether the catcher answered; false where there is none.' }),
  caught: T.Array(
    record('CaughtMail', 'A mail that was caught instead of being sent.', {
      to: texts('Whom it was for.'),
      subject: text('Its subject.', { maxLength: 1000 }),
      text: text('Its text.', { maxLength: 200_000 }),
      receivedTime: text('When, in ISO 8601.'),
    }),
    { description: 'The last mails that the catcher holds, newest first.', maxItems: mostMails },
  ),
});
export type MailState = ValueOf<typeof MailState>;

export async function getMails({ installation }: Pick<Context, 'installation'>): Promise<MailState> {
  const caught = installation.mail === 'catcher' ? await installation.caughtMails() : undefined;
  return {
    delivery: installation.mail,
    isCatcherReached: caught !== undefined,
    caught: (caught ?? []).slice(0, mostMails).map((mail) => ({
      to: [...mail.to],
      subject: mail.subject,
      text: mail.text.trim(),
      receivedTime: mail.receivedAt,
    })),
  };
}
