import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface HeldStamp {
  address: string;
  stamp: number;
  cpid: string;
  creator: string;
  balance: number;
  divisible?: 0 | 1;
}

export interface StampchainState {
  lastBlock: number;
  held: HeldStamp[];
}

export interface StampchainEmulator extends HttpEmulator {
  state: StampchainState;
}

/** Starts stampchain.io's balances, API version 2, page by page. */
export async function startStampchainEmulator(address: EmulatorAddress = {}): Promise<StampchainEmulator> {
  const state: StampchainState = { lastBlock: 900_000, held: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: StampchainState, { path, query }: EmulatorRequest): EmulatorReply {
  const [, address] = /^\/api\/v2\/stamps\/balance\/([^/]+)$/.exec(path) ?? [];
  if (address === undefined) return { status: 404, body: { error: 'Not found' } };
  const [page, limit] = [Number(query.get('page') ?? 1), Math.min(Number(query.get('limit') ?? 50), 1000)];
  if (!(page >= 1 && limit >= 1)) return { status: 400, body: { error: 'Invalid pagination parameters' } };
  const held = state.held.filter((one) => one.address === address);
  const data = held.slice((page - 1) * limit, page * limit).map(({ address: _, ...stamp }) => ({
    divisible: 0,
    locked: 1,
    supply: 100,
    creator_name: null,
    stamp_url: `https://stampchain.io/stamps/${stamp.stamp}.png`,
    stamp_mimetype: 'image/png',
    tx_hash: stamp.stamp.toString(16).padStart(64, '0'),
    ...stamp,
  }));
  return {
    body: {
      page,
      limit,
      totalPages: Math.ceil(held.length / limit),
      total: held.length,
      last_block: state.lastBlock,
      data,
    },
  };
}
