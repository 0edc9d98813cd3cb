import { enqueue } from '@latchkey/db';
import { AppError, addSeconds, principalId } from '@latchkey/kernel';
import { getCommunity } from '../../communities/community-records/index.ts';
import type { Helpdesk } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { mailTicket } from './jobs.ts';
import { askDesk, shownOwn } from './own-desk.ts';
import { countSince, insertTicket, lockCreator, nextTicketId, requesterOf, type TicketRow } from './queries.ts';
import { type PostTicket, type PostTicketResponse, type Ticket, toTicket } from './ticket.ts';

type CreateContext = Pick<Context, 'actor' | 'clock' | 'db' | 'helpdesk' | 'log' | 'tx'>;

/** Every ticket sends mail to the address in it, so the number per user is limited. */
export const dailyTickets = 20;
const daySeconds = 24 * 60 * 60;
const created = 201;

/** Opens a ticket at the external desk, or at our own, and mails it to the operator. */
export async function createTicket(ctx: CreateContext, { body }: { body: PostTicket }): Promise<PostTicketResponse> {
  const { id: communityId } = await ctx.tx((tx) => getCommunity(tx, body.communityId));
  const userId = principalId(ctx.actor);
  const email = body.email.toLowerCase();
  const data = ctx.helpdesk
    ? await openOutside(ctx, ctx.helpdesk, { ...body, communityId, email }, userId)
    : await openHere(ctx, { ...body, communityId, email }, userId);
  return { data, status: created };
}

async function openOutside(ctx: CreateContext, desk: Helpdesk, body: PostTicket, userId: string): Promise<Ticket> {
  const { communityId, requester_id, description, ...rest } = body;
  refuseMany(ctx, await countSince(ctx.db.system, userId, dayAgo(ctx)));
  const ticket = await askDesk(() =>
    desk.create({
      ...rest,
      status: body.status ?? 2,
      priority: body.priority ?? 1,
      // The desk would trust a requester id more than an address, and only the operator may act for others.
      ...(ctx.actor.kind === 'admin' && { requester_id }),
      // Help desks know nothing of communities: support staff read it at the end of the ticket.
      description: `${description}<p>Community: ${escapeHtml(communityId)}, asked by ${escapeHtml(userId)}</p>`,
    }),
  );
  await insertTicket(ctx.db.system, { ...emptyRow(ctx, body, userId), desk: 'freshdesk', id: ticket.id });
  return toTicket(ticket);
}

async function openHere(ctx: CreateContext, body: PostTicket, userId: string): Promise<Ticket> {
  const { priority = 1, status = 2, responder_id = null } = body;
  return ctx.db.transaction('system', async (tx) => {
    await lockCreator(tx, userId);
    refuseMany(ctx, await countSince(tx, userId, dayAgo(ctx)));
    const row: TicketRow = {
      ...emptyRow(ctx, body, userId),
      desk: 'own',
      id: await nextTicketId(tx),
      requester_id: await requesterOf(tx, body.email),
      content: contentOf(body),
      status,
      priority,
      responder_id,
      due_by: addSeconds(ctx.clock(), (dueHours[priority - 1] ?? 120) * 60 * 60),
    };
    await insertTicket(tx, row);
    await enqueue(tx, mailTicket, { ticketId: row.id });
    return shownOwn(row, new Set(['description']));
  });
}

/** By priority, from low to urgent. */
/** How soon a ticket is due, by its priority from 1 to 4. */
export const dueHours = [120, 72, 24, 4];

function contentOf(body: PostTicket): NonNullable<TicketRow['content']> {
  const { subject, description, type, tags, cc_emails, group_id, product_id, parent_id, custom_fields } = body;
  return { subject, description, type, tags, cc_emails, group_id, product_id, parent_id, custom_fields };
}

function emptyRow(
  ctx: CreateContext,
  { communityId, email }: PostTicket,
  userId: string,
): Omit<TicketRow, 'desk' | 'id'> {
  return {
    created_by_id: userId,
    community_id: communityId,
    email,
    requester_id: null,
    content: null,
    status: null,
    priority: null,
    responder_id: null,
    is_spam: false,
    is_deleted: false,
    due_by: null,
    created_at: ctx.clock(),
    updated_at: ctx.clock(),
  };
}

function refuseMany(ctx: CreateContext, count: number): void {
  if (count < dailyTickets || ctx.actor.kind === 'admin') return;
  throw new AppError('RATE_LIMITED', `You can open ${dailyTickets} tickets per day. Reply to an open ticket instead.`, {
    retryAfterSeconds: 3600,
  });
}

function dayAgo({ clock }: Pick<Context, 'clock'>): Date {
  return addSeconds(clock(), -daySeconds);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
