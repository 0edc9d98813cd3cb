import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

/** What an account publishes under a public path: something with a balance, or a collection. */
export interface FlowPublished {
  account: string;
  path: string;
  /** Its type identifier: `A.1654653399040a61.FlowToken.Vault`. */
  type: string;
  /** With eight decimal places. */
  balance?: string;
  ids?: readonly string[];
  /** Reading it makes a script fail, as a type with a broken contract does. */
  isBroken?: boolean;
}

export interface FlowState {
  sealedHeight: number;
  published: FlowPublished[];
  /** What was published at past heights; others are like the newest one. */
  past: Map<number, FlowPublished[]>;
  /** The contracts that scripts may import, by address. */
  contracts: Map<string, readonly string[]>;
}

export interface FlowAccessEmulator extends HttpEmulator {
  state: FlowState;
}

const standards: readonly [string, readonly string[]][] = [
  ['0xf233dcee88fe0abe', ['FungibleToken']],
  ['0x1d7e57aa55817448', ['NonFungibleToken']],
];

/**
 * Starts the REST API of a Flow access node: blocks and scripts. It runs no Cadence. It understands scripts that borrow a balance or a
 * collection from the public path of each given account, and check the beginning of its type.
 */
export async function startFlowAccessEmulator(address: EmulatorAddress = {}): Promise<FlowAccessEmulator> {
  const state: FlowState = { sealedHeight: 90_000_000, published: [], past: new Map(), contracts: new Map(standards) };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: FlowState, request: EmulatorRequest): EmulatorReply {
  const { method, path, query, body } = request;
  if (method === 'GET' && path === '/v1/blocks') return findBlock(state, query.get('height') ?? '');
  if (method === 'POST' && path === '/v1/scripts') return runScript(state, query.get('block_height') ?? 'sealed', body);
  return failed(404, 'not found');
}

function findBlock(state: FlowState, height: string): EmulatorReply {
  const number = heightOf(state, height);
  if (number === undefined) return failed(400, 'invalid height format');
  if (number > state.sealedHeight) return failed(404, `could not find block at height ${number}`);
  const header = {
    id: idOf(number),
    parent_id: idOf(number - 1),
    height: String(number),
    timestamp: '2026-01-01T00:00:00.000Z',
    parent_voter_signature: '',
  };
  const payload = { collection_guarantees: [], block_seals: [] };
  return { body: [{ header, payload, _expandable: {}, block_status: 'BLOCK_SEALED' }] };
}

function runScript(state: FlowState, height: string, body: unknown): EmulatorReply {
  const number = heightOf(state, height);
  if (number === undefined) return failed(400, 'invalid height format');
  if (number > state.sealedHeight) return failed(404, `could not find block at height ${number}`);
  const { script, arguments: sent } = Object(body);
  if (typeof script !== 'string' || !Array.isArray(sent)) return failed(400, 'invalid request body');
  try {
    const accounts = readAccounts(sent);
    const result = interpret(state, number, Buffer.from(script, 'base64').toString(), accounts);
    return { body: JSON.stringify(Buffer.from(`${JSON.stringify(result)}\n`).toString('base64')) };
  } catch (error) {
    return failed(400, `Invalid Flow argument: failed to execute script at block (${idOf(number)}): ${error}`);
  }
}

function readAccounts(sent: readonly unknown[]): string[] {
  const list = JSON.parse(Buffer.from(String(sent[0]), 'base64').toString());
  if (sent.length !== 1 || list.type !== 'Array') throw new Error('cannot import value: expected [Address]');
  return list.value.map(({ type, value }: { type: string; value: string }) => {
    if (type !== 'Address' || !/^0x[0-9a-f]{16}$/.test(value)) throw new Error('invalid address');
    return value;
  });
}

function interpret(state: FlowState, height: number, code: string, accounts: readonly string[]) {
  for (const [, name = '', place = ''] of code.matchAll(/^import (\w+) from (0x[0-9a-f]+)$/gm)) {
    if (!state.contracts.get(place)?.includes(name))
      throw new Error(`cannot find declaration \`${name}\` in \`${place}\``);
  }
  const [, borrowed, path] = /borrow<&\{(\w+\.\w+)\}>\(\/public\/(\w+)\)/.exec(code) ?? [];
  const [, prefix = ''] = /== "(A\.[0-9a-f]{16}\.\w+\.)"/.exec(code) ?? [];
  if (!borrowed || !/access\(all\) fun main\(accounts: \[Address\]\)/.test(code))
    throw new Error('the emulator runs no such script');
  const isBalance = borrowed === 'FungibleToken.Balance';
  const published = state.past.get(height) ?? state.published;
  const value = accounts.map((account) => {
    const shown = published.find((one) => one.account === account && one.path === path);
    if (shown?.isBroken) throw new Error('cannot load type');
    const counts = shown?.type.startsWith(prefix) ? shown : undefined;
    const ids = (counts?.ids ?? []).map((id) => ({ type: 'UInt64', value: id }));
    const held = isBalance ? { type: 'UFix64', value: counts?.balance ?? '0.00000000' } : { type: 'Array', value: ids };
    return { key: { type: 'Address', value: account }, value: held };
  });
  return { type: 'Dictionary', value };
}

function heightOf(state: FlowState, text: string): number | undefined {
  if (text === 'sealed' || text === 'final') return state.sealedHeight;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function idOf(height: number): string {
  return height.toString(16).padStart(64, '0');
}

function failed(code: number, message: string): EmulatorReply {
  return { status: code, body: { code, message } };
}
