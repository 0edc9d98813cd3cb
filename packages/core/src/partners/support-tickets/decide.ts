import { AppError, notFound } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { updateTicket } from './queries.ts';

const changes = {
  open: { status: 2, is_spam: false, is_deleted: false },
  resolve: { status: 4 },
  close: { status: 5 },
  spam: { is_spam: true },
  delete: { is_deleted: true },
} as const;

export type TicketDecision = keyof typeof changes;

export const ticketDecisions = Object.keys(changes) as TicketDecision[];

/** Applies the operator's decision about a ticket of our own desk. */
export async function decideTicket(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  { id, decision }: { id: number; decision: TicketDecision },
): Promise<void> {
  if (ctx.actor.kind !== 'admin') throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator can resolve tickets.');
  if (!(await updateTicket(ctx.db.system, id, changes[decision], ctx.clock()))) throw notFound('ticket');
}
