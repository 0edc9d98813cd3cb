import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface NiftyState {
  users: Set<string>;
  nifties: { owner: string; contractAddress: string; tokenId: string }[];
}

export interface NiftyEmulator extends HttpEmulator {
  state: NiftyState;
}

/** Starts Nifty Gateway: the tokens of its users, page by page. */
export async function startNiftyEmulator(address: EmulatorAddress = {}): Promise<NiftyEmulator> {
  const state: NiftyState = { users: new Set(), nifties: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: NiftyState, { path, query }: EmulatorRequest): EmulatorReply {
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
