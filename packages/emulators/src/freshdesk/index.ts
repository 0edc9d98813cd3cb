import { type Clock, systemMs } from '../clock.ts';
import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface FreshdeskTicket {
  id: number;
  requester_id: number;
  responder_id: number | null;
  company_id: number | null;
  status: number;
  priority: number;
  spam: boolean;
  deleted: boolean;
  created_at: string;
  updated_at: string;
  due_by: string;
  description: string;
  [field: string]: unknown;
}

export interface FreshdeskState {
  apiKey: string;
  /** The agent that the key belongs to. */
  agentId: number;
  tickets: FreshdeskTicket[];
  contacts: { id: number; email: string; name: string; company_id: number | null }[];
  companies: { id: number; name: string }[];
  /** Tickets that the agent watches. */
  watched: Set<number>;
  /** How many more calls are answered before 429. */
  callsLeft: number;
  nowMs: Clock;
}

export interface FreshdeskEmulator extends HttpEmulator {
  state: FreshdeskState;
}

export interface FreshdeskEmulatorOptions extends EmulatorAddress {
  apiKey?: string;
  nowMs?: Clock;
}

const limit = 50;

/** Starts Freshdesk's API version 2, as far as creating and listing tickets goes. */
export async function startFreshdeskEmulator(options: FreshdeskEmulatorOptions = {}): Promise<FreshdeskEmulator> {
  const state: FreshdeskState = {
    apiKey: options.apiKey ?? 'freshdesk-key',
    agentId: 9001,
    tickets: [],
    contacts: [],
    companies: [],
    watched: new Set(),
    callsLeft: 1_000_000,
    nowMs: options.nowMs ?? systemMs,
  };
  const emulator = await startHttpEmulator((request) => answer(state, request), options);
  return { ...emulator, state };
}

function answer(state: FreshdeskState, request: EmulatorRequest): EmulatorReply {
  const { method, path, headers } = request;
  // The key is the user name; anything after the colon is ignored.
  const [, credentials = ''] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? [];
  const [user] = Buffer.from(credentials, 'base64').toString().split(':');
  if (user !== state.apiKey)
    return reply(state, 401, {
      code: 'invalid_credentials',
      message: 'You have to be logged in to perform this action.',
    });
  if (state.callsLeft <= 0)
    return { ...reply(state, 429, { message: 'You have exceeded the limit of requests per minute' }), ...retryAfter };
  state.callsLeft -= 1;
  if (path !== '/api/v2/tickets') return reply(state, 404, '');
  if (method === 'POST') return create(state, request);
  return method === 'GET'
    ? listTickets(state, request)
    : reply(state, 405, { message: `${method} method is not allowed.` });
}

const retryAfter = {
  headers: { 'retry-after': '1', 'x-ratelimit-total': String(limit), 'x-ratelimit-remaining': '0' },
};

function reply(state: FreshdeskState, status: number, body: unknown, headers = {}): EmulatorReply {
  const left = String(Math.min(limit, state.callsLeft));
  return { status, body, headers: { 'x-ratelimit-total': String(limit), 'x-ratelimit-remaining': left, ...headers } };
}

