import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface OrdInscription {
  id: string;
  number: number;
  address: string;
  parents?: readonly string[];
  contentType?: string;
}

export interface OrdState {
  chain: string;
  height: number;
  hasAddressIndex: boolean;
  /** Whether several inscriptions can be requested at once; older servers cannot. */
  hasBatches: boolean;
  inscriptions: OrdInscription[];
}

export interface OrdEmulator extends HttpEmulator {
  state: OrdState;
}

const html: EmulatorReply = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><html></html>' };

/** Starts an ord server with its JSON API, which returns HTML unless JSON is requested. */
export async function startOrdEmulator(address: EmulatorAddress = {}): Promise<OrdEmulator> {
  const state: OrdState = {
    chain: 'mainnet',
    height: 900_000,
    hasAddressIndex: true,
    hasBatches: true,
    inscriptions: [],
  };
  const emulator = await startHttpEmulator((request) => (wantsJson(request) ? answer(state, request) : html), address);
  return { ...emulator, state };
}

function wantsJson({ headers }: EmulatorRequest): boolean {
  return headers.accept?.includes('application/json') ?? false;
}

function answer(state: OrdState, { method, path, body }: EmulatorRequest): EmulatorReply {
  const { chain, height, inscriptions } = state;
  if (path === '/status') {
    const indexes = {
      address_index: state.hasAddressIndex,
      inscription_index: true,
      rune_index: false,
      sat_index: false,
    };
    return { body: { ...indexes, chain, height, inscriptions: inscriptions.length, unrecoverably_reorged: false } };
  }
  const [, address] = /^\/address\/([^/]+)$/.exec(path) ?? [];
  if (address) {
    if (!state.hasAddressIndex) return failed(404, 'this server has no address index');
    const held = inscriptions.filter((one) => one.address === address);
    return {
      body: {
        outputs: held.map(({ id }) => id.replace('i', ':')),
        inscriptions: held.map(({ id }) => id),
        sat_balance: held.length * 546,
        runes_balances: [],
      },
    };
  }
  const [, id] = /^\/inscription\/([^/]+)$/.exec(path) ?? [];
  if (id) return one(state, id);
  if (path === '/inscriptions' && method === 'POST' && state.hasBatches) {
    const wanted = Array.isArray(body) ? body.map(String) : [];
    const found = wanted.map((each) => one(state, each));
    return found.find((reply) => reply.status !== undefined) ?? { body: found.map((reply) => reply.body) };
  }
  return failed(method === 'POST' ? 405 : 404, 'not found');
}

function one(state: OrdState, id: string): EmulatorReply {
  const inscription = state.inscriptions.find((each) => each.id === id);
  if (!inscription) return failed(404, `inscription ${id} not found`);
  const { address, number, parents = [], contentType = 'image/png' } = inscription;
  const place = { address, height: state.height - 10, satpoint: `${id.replace('i', ':')}:0`, value: 546 };
  return {
    body: {
      charms: [],
      children: [],
      content_length: 793,
      content_type: contentType,
      fee: 322,
      id,
      number,
      parents,
      rune: null,
      sat: null,
      timestamp: 1_750_000_000,
      ...place,
    },
  };
}

function failed(status: number, message: string): EmulatorReply {
  return { status, headers: { 'content-type': 'text/plain' }, body: message };
}
