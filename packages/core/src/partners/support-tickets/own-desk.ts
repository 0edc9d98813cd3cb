import { AppError } from '@latchkey/kernel';
import { DeskFailed } from '../../ports/index.ts';
import type { TicketRow } from './queries.ts';
import type { Ticket } from './ticket.ts';

const [resolved, closed] = [4, 5];

/** Converts a ticket of our own desk to Freshdesk's form, with the requested extras. */
export function shownOwn(row: TicketRow, include: ReadonlySet<string>): Ticket {
  const { description = '', subject, ...content } = row.content ?? { subject: '' };
  return dropEmpty({
    ...content,
    id: row.id,
    subject,
    status: row.status,
    priority: row.priority,
    requester_id: row.requester_id,
    responder_id: row.responder_id,
    spam: row.is_spam,
    deleted: row.is_deleted,
    due_by: row.due_by?.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    ...(include.has('description') && { description, description_text: withoutTags(description) }),
    ...(include.has('requester') && {
      requester: { id: row.requester_id, name: row.email.split('@')[0], email: row.email },
    }),
    ...(include.has('stats') && { stats: statsOf(row) }),
    ...(include.has('company') && { company: { name: row.community_id } }),
  });
}

// Only the time of the last change is stored, which for a finished ticket is when it was finished.
function statsOf({ status, updated_at }: TicketRow): Ticket['stats'] {
  const at = updated_at.toISOString();
  return {
    ...(status !== null && status >= resolved && { resolved_at: at }),
    ...(status === closed && { closed_at: at }),
  };
}

function withoutTags(html: string): string {
  return html
    .replace(/<[^>]{0,1000}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function dropEmpty(ticket: Record<string, unknown>): Ticket {
  return Object.fromEntries(Object.entries(ticket).filter(([, value]) => value !== null && value !== undefined));
}

/** Calls the external desk, and throws an API error if it does not respond or refuses. */
export async function askDesk<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof DeskFailed)) throw error;
    const { kind, message, retryAfterSeconds = 30 } = error;
    throw kind === 'refused'
      ? new AppError('VALIDATION_FAILED', message, { cause: error })
      : new AppError('UNAVAILABLE', message, { retryAfterSeconds, cause: error });
  }
}
