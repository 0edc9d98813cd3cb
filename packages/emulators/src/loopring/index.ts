import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface LoopringState {
  apiKey: string;
  /** Account ids by owner, in lower case. */
  accounts: Map<string, number>;
  tokens: { tokenId: number; symbol: string; address: string; decimals: number }[];
  balances: { accountId: number; tokenId: number; total: string }[];
  nfts: { accountId: number; tokenAddress: string; nftId: string; total: string }[];
}

export interface LoopringEmulator extends HttpEmulator {
  state: LoopringState;
}

const maxLimit = 50;

/** Starts Loopring's exchange, API version 3: accounts, tokens and balances. User data requires a key. */
export async function startLoopringEmulator(address: EmulatorAddress = {}): Promise<LoopringEmulator> {
  const state: LoopringState = { apiKey: 'loopring-key', accounts: new Map(), tokens: [], balances: [], nfts: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: LoopringState, { path, query, headers }: EmulatorRequest): EmulatorReply {
  if (path === '/api/v3/exchange/tokens')
    return { body: state.tokens.map((token) => ({ type: 'ERC20', enabled: true, ...token })) };
  if (path === '/api/v3/account') {
    const owner = query.get('owner')?.toLowerCase() ?? '';
    const accountId = state.accounts.get(owner);
    if (accountId === undefined) return failed(400, 101002, 'account not found');
    return { body: { accountId, owner, frozen: false, publicKey: { x: '0x1', y: '0x2' }, nonce: 1, keyNonce: 1 } };
  }
  if (headers['x-api-key'] !== state.apiKey) return failed(401, 104002, 'invalid api key');
  const accountId = Number(query.get('accountId'));
  if (!(accountId > 0)) return failed(400, 100001, 'invalid accountId');
  if (path === '/api/v3/user/balances') {
    const own = state.balances.filter((balance) => balance.accountId === accountId);
    return { body: own.map((balance) => ({ ...balance, locked: '0', pending: { withdraw: '0', deposit: '0' } })) };
  }
  if (path === '/api/v3/user/nft/balances') {
    const [offset, limit] = [Number(query.get('offset') ?? 0), Math.min(Number(query.get('limit') ?? 10), maxLimit)];
    const own = state.nfts.filter((nft) => nft.accountId === accountId);
    const data = own
      .slice(offset, offset + limit)
      .map((nft) => ({ tokenId: 32768, nftType: 'ERC1155', locked: '0', ...nft }));
    return { body: { totalNum: own.length, data } };
  }
  return failed(404, 100000, 'not found');
}

function failed(status: number, code: number, message: string): EmulatorReply {
  return { status, body: { resultInfo: { code, message } } };
}
