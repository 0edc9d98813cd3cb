import type { EmulatorReply, EmulatorRequest } from '../http-emulator/index.ts';
import { type FreshdeskState, type FreshdeskTicket, reply } from './freshdesk.ts';

const filters = ['new_and_my_open', 'watching', 'spam', 'deleted'];
const includes = ['stats', 'requester', 'description', 'company'];
const orders = ['created_at', 'due_by', 'updated_at', 'status'];
const thirtyDaysMs = 30 * 24 * 3600 * 1000;
const names = 'filter include company_id requester_id email updated_since order_by order_type page per_page'.split(' ');

/** Freshdesk's list: filters, order, embedded data and pages with a Link header. */
export function listTickets(state: FreshdeskState, { query }: EmulatorRequest): EmulatorReply {
  const problem = findProblem(query);
  if (problem !== undefined) {
    const [field, message] = problem;
    return reply(state, 400, { description: 'Validation failed', errors: [{ field, message, code: 'invalid_value' }] });
  }
  const page = Number(query.get('page') ?? 1);
  const perPage = Number(query.get('per_page') ?? 30);
  const key = query.get('order_by') ?? 'created_at';
  const sign = query.get('order_type') === 'asc' ? 1 : -1;
  const found = state.tickets
    .filter((ticket) => fits(state, ticket, query))
    .toSorted((a, b) => sign * (compare(a[key], b[key]) || a.id - b.id));
  const shown = found.slice((page - 1) * perPage, page * perPage);
  const next = new URLSearchParams(query);
  next.set('page', String(page + 1));
  const headers =
    found.length > page * perPage ? { link: `<https://emulator/api/v2/tickets?${next}>; rel="next"` } : {};
  const include = new Set((query.get('include') ?? '').split(','));
  return reply(
    state,
    200,
    shown.map((ticket) => show(state, ticket, include)),
    headers,
  );
}

function findProblem(query: URLSearchParams): [field: string, message: string] | undefined {
  const strange = [...query.keys()].find((name) => !names.includes(name));
  if (strange !== undefined) return [strange, 'Unexpected/invalid field in request'];
  const outside = (name: string, words: readonly string[]) =>
    (query.get(name) ?? words[0] ?? '').split(',').some((word) => !words.includes(word));
  if (outside('filter', filters)) return ['filter', `It should be one of these values: '${filters}'`];
  if (outside('include', includes)) return ['include', `It should be one of these values: '${includes}'`];
  if (outside('order_by', orders)) return ['order_by', `It should be one of these values: '${orders}'`];
  if (outside('order_type', ['asc', 'desc'])) return ['order_type', "It should be one of these values: 'asc,desc'"];
  const perPage = Number(query.get('per_page') ?? 30);
  if (!(perPage >= 1 && perPage <= 100))
    return ['per_page', 'It should be a Positive Integer less than or equal to 100'];
  if (Number.isNaN(Date.parse(query.get('updated_since') ?? '2000-01-01')))
    return ['updated_since', 'It should be in the combined date and time ISO8601 format'];
  return undefined;
}

function fits(state: FreshdeskState, ticket: FreshdeskTicket, query: URLSearchParams): boolean {
  const filter = query.get('filter');
  const { requester_id, company_id, responder_id, status, spam, deleted } = ticket;
  if (deleted !== (filter === 'deleted')) return false;
  if (filter !== 'deleted' && spam !== (filter === 'spam')) return false;
  if (filter === 'watching' && !state.watched.has(ticket.id)) return false;
  const isMine = responder_id === null || responder_id === state.agentId;
  if (filter === 'new_and_my_open' && !(status === 2 && isMine)) return false;
  const since = query.get('updated_since');
  const isRecent =
    since === null
      ? Date.parse(ticket.created_at) >= state.nowMs() - thirtyDaysMs
      : Date.parse(ticket.updated_at) >= Date.parse(since);
  const email = state.contacts.find(({ id }) => id === requester_id)?.email;
  const equals = (name: string, value: unknown) =>
    query.get(name) === null || query.get(name)?.toLowerCase() === String(value);
  return isRecent && equals('email', email) && equals('requester_id', requester_id) && equals('company_id', company_id);
}

function compare(a: unknown, b: unknown): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}

function show(state: FreshdeskState, ticket: FreshdeskTicket, include: ReadonlySet<string>): Record<string, unknown> {
  const { description, description_text, ...rest } = ticket;
  const requester = state.contacts.find(({ id }) => id === ticket.requester_id);
  const company = state.companies.find(({ id }) => id === ticket.company_id);
  return {
    ...rest,
    ...(include.has('description') && { description, description_text }),
    ...(include.has('requester') && { requester: { ...requester, mobile: null, phone: null } }),
    ...(include.has('company') && { company: company ?? null }),
    ...(include.has('stats') && {
      stats: { first_responded_at: null, resolved_at: null, closed_at: ticket.status === 5 ? ticket.updated_at : null },
    }),
  };
}
