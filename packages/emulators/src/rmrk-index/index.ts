import { type EmulatorAddress, type HttpEmulator, startHttpEmulator } from '../http-emulator/index.ts';

export interface RmrkToken {
  id: string;
  collection: string;
  /** In Kusama's address format. */
  owner: string;
  sn?: string;
  name?: string;
  /** The URL of its document. */
  metadata?: string;
  burned?: boolean;
}

/** The data of the index. */
export interface RmrkState {
  height: number;
  collections: Set<string>;
  tokens: RmrkToken[];
}

/** An index of RMRK on Kusama: the part of a squid's GraphQL that lists the tokens of owners in a collection. */
export interface RmrkEmulator extends HttpEmulator {
  state: RmrkState;
}

const needed = [
  'squidStatus',
  'collectionEntities',
  'nftEntities',
  'currentOwner_in',
  'burned_eq: false',
  'orderBy: id_ASC',
];

export async function startRmrkEmulator(address: EmulatorAddress = {}): Promise<RmrkEmulator> {
  const state: RmrkState = { height: 20_000_000, collections: new Set(), tokens: [] };
  const emulator = await startHttpEmulator(({ body }) => answer(body, state), address);
  return { ...emulator, state };
}

// It parses no GraphQL: it knows one query and refuses others, so that a changed query fails loudly.
function answer(request: unknown, { height, collections, tokens }: RmrkState) {
  const { query, variables } = Object(request);
  const missing = needed.find((word) => !String(query).includes(word));
  if (missing !== undefined) return fail(`The emulator answers only questions that hold ${missing}.`);
  const { collection, owners, limit, offset } = Object(variables);
  if (!Array.isArray(owners) || !Number.isInteger(limit) || !Number.isInteger(offset)) {
    return fail('Variables are missing.');
  }
  const found = tokens
    .filter((token) => token.collection === collection && owners.includes(token.owner) && !token.burned)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .slice(offset, offset + limit)
    .map(({ id, sn = '', name = null, metadata = null, owner }) => ({ id, sn, name, metadata, currentOwner: owner }));
  const collectionEntities = collections.has(collection) ? [{ id: collection }] : [];
  return { body: { data: { squidStatus: { height }, collectionEntities, nftEntities: found } } };
}

function fail(message: string) {
  return { status: 400, body: { errors: [{ message }] } };
}
