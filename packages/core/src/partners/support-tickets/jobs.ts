import { exponentialRetry, job, shape, T } from '@latchkey/kernel';
import { type Mail, MailFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { adminMessages as t } from '../../shared/messages/index.ts';
import { selectTicket, type TicketRow } from './queries.ts';

type MailContext = Pick<Context, 'db' | 'log' | 'mailer' | 'settings'>;

/** Notifies the operator of a ticket. The payload only contains its id, since payloads are stored in plain text. */
export const mailTicket = job(
  'support-tickets.mail',
  { payload: shape(T.Object({ ticketId: T.Integer({ minimum: 1 }) })), retry: exponentialRetry(12, 5, 3600) },
  async (ctx: MailContext, { ticketId }) => {
    const to = ctx.settings.partners?.supportEmail;
    const ticket = await selectTicket(ctx.db.system, ticketId);
    if (to === undefined || ticket === undefined) return;
    try {
      await ctx.mailer.send(compose(ctx.settings, to, ticket));
    } catch (error) {
      if (!(error instanceof MailFailed) || error.retryable) throw error;
      ctx.log.warn('The mail server permanently rejected the e-mail about a support ticket.', { ticketId });
    }
  },
);

export const supportTicketJobs = [mailTicket] as const;

function compose({ serviceName, baseUrl }: Context['settings'], to: string, ticket: TicketRow): Mail {
  const { subject = '', description = '' } = ticket.content ?? {};
  // A line break in a subject would start another header.
  const line = subject.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return {
    to,
    subject: `[${serviceName} #${ticket.id}] ${line}`,
    text: [
      t('mail.ticket', { email: ticket.email, service: serviceName, url: baseUrl }),
      '',
      `Ticket:    ${ticket.id}, priority ${ticket.priority}`,
      `Community: ${ticket.community_id}`,
      `User:      ${ticket.created_by_id}`,
      '',
      description,
      '',
    ].join('\n'),
    messageId: `<ticket-${ticket.id}@${new URL(baseUrl).hostname}>`,
  };
}
