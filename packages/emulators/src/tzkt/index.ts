import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface TzktBalance {
  account: string;
  contract: string;
  standard: 'fa1.2' | 'fa2';
  tokenId?: string;
  /** In the token's smallest unit. */
  balance: string;
  metadata?: Readonly<Record<string, unknown>>;
}

export interface TzktState {
  chain: string;
  chainId: string;
  level: number;
  synced: boolean;
  /** Balances in mutez. */
  mutez: Map<string, number>;
  balances: TzktBalance[];
  /** The history of a level; other levels are like the newest one. */
  past: Map<number, { mutez?: Map<string, number>; balances?: TzktBalance[] }>;
}

export interface TzktEmulator extends HttpEmulator {
  state: TzktState;
}

const addressForm = /^(tz[1-4]|KT1)[1-9A-HJ-NP-Za-km-z]{33}$/;
const maxLimit = 10_000;

/** Starts TzKT, the indexer of Tezos: the head, token balances with filters and pages, and past balances. */
export async function startTzktEmulator(address: EmulatorAddress = {}): Promise<TzktEmulator> {
  const state: TzktState = {
    chain: 'mainnet',
    chainId: 'NetXdQprcVkpaWU',
    level: 5_000_000,
    synced: true,
    mutez: new Map(),
    balances: [],
    past: new Map(),
  };
  const emulator = await startHttpEmulator((request) => {
    const level = String(state.level);
    const headers = { 'tzkt-version': '1.17.3.0', 'tzkt-level': level, 'tzkt-known-level': level };
    return { headers, ...answer(state, request) };
  }, address);
  return { ...emulator, state };
}

function answer(state: TzktState, { path, query }: EmulatorRequest): EmulatorReply {
  if (path === '/v1/head') {
    const { chain, chainId, level, synced } = state;
    return { body: { chain, chainId, cycle: 700, level, hash: hashOf(level), knownLevel: level, synced } };
  }
  if (path === '/v1/tokens/balances') return listBalances(state.balances, query, false);
  const [, past] = /^\/v1\/tokens\/historical_balances\/(\d+)$/.exec(path) ?? [];
  if (past) return listBalances(state.past.get(Number(past))?.balances ?? state.balances, query, true);
  const [, account = '', level] = /^\/v1\/accounts\/([^/]+)\/balance_history\/(\d+)$/.exec(path) ?? [];
  if (level !== undefined) {
    if (!addressForm.test(account)) return invalid('address', 'Invalid account address.');
    return { body: (state.past.get(Number(level))?.mutez ?? state.mutez).get(account) ?? 0 };
  }
  return { status: 404, body: { code: 404, error: 'Not found' } };
}

function listBalances(all: readonly TzktBalance[], query: URLSearchParams, isPast: boolean): EmulatorReply {
  const accounts = textsOf(query, 'account');
  const contracts = textsOf(query, 'token.contract');
  const bad = [...(accounts ?? []), ...(contracts ?? [])].find((one) => !addressForm.test(one));
  if (bad !== undefined) return invalid('account', 'Invalid account address.');
  const limit = Number(query.get('limit') ?? 100);
  const offset = Number(query.get('offset') ?? query.get('offset.el') ?? 0);
  if (!(limit >= 0 && limit <= maxLimit)) return invalid('limit', `The field limit must be between 0 and ${maxLimit}.`);
  const ids = textsOf(query, 'token.tokenId');
  const standard = query.get('token.standard') ?? query.get('token.standard.eq');
  const above = query.get('balance.gt');
  const rows = all
    .map((row, place) => ({ ...row, place }))
    .filter((row) => accounts?.includes(row.account) ?? true)
    .filter((row) => contracts?.includes(row.contract) ?? true)
    .filter((row) => ids?.includes(row.tokenId ?? '0') ?? true)
    .filter((row) => standard === null || row.standard === standard)
    .filter((row) => above === null || BigInt(row.balance) > BigInt(above));
  return { body: rows.slice(offset, offset + limit).map((row) => writeRow(row, row.place, isPast)) };
}

/** Parses a filter by its plain name, `.eq`, or `.in` with a list; lists may also be repeated. */
function textsOf(query: URLSearchParams, name: string): string[] | undefined {
  const one = query.get(name) ?? query.get(`${name}.eq`);
  const many = query.getAll(`${name}.in`).join(',');
  return one !== null ? [one] : many ? many.split(',') : undefined;
}

function writeRow(
  { account, contract, standard, tokenId = '0', balance, metadata }: TzktBalance,
  id: number,
  isPast: boolean,
) {
  const token = { id, contract: { address: contract }, tokenId, standard, totalSupply: '1000000000', metadata };
  const short = { account: { address: account }, token, balance };
  return isPast ? short : { id, ...short, transfersCount: 1, firstLevel: 1, lastLevel: 2 };
}

function invalid(field: string, message: string): EmulatorReply {
  return { status: 400, body: { code: 400, errors: { [field]: message } } };
}

function hashOf(level: number): string {
  return `BL${String(level).padStart(49, '1')}`;
}
