import { type Clock, systemMs } from '../clock.ts';
import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';
import { checkTicket } from './check-ticket.ts';
import { listTickets } from './list-tickets.ts';

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
  /** The agent whose key it is. */
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

/** Freshdesk's second API, as far as making and listing tickets goes. */
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
  // The key is the user name; whatever stands behind the colon is not looked at.
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

export function reply(state: FreshdeskState, status: number, body: unknown, headers = {}): EmulatorReply {
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

/** The number wins over the address; an address that is new becomes a contact. */
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
