import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface UnisatBalance {
  address: string;
  ticker: string;
  available: string;
  transferable: string;
  overall: string;
}

export interface UnisatState {
  /** The required bearer token; if undefined, every caller is served. */
  apiKey: string | undefined;
  height: number;
  tickers: string[];
  balances: UnisatBalance[];
}

export interface UnisatEmulator extends HttpEmulator {
  state: UnisatState;
}

/** Starts the BRC-20 part of UniSat's open API: the newest height, one balance, and all balances of an address. */
export async function startUnisatEmulator(address: EmulatorAddress = {}): Promise<UnisatEmulator> {
  const state: UnisatState = { apiKey: undefined, height: 900_000, tickers: [], balances: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: UnisatState, { path, headers, query }: EmulatorRequest): EmulatorReply {
  if (state.apiKey !== undefined && headers.authorization !== `Bearer ${state.apiKey}`) {
    return { status: 403, body: { code: -2003, msg: 'Invalid API Key', data: null } };
  }
  if (path === '/v1/indexer/brc20/bestheight') return ok({ height: state.height, total: state.tickers.length });
  const [, address, ticker] = /^\/v1\/indexer\/address\/([^/]+)\/brc20\/(?:([^/]+)\/info|summary)$/.exec(path) ?? [];
  if (address === undefined) return { status: 404, body: { code: -1, msg: 'not found', data: null } };
  const held = state.balances.filter((balance) => balance.address === address);
  if (ticker === undefined) {
    const [start, limit] = [Number(query.get('start') ?? 0), Number(query.get('limit') ?? 16)];
    return ok({ height: state.height, total: held.length, start, detail: held.slice(start, start + limit).map(write) });
  }
  if (!state.tickers.includes(ticker.toLowerCase()))
    return { body: { code: -1, msg: 'get brc20 tick info error', data: null } };
  const balance = held.find((one) => one.ticker.toLowerCase() === ticker.toLowerCase());
  return ok(write(balance ?? { address, ticker, available: '0', transferable: '0', overall: '0' }));
}

function write({ ticker, available, transferable, overall }: UnisatBalance) {
  return {
    ticker,
    overallBalance: overall,
    transferableBalance: transferable,
    availableBalance: available,
    availableBalanceSafe: available,
    availableBalanceUnSafe: '0',
    transferableCount: 0,
    transferableInscriptions: [],
    historyCount: 0,
    historyInscriptions: [],
  };
}

function ok(data: unknown): EmulatorReply {
  return { body: { code: 0, msg: 'ok', data } };
}
