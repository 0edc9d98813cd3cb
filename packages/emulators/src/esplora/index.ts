import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface EsploraOutput {
  address: string;
  txid: string;
  vout: number;
  sats: number;
  isSpent?: boolean;
  isConfirmed?: boolean;
}

export interface EsploraState {
  height: number;
  outputs: EsploraOutput[];
}

export interface EsploraEmulator extends HttpEmulator {
  state: EsploraState;
}

const addressForm = /^(bc1|tb1|bcrt1)[02-9ac-hj-np-z]{8,87}$|^[13mn2][1-9A-HJ-NP-Za-km-z]{25,34}$/;

/** Starts Esplora: the newest blocks, and the sums and unspent outputs of addresses. */
export async function startEsploraEmulator(address: EmulatorAddress = {}): Promise<EsploraEmulator> {
  const state: EsploraState = { height: 900_000, outputs: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: EsploraState, { path }: EmulatorRequest): EmulatorReply {
  if (path === '/blocks') {
    return {
      body: Array.from({ length: 10 }, (_, back) => ({
        id: hashOf(state.height - back),
        height: state.height - back,
        tx_count: 1,
      })),
    };
  }
  if (path === '/blocks/tip/height') return { headers: { 'content-type': 'text/plain' }, body: String(state.height) };
  const [, address = '', part] = /^\/address\/([^/]+)(\/utxo)?$/.exec(path) ?? [];
  if (!address) return { status: 404, headers: { 'content-type': 'text/plain' }, body: 'endpoint does not exist' };
  if (!addressForm.test(address))
    return { status: 400, headers: { 'content-type': 'text/plain' }, body: 'Invalid Bitcoin address' };
  const outputs = state.outputs.filter((output) => output.address === address);
  if (part) return { body: outputs.filter((output) => !output.isSpent).map((output) => writeUtxo(state, output)) };
  const confirmed = outputs.filter((output) => output.isConfirmed !== false);
  const pending = outputs.filter((output) => output.isConfirmed === false);
  return { body: { address, chain_stats: sumsOf(confirmed), mempool_stats: sumsOf(pending) } };
}

function sumsOf(outputs: readonly EsploraOutput[]) {
  const spent = outputs.filter((output) => output.isSpent);
  const sum = (list: readonly EsploraOutput[]) => list.reduce((total, output) => total + output.sats, 0);
  return {
    funded_txo_count: outputs.length,
    funded_txo_sum: sum(outputs),
    spent_txo_count: spent.length,
    spent_txo_sum: sum(spent),
    tx_count: outputs.length + spent.length,
  };
}

function writeUtxo({ height }: EsploraState, { txid, vout, sats, isConfirmed }: EsploraOutput) {
  const confirmed = { confirmed: true, block_height: height, block_hash: hashOf(height), block_time: 1_750_000_000 };
  return { txid, vout, status: isConfirmed === false ? { confirmed: false } : confirmed, value: sats };
}

function hashOf(height: number): string {
  return height.toString(16).padStart(64, '0');
}
