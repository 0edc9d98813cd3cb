import {
  type HttpTwin,
  startHttpTwin,
  type TwinAddress,
  type TwinReply,
  type TwinRequest,
} from '../http-twin/index.ts';

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

export interface StampchainTwin extends HttpTwin {
  state: StampchainState;
}

/** The balances of stampchain.io, API version 2, page by page. */
export async function startStampchainTwin(address: TwinAddress = {}): Promise<StampchainTwin> {
  const state: StampchainState = { lastBlock: 900_000, held: [] };
  const twin = await startHttpTwin((request) => answer(state, request), address);
  return { ...twin, state };
}

function answer(state: StampchainState, { path, query }: TwinRequest): TwinReply {
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
