import { type Clock, systemMs } from '../clock.ts';
import { escapeHtml, writePage } from '../http/html.ts';
import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';
import type { EmulatorProposal, EmulatorSpace } from './proposal.ts';
import { proposalEvent, type SnapshotWebhook, snapshotWebhook } from './webhook.ts';

export interface SnapshotState {
  spaces: EmulatorSpace[];
  proposals: EmulatorProposal[];
}

export interface SnapshotEmulator extends HttpEmulator {
  state: SnapshotState;
  /** From now on, this URL gets the events of proposals that the hub's page creates. */
  sendEventsTo(url: string, secret: string): void;
}

/**
 * Starts a Snapshot hub: its GraphQL for spaces and proposals, with the checks of a GraphQL server. A page creates
 * proposals, as Snapshot's website does.
 */
export async function startSnapshotEmulator({
  clock = systemMs,
  ...address
}: EmulatorAddress & { clock?: Clock } = {}): Promise<SnapshotEmulator> {
  const state: SnapshotState = { spaces: [], proposals: [] };
  let webhook: SnapshotWebhook | undefined;
  const emulator = await startHttpEmulator(
    (request) => (request.path === '/' ? propose(state, request, { clock, webhook }) : answer(state, request)),
    address,
  );
  return {
    ...emulator,
    state,
    sendEventsTo: (url, secret) => {
      webhook = snapshotWebhook(url, salt, secret);
    },
  };
}

/** Begins with a number, as the service's own. */
const salt = '1-salt-of-the-emulator';
const votingSeconds = 3 * 24 * 3600;

/** The page that lists proposals and creates them. A new one is sent to the webhook before the page answers. */
async function propose(
  state: SnapshotState,
  { method, text }: EmulatorRequest,
  { clock, webhook }: { clock: Clock; webhook: SnapshotWebhook | undefined },
): Promise<EmulatorReply> {
  const given = new URLSearchParams(text);
  const [space, title] = [state.spaces.find(({ id }) => id === given.get('space')), given.get('title')];
  let said = '';
  if (method === 'POST' && space && title) {
    const start = Math.floor(clock() / 1000);
    const voting = { choices: ['For', 'Against'], created: start, start, end: start + votingSeconds };
    const id = `0x${(state.proposals.length + 1).toString(16).padStart(64, '0')}`;
    const proposal = { id, space, title, body: given.get('body') ?? '', author: `0x${'0'.repeat(40)}`, ...voting };
    state.proposals.push(proposal);
    const status = await webhook?.send(proposalEvent(proposal, 'proposal/created'));
    said = `<p>Proposed.${status === undefined ? '' : ` The webhook answered ${status}.`}</p>`;
  }
  const spaces = state.spaces.map(({ id }) => `<option>${escapeHtml(id)}</option>`).join('');
  const form = `<form method="post"><label>Space <select name="space">${spaces}</select></label>
<label>Title <input name="title" required></label> <label>Text <textarea name="body"></textarea></label> <button>Propose</button></form>`;
  const list = state.proposals.map((one) => `<li>${escapeHtml(one.space.id)}: ${escapeHtml(one.title)}</li>`).join('');
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  return { headers, body: writePage('Proposals', `${said}<ul>${list}</ul>${form}`) };
}

function answer(state: SnapshotState, { method, path, body }: EmulatorRequest): EmulatorReply {
  if (path !== '/graphql') return { status: 404, body: { error: 'not_found' } };
  const { query, variables } = Object(body) as { query?: unknown; variables?: unknown };
  if (method !== 'POST' || typeof query !== 'string') return refused('Must provide query string.');
  try {
    const selections = parseQuery(query, Object(variables ?? {}));
    const problem = findProblem(selections);
    if (problem !== undefined) return refused(problem);
    return { body: { data: Object.fromEntries(selections.map((field) => [field.alias, resolve(state, field)])) } };
  } catch (error) {
    if (error instanceof SyntaxProblem) return refused(error.message);
    throw error;
  }
}

function refused(message: string): EmulatorReply {
  return { status: 400, body: { errors: [{ message }] } };
}

function resolve(state: SnapshotState, { name, args, fields }: Selection): unknown {
  const isSpace = name.startsWith('space');
  const all: readonly { id: string }[] = isSpace ? state.spaces : state.proposals;
  const type = isSpace ? 'Space' : 'Proposal';
  if (name === 'space' || name === 'proposal') {
    // Ids of spaces are names, which the hub stores in lower case.
    const id = isSpace ? String(args.id).toLowerCase() : args.id;
    return pick(all.find((one) => one.id === id) ?? null, fields, type);
  }
  const { first = 20, skip = 0, where } = args as { first?: number; skip?: number; where?: Record<string, unknown> };
  const found = all.filter((one) => fits(one, where ?? {})).slice(skip, skip + Math.min(first, 1000));
  return pick(found, fields, type);
}

function fits(item: object, where: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(where).every(([name, wanted]) => {
    const field = name.replace(/_in$/, '');
    const value = Object(item)[field];
    const own = field === 'space' ? Object(value).id : value;
    return name.endsWith('_in') ? Array.isArray(wanted) && wanted.includes(own) : own === wanted;
  });
}

/** The fields that the hub has for each type, and the type of fields with subfields. */
const types: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  Query: { space: 'Space', spaces: 'Space', proposal: 'Proposal', proposals: 'Proposal' },
  Space: scalars('id', 'name', 'about', 'avatar', 'network', 'symbol', 'website', 'admins', 'members', 'verified'),
  Proposal: {
    ...scalars('id', 'ipfs', 'author', 'created', 'network', 'type', 'title', 'body', 'choices', 'start', 'end'),
    ...scalars('snapshot', 'state', 'link', 'scores', 'scores_total', 'votes', 'quorum', 'flagged'),
    space: 'Space',
  },
};

