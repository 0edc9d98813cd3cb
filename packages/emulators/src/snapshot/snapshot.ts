import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';
import { findProblem, pick } from './hub-schema.ts';
import { parseQuery, type Selection, SyntaxProblem } from './parse-query.ts';

export interface EmulatorSpace {
  id: string;
  name?: string;
  [field: string]: unknown;
}

export interface EmulatorProposal {
  id: string;
  space: EmulatorSpace;
  title: string;
  body?: string;
  author: string;
  choices: string[];
  created: number;
  start: number;
  end: number;
  [field: string]: unknown;
}

export interface SnapshotState {
  spaces: EmulatorSpace[];
  proposals: EmulatorProposal[];
}

export interface SnapshotEmulator extends HttpEmulator {
  state: SnapshotState;
}

/** A hub of Snapshot: its GraphQL for spaces and proposals, with the checks of a GraphQL server. */
export async function startSnapshotEmulator(address: EmulatorAddress = {}): Promise<SnapshotEmulator> {
  const state: SnapshotState = { spaces: [], proposals: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
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
    // Ids of spaces are names, which the hub keeps in small letters.
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
