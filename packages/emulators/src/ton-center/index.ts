import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface TonCenterState {
  /** The key required in X-API-Key; if undefined, every caller is served. */
  apiKey: string | undefined;
  /** Nanotons by raw address. */
  nano: Map<string, string>;
  jettons: { master: string; content: Readonly<Record<string, string>>; indexedDecimals?: string }[];
  jettonWallets: { owner: string; master: string; units: string }[];
  nfts: { owner: string; collection: string; index: string; content?: Readonly<Record<string, unknown>> }[];
}

export interface TonCenterEmulator extends HttpEmulator {
  state: TonCenterState;
}

const rawForm = /^(?:0|-1):[0-9a-f]{64}$/i;
const friendlyForm = /^[A-Za-z0-9+/_-]{48}$/;
const maxLimit = 1_000;

/** Starts TON Center's indexer, API version 3: account states, jettons with their wallets, and items of collections. */
export async function startTonCenterEmulator(address: EmulatorAddress = {}): Promise<TonCenterEmulator> {
  const state: TonCenterState = { apiKey: undefined, nano: new Map(), jettons: [], jettonWallets: [], nfts: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: TonCenterState, { path, query, headers }: EmulatorRequest): EmulatorReply {
  if (state.apiKey !== undefined && headers['x-api-key'] !== state.apiKey) return failed(401, 'API key does not exist');
  const wrong = [...query].find(
    ([name, value]) => name.endsWith('address') && !rawForm.test(value) && !friendlyForm.test(value),
  );
  if (wrong) return failed(422, `failed to parse ${wrong[0]}`);
  if (Number(query.get('limit') ?? 10) > maxLimit) return failed(422, `limit is not allowed more than ${maxLimit}`);
  if (path === '/api/v3/accountStates') return { body: writeStates(state, query) };
  if (path === '/api/v3/jetton/masters') return { body: writeMasters(state, query) };
  if (path === '/api/v3/jetton/wallets') return { body: writeWallets(state, query) };
  if (path === '/api/v3/nft/items') return { body: writeItems(state, query) };
  return failed(404, 'Cannot GET');
}

function writeStates(state: TonCenterState, query: URLSearchParams) {
  const accounts = query.getAll('address').map((address) => {
    const balance = state.nano.get(address.toLowerCase());
    return {
      address: address.toUpperCase(),
      balance: balance ?? '0',
      status: balance === undefined ? 'nonexist' : 'active',
    };
  });
  return { accounts, address_book: {}, metadata: {} };
}

function writeMasters({ jettons }: TonCenterState, query: URLSearchParams) {
  const found = jettons.filter(({ master }) => isRequested(query, 'address', master));
  const metadata = found.map(({ master, indexedDecimals }) => [
    master.toUpperCase(),
    {
      is_indexed: true,
      token_info: [
        { type: 'jetton_masters', valid: true, extra: indexedDecimals ? { decimals: indexedDecimals } : {} },
      ],
    },
  ]);
  const masters = found.map(({ master, content }) => ({
    address: master.toUpperCase(),
    total_supply: '1000000',
    mintable: true,
    jetton_content: content,
  }));
  return { jetton_masters: masters, address_book: {}, metadata: Object.fromEntries(metadata) };
}

function writeWallets({ jettonWallets }: TonCenterState, query: URLSearchParams) {
  const found = jettonWallets.filter(
    (wallet) =>
      isRequested(query, 'owner_address', wallet.owner) && isRequested(query, 'jetton_address', wallet.master),
  );
  const rows = found.map(({ owner, master, units }) => ({
    address: owner.toUpperCase(),
    balance: units,
    owner: owner.toUpperCase(),
    jetton: master.toUpperCase(),
    last_transaction_lt: '1',
  }));
  return { jetton_wallets: page(rows, query), address_book: {}, metadata: {} };
}

function writeItems({ nfts }: TonCenterState, query: URLSearchParams) {
  const found = nfts.filter(
    (nft) => isRequested(query, 'owner_address', nft.owner) && isRequested(query, 'collection_address', nft.collection),
  );
  const rows = found.map(({ owner, collection, index, content = {} }) => ({
    address: `0:${BigInt(index).toString(16).padStart(64, '0')}`.toUpperCase(),
    collection_address: collection.toUpperCase(),
    owner_address: owner.toUpperCase(),
    index,
    init: true,
    content,
  }));
  return { nft_items: page(rows, query), address_book: {}, metadata: {} };
}

function isRequested(query: URLSearchParams, name: string, address: string): boolean {
  const requested = query.getAll(name);
  return requested.length === 0 || requested.some((one) => one.toLowerCase() === address.toLowerCase());
}

function page<Row>(rows: readonly Row[], query: URLSearchParams): Row[] {
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 10)];
  return rows.slice(offset, offset + limit);
}

function failed(status: number, error: string): EmulatorReply {
  return { status, body: { error, code: status } };
}
