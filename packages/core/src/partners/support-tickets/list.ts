import { AppError, addDays, parseTime } from '@latchkey/kernel';
import type { DeskQuery, DeskTicket, Helpdesk } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { askDesk, shownOwn } from './own-desk.ts';
import { selectOutside, selectOwn } from './queries.ts';
import { type GetAllTicketsResponse, type Ticket, toTicket } from './ticket.ts';

type ListContext = Pick<Context, 'actor' | 'clock' | 'helpdesk' | 'tx'>;

const ok = 200;
const maxTickets = 1_000;
/** Freshdesk's list without updated_since goes no further back. */
export const defaultDays = 30;

/** Lists tickets by Freshdesk's filters, for every desk. The operator sees all tickets, other callers their own. */
export async function listTickets(ctx: ListContext, query: DeskQuery): Promise<GetAllTicketsResponse> {
  const since = query.updatedSince === undefined ? undefined : timeOf(query.updatedSince);
  const data =
    ctx.helpdesk === undefined ? await listOwn(ctx, query, since) : await listOutside(ctx, ctx.helpdesk, query);
  return { data, status: ok };
}

async function listOwn(ctx: ListContext, query: DeskQuery, since: Date | undefined): Promise<Ticket[]> {
  // This desk has no watchers and no companies.
  if (query.filter === 'watching' || query.companyId !== undefined) return [];
  const window =
    since === undefined
      ? ({ column: 'created_at', at: addDays(ctx.clock(), -defaultDays) } as const)
      : ({ column: 'updated_at', at: since } as const);
  const include = new Set((query.include ?? '').split(','));
  const rows = await ctx.tx((tx) => selectOwn(tx, query, window, maxTickets));
  return rows.map((row) => shownOwn(row, include));
}

/**
 * At the external desk, a user sees the tickets that they opened through this server, and no others of their address.
 */
async function listOutside(ctx: ListContext, desk: Helpdesk, query: DeskQuery): Promise<Ticket[]> {
  if (ctx.actor.kind === 'admin') return (await askDesk(() => desk.list(query))).map(toTicket);
  const own = await ctx.tx((tx) => selectOutside(tx));
  const ids = new Set(own.map(({ id }) => id));
  const emails = [...new Set(own.map(({ email }) => email))].filter(
    (email) => query.email === undefined || query.email.toLowerCase() === email,
  );
  const found = await Promise.all(emails.map((email) => askDesk(() => desk.list({ ...query, email }))));
  return sorted(
    found.flat().filter(({ id }) => ids.has(id)),
    query,
  ).map(toTicket);
}

/** Several addresses are several lists, which are merged in the requested order. */
function sorted(
  tickets: readonly DeskTicket[],
  { orderBy = 'created_at', orderType = 'desc' }: DeskQuery,
): DeskTicket[] {
  const sign = orderType === 'asc' ? 1 : -1;
  const keyOf = (ticket: DeskTicket) =>
    orderBy === 'status' ? Number(ticket.status) : Date.parse(String(ticket[orderBy]));
  return tickets.toSorted((a, b) => sign * (keyOf(a) - keyOf(b) || a.id - b.id));
}

function timeOf(text: string): Date {
  const time = parseTime(text);
  if (time === undefined)
    throw new AppError('INVALID_PARAMETER_VALUE', 'updatedSince must be a time such as 2026-01-31T12:00:00Z.');
  return time;
}
