import {
  type HttpTwin,
  startHttpTwin,
  type TwinAddress,
  type TwinReply,
  type TwinRequest,
} from '../http-twin/index.ts';

export interface NiftyState {
  users: Set<string>;
  nifties: { owner: string; contractAddress: string; tokenId: string }[];
}

export interface NiftyTwin extends HttpTwin {
  state: NiftyState;
}

/** What Nifty Gateway keeps for its users, page by page. */
export async function startNiftyTwin(address: TwinAddress = {}): Promise<NiftyTwin> {
  const state: NiftyState = { users: new Set(), nifties: [] };
  const twin = await startHttpTwin((request) => answer(state, request), address);
  return { ...twin, state };
}

function answer(state: NiftyState, { path, query }: TwinRequest): TwinReply {
  const [, username = ''] = /^\/v1\/users\/([^/]+)\/nifties\/$/.exec(path) ?? [];
  if (!state.users.has(username)) return { status: 404, body: { detail: 'Not found.' } };
  const contract = query.get('contractAddress')?.toLowerCase();
  const held = state.nifties.filter(
    ({ owner, contractAddress }) =>
      owner === username && (contract === undefined || contractAddress.toLowerCase() === contract),
  );
  const [limit, offset] = [Math.min(Number(query.get('limit') ?? 20), 100), Number(query.get('offset') ?? 0)];
  const results = held
    .slice(offset, offset + limit)
    .map(({ owner, ...nifty }) => ({ ...nifty, name: nifty.tokenId, owner: { username: owner } }));
  return { body: { count: held.length, next: null, previous: null, results } };
}