const args: Readonly<Record<string, readonly string[]>> = {
  space: ['id'],
  proposal: ['id'],
  spaces: ['first', 'skip', 'where', 'orderBy', 'orderDirection'],
  proposals: ['first', 'skip', 'where', 'orderBy', 'orderDirection'],
};

function scalars(...names: string[]): Record<string, undefined> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Returns what is wrong with a query by the hub's schema, as GraphQL words it; undefined if it is valid. */
function findProblem(selections: readonly Selection[], type = 'Query'): string | undefined {
  const known = types[type] ?? {};
  for (const { name, args: given, fields } of selections) {
    if (name === '__typename') continue;
    if (!Object.hasOwn(known, name)) return `Cannot query field "${name}" on type "${type}".`;
    const inner = known[name];
    if (inner === undefined && fields.length > 0) return `Field "${name}" must not have a selection.`;
    if (inner !== undefined && fields.length === 0) return `Field "${name}" of type "${inner}" must have a selection.`;
    const allowed = type === 'Query' ? (args[name] ?? []) : [];
    const strange = Object.keys(given).find((arg) => !allowed.includes(arg));
    if (strange !== undefined) return `Unknown argument "${strange}" on field "${type}.${name}".`;
    const problem = inner === undefined ? undefined : findProblem(fields, inner);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns only the requested fields of an object; missing ones are null. */
function pick(value: unknown, selections: readonly Selection[], type: string): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map((item) => pick(item, selections, type));
  const known = types[type] ?? {};
  return Object.fromEntries(
    selections.map(({ name, alias, fields }) => {
      if (name === '__typename') return [alias, type];
      const inner = known[name];
      const field = Object(value)[name] ?? null;
      return [alias, inner === undefined ? field : pick(field, fields, inner)];
    }),
  );
}

/** One field of a query: its name in the response, its arguments and its subfields. */
interface Selection {
  name: string;
  alias: string;
  args: Readonly<Record<string, unknown>>;
  fields: readonly Selection[];
}

class SyntaxProblem extends Error {}

type Variables = Readonly<Record<string, unknown>>;

/** Parses one GraphQL query, with or without variables. Fragments, directives and mutations are not supported. */
function parseQuery(text: string, variables: Variables): Selection[] {
  const tokens = new Tokens(text);
  if (tokens.has('query')) {
    if (tokens.next !== '{' && tokens.next !== '(') tokens.name();
    // The declared types of variables are ignored: each field checks its arguments.
    if (tokens.next === '(') while (tokens.take() !== ')');
  }
  const fields = readFields(tokens, variables);
  if (tokens.next !== undefined) throw new SyntaxProblem(`Syntax Error: Unexpected "${tokens.next}".`);
  return fields;
}

function readFields(tokens: Tokens, variables: Variables): Selection[] {
  tokens.take('{');
  const fields: Selection[] = [];
  while (!tokens.has('}')) {
    const alias = tokens.name();
    const name = tokens.has(':') ? tokens.name() : alias;
    const args = tokens.has('(') ? readPairs(tokens, ')', variables) : {};
    fields.push({ name, alias, args, fields: tokens.next === '{' ? readFields(tokens, variables) : [] });
  }
  return fields;
}

function readPairs(tokens: Tokens, end: string, variables: Variables): Record<string, unknown> {
  const pairs: Record<string, unknown> = {};
  while (!tokens.has(end)) {
    const name = tokens.name();
    tokens.take(':');
    pairs[name] = readValue(tokens, variables);
  }
  return pairs;
}

const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

function readValue(tokens: Tokens, variables: Variables): unknown {
  const next = tokens.take();
  if (next === '$') return variables[tokens.name()] ?? null;
  if (next === '{') return readPairs(tokens, '}', variables);
  if (next === '[') {
    const items: unknown[] = [];
    while (!tokens.has(']')) items.push(readValue(tokens, variables));
    return items;
  }
  if (next.startsWith('"')) return JSON.parse(next);
  if (/^-?\d/.test(next)) return Number(next);
  if (/^[A-Za-z_]/.test(next)) return Object.hasOwn(words, next) ? words[next] : next;
  throw new SyntaxProblem(`Syntax Error: Unexpected "${next}".`);
}

const pattern = /(?:[\s,]|#[^\n]*\n)*("(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|[A-Za-z_]\w*|[{}()[\]:$!=@])/y;

class Tokens {
  readonly #all: string[] = [];
  #at = 0;

  constructor(text: string) {
    const reader = new RegExp(pattern);
    for (let from = 0; ; from = reader.lastIndex) {
      const token = reader.exec(text)?.[1];
      if (token !== undefined) this.#all.push(token);
      else if (/^[\s,]*$/.test(text.slice(from))) return;
      else throw new SyntaxProblem(`Syntax Error: Unexpected character at ${from}.`);
    }
  }

  get next(): string | undefined {
    return this.#all[this.#at];
  }

  /** Consumes the next token if it matches. */
  has(expected: string): boolean {
    if (this.next !== expected) return false;
    this.#at += 1;
    return true;
  }

  take(expected?: string): string {
    const { next } = this;
    if (next === undefined || (expected !== undefined && next !== expected))
      throw new SyntaxProblem(`Syntax Error: Expected ${expected ?? 'more'}, found ${next ?? '<EOF>'}.`);
    this.#at += 1;
    return next;
  }

  name(): string {
    const name = this.take();
    if (!/^[A-Za-z_]/.test(name)) throw new SyntaxProblem(`Syntax Error: Expected Name, found "${name}".`);
    return name;
  }
}