function create(state: FreshdeskState, { headers, body }: EmulatorRequest): EmulatorReply {
  if (!/^application\/json/.test(headers['content-type'] ?? ''))
    return reply(state, 415, { code: 'invalid_json', message: 'Content-Type header is not application/json.' });
  const fields: Readonly<Record<string, unknown>> = Object(body);
  const errors = checkTicket(state, fields);
  if (errors.length > 0) return reply(state, 400, { description: 'Validation failed', errors });
  const now = new Date(state.nowMs());
  const requester = contactOf(state, fields);
  const { email: _, ...rest } = fields;
  const ticket: FreshdeskTicket = {
    fwd_emails: [],
    reply_cc_emails: [],
    fr_escalated: false,
    email_config_id: null,
    group_id: null,
    product_id: null,
    type: null,
    tags: [],
    cc_emails: [],
    custom_fields: {},
    source: 2,
    ...rest,
    id: state.tickets.length + 1,
    requester_id: requester.id,
    responder_id: Number(fields.responder_id ?? 0) || null,
    company_id: requester.company_id,
    status: Number(fields.status ?? 2),
    priority: Number(fields.priority ?? 1),
    spam: false,
    deleted: false,
    description: String(fields.description),
    description_text: String(fields.description).replace(/<[^>]*>/g, ''),
    due_by: new Date(now.getTime() + 3 * 24 * 3600 * 1000).toISOString(),
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
  state.tickets.push(ticket);
  return reply(state, 201, ticket, { location: `/api/v2/tickets/${ticket.id}` });
}

/** The id takes precedence over the email address; a new address becomes a contact. */
function contactOf(state: FreshdeskState, { requester_id, email }: Readonly<Record<string, unknown>>) {
  const known = state.contacts.find((one) =>
    requester_id === undefined ? one.email === String(email).toLowerCase() : one.id === requester_id,
  );
  if (known !== undefined) return known;
  const address = String(email).toLowerCase();
  const contact = {
    id: 5000 + state.contacts.length,
    email: address,
    name: address.split('@')[0] ?? '',
    company_id: null,
  };
  state.contacts.push(contact);
  return contact;
}

interface FieldError {
  field: string;
  message: string;
  code: string;
}

const known: Readonly<Record<string, 'string' | 'number' | 'object'>> = {
  subject: 'string',
  description: 'string',
  email: 'string',
  type: 'string',
  status: 'number',
  priority: 'number',
  parent_id: 'number',
  requester_id: 'number',
  responder_id: 'number',
  group_id: 'number',
  product_id: 'number',
  custom_fields: 'object',
  tags: 'object',
  cc_emails: 'object',
};

/** Returns what Freshdesk rejects in a new ticket. */
function checkTicket(state: FreshdeskState, fields: Readonly<Record<string, unknown>>): FieldError[] {
  const errors: FieldError[] = [];
  const add = (field: string, code: string, message: string) => void errors.push({ field, message, code });
  for (const [name, value] of Object.entries(fields)) {
    const type = known[name];
    if (type === undefined) add(name, 'invalid_field', 'Unexpected/invalid field in request');
    else if (typeof value !== type)
      add(name, 'datatype_mismatch', `Value set is of type ${typeof value}. It should be a/an ${type}`);
  }
  for (const name of ['subject', 'description'])
    if (fields[name] === undefined || fields[name] === '') add(name, 'missing_field', 'It should be a/an String');
  const { email, requester_id, status = 2, priority = 1 } = fields;
  if (email === undefined && requester_id === undefined)
    add('requester_id', 'missing_field', 'One of requester_id, email, phone is mandatory');
  if (typeof email === 'string' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
    add('email', 'invalid_value', "It should be in the 'valid email address' format");
  if (requester_id !== undefined && !state.contacts.some(({ id }) => id === requester_id))
    add('requester_id', 'invalid_value', 'There is no contact matching the given requester_id');
  if (![2, 3, 4, 5].includes(Number(status)))
    add('status', 'invalid_value', "It should be one of these values: '2,3,4,5'");
  if (![1, 2, 3, 4].includes(Number(priority)))
    add('priority', 'invalid_value', "It should be one of these values: '1,2,3,4'");
  return errors;
}

const filters = ['new_and_my_open', 'watching', 'spam', 'deleted'];
const includes = ['stats', 'requester', 'description', 'company'];
const orders = ['created_at', 'due_by', 'updated_at', 'status'];
const thirtyDaysMs = 30 * 24 * 3600 * 1000;
const names = 'filter include company_id requester_id email updated_since order_by order_type page per_page'.split(' ');

/** Freshdesk's list: filters, order, embedded data and pages with a Link header. */
function listTickets(state: FreshdeskState, { query }: EmulatorRequest): EmulatorReply {
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
