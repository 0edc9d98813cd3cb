import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface ImmutableXAsset {
  user: string;
  token_address: string;
  token_id: string;
  status?: 'imx' | 'eth' | 'preparing_withdrawal' | 'burned';
  uri?: string;
  metadata?: Readonly<Record<string, unknown>>;
}

export interface ImmutableXState {
  assets: ImmutableXAsset[];
}

export interface ImmutableXEmulator extends HttpEmulator {
  state: ImmutableXState;
}

const addressForm = /^0x[0-9a-f]{40}$/i;
const maxPageSize = 200;

/** Starts Immutable X: assets, with filters and cursors. */
export async function startImmutableXEmulator(address: EmulatorAddress = {}): Promise<ImmutableXEmulator> {
  const state: ImmutableXState = { assets: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer({ assets }: ImmutableXState, { path, query }: EmulatorRequest): EmulatorReply {
  if (path !== '/v1/assets') return failed(404, 'resource_not_found_code', 'Not found');
  const [user, collection, status] = ['user', 'collection', 'status'].map((name) => query.get(name)?.toLowerCase());
  const size = Number(query.get('page_size') ?? 100);
  if (!(size >= 1 && size <= maxPageSize)) return failed(400, 'bad_request_code', 'invalid page size');
  if (user !== undefined && !addressForm.test(user))
    return failed(400, 'bad_request_code', 'user is not a valid address');
  const start = readCursor(query.get('cursor'));
  if (start === undefined) return failed(400, 'bad_request_code', 'cannot decode cursor');
  const found = assets.filter(
    (asset) =>
      (user === undefined || asset.user.toLowerCase() === user) &&
      (collection === undefined || asset.token_address.toLowerCase() === collection) &&
      (status === undefined || (asset.status ?? 'imx') === status),
  );
  const result = found
    .slice(start, start + size)
    .map((asset) => ({ id: null, name: null, image_url: null, status: 'imx', ...asset }));
  const isLast = start + size >= found.length;
  return { body: { result, cursor: isLast ? '' : writeCursor(start + size), remaining: isLast ? 0 : 1 } };
}

function writeCursor(start: number): string {
  return Buffer.from(JSON.stringify({ start })).toString('base64url');
}

function readCursor(cursor: string | null): number | undefined {
  if (cursor === null || cursor === '') return 0;
  try {
    return Number(JSON.parse(Buffer.from(cursor, 'base64url').toString()).start);
  } catch {
    return undefined;
  }
}

function failed(status: number, code: string, message: string): EmulatorReply {
  return { status, body: { code, message } };
}
