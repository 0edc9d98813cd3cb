import { DeskFailed, type DeskQuery, type DeskTicket, type Helpdesk } from '@latchkey/core/ports';
import { askFreshdesk, type FreshdeskOptions } from './ask-freshdesk.ts';

/** The most that Freshdesk gives at once, and how many such pages are read at the most. */
const perPage = 100;
const maxPages = 10;

/** Freshdesk's second API, with the key of an agent. */
export function createFreshdesk(options: FreshdeskOptions): Helpdesk {
  return {
    create: async (ticket, signal) => {
      const { body } = await askFreshdesk(options, { method: 'POST', path: '/tickets', body: ticket, signal });
      return asTicket(body);
    },
    list: async (query, signal) => {
      const found: DeskTicket[] = [];
      for (let page = 1; page <= maxPages; page += 1) {
        const path = `/tickets?${writeQuery(query, page)}`;
        const { body, hasNext } = await askFreshdesk(options, { method: 'GET', path, signal });
        if (!Array.isArray(body)) throw unreadable();
        found.push(...body.map(asTicket));
        if (!hasNext) break;
      }
      return found;
    },
  };
}

function writeQuery(query: DeskQuery, page: number): string {
  const named = {
    filter: query.filter,
    include: query.include,
    company_id: query.companyId,
    requester_id: query.requesterId,
    email: query.email,
    updated_since: query.updatedSince,
    order_by: query.orderBy,
    order_type: query.orderType,
    per_page: perPage,
    page,
  };
  const given = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return new URLSearchParams(given).toString();
}

function asTicket(value: unknown): DeskTicket {
  if (typeof value !== 'object' || value === null || !('id' in value)) throw unreadable();
  const { id } = value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw unreadable();
  return { ...value, id };
}

function unreadable(): DeskFailed {
  return new DeskFailed('unavailable', 'The help desk answered something that cannot be read.');
}
