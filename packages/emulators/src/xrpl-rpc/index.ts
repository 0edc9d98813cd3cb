import type { Server } from 'node:http';
import { WebSocketServer } from 'ws';
import {
  type EmulatorAddress,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface XrplRpcEmulator extends HttpEmulator {
  /** The same ledger over a WebSocket. */
  wsUrl: string;
  state: XrplState;
}

/** Starts an XRP Ledger server: JSON-RPC and WebSocket, with accounts, trust lines and tokens at validated ledgers. */
export async function startXrplRpcEmulator(address: EmulatorAddress = {}): Promise<XrplRpcEmulator> {
  const state: XrplState = {
    networkId: 0,
    validatedIndex: 95_000_000,
    drops: new Map(),
    lines: [],
    nfts: [],
    pageSize: 400,
  };
  const sockets = new WebSocketServer({ noServer: true });
  const attach = (server: Server) => serveSocket(server, sockets, state);
  const emulator = await startHttpEmulator((request) => ({ body: answerRpc(state, request) }), { ...address, attach });
  const stop = async () => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    await emulator.stop();
  };
  return { ...emulator, wsUrl: emulator.url.replace('http', 'ws'), state, stop };
}

function answerRpc(state: XrplState, { body }: EmulatorRequest): unknown {
  const { method, params } = Object(body);
  const given = Object(Array.isArray(params) ? params[0] : {});
  try {
    return { result: { ...runCommand(state, String(method), given), status: 'success' } };
  } catch (error) {
    if (!(error instanceof XrplError)) throw error;
    return {
      result: { error: error.message, error_code: error.code, request: { command: method, ...given }, status: 'error' },
    };
  }
}

function serveSocket(server: Server, sockets: WebSocketServer, state: XrplState): void {
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('message', (data) => {
        const { id, command, ...params } = Object(JSON.parse(String(data)));
        try {
          opened.send(
            JSON.stringify({
              id,
              status: 'success',
              type: 'response',
              result: runCommand(state, String(command), params),
            }),
          );
        } catch (error) {
          if (!(error instanceof XrplError)) throw error;
          const request = { id, command, ...params };
          opened.send(
            JSON.stringify({
              id,
              status: 'error',
              type: 'response',
              error: error.message,
              error_code: error.code,
              request,
            }),
          );
        }
      });
    });
  });
}

export interface XrplLine {
  account: string;
  peer: string;
  currency: string;
  /** From the account's side: negative is what it owes. */
  balance: string;
}

export interface XrplNft {
  owner: string;
  NFTokenID: string;
  Issuer: string;
  NFTokenTaxon: number;
  /** Hexadecimal. */
  URI?: string;
}

export interface XrplState {
  networkId: number;
  validatedIndex: number;
  /** Balances in drops. Other accounts do not exist. */
  drops: Map<string, string>;
  lines: XrplLine[];
  nfts: XrplNft[];
  /** The largest page, below what callers may request; the protocol allows 400. */
  pageSize: number;
}

/** A protocol error, by its name. */
class XrplError extends Error {
  readonly code: number;
  constructor(name: string, code: number) {
    super(name);
    this.code = code;
  }
}

const addressForm = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/;

/** Runs one of the public methods on the state. */
function runCommand(state: XrplState, command: string, params: Record<string, unknown>): Record<string, unknown> {
  if (command === 'server_info') {
    const validated_ledger = {
      seq: state.validatedIndex,
      hash: hashOf(state.validatedIndex),
      reserve_base_xrp: 1,
      reserve_inc_xrp: 0.2,
    };
    return {
      info: {
        build_version: '2.5.0',
        network_id: state.networkId,
        server_state: 'full',
        complete_ledgers: `32570-${state.validatedIndex}`,
        validated_ledger,
      },
    };
  }
  const index = indexOf(state, params);
  const at = { ledger_index: index, ledger_hash: hashOf(index), validated: index <= state.validatedIndex };
  if (command === 'ledger') return { ledger: { closed: true, ledger_hash: hashOf(index), ledger_index: index }, ...at };
  const account = String(params.account ?? '');
  if (!account) throw new XrplError('invalidParams', 31);
  if (!addressForm.test(account)) throw new XrplError('actMalformed', 35);
  const drops = state.drops.get(account);
  if (drops === undefined) throw new XrplError('actNotFound', 19);
  if (command === 'account_info')
    return { account_data: { Account: account, Balance: drops, LedgerEntryType: 'AccountRoot' }, ...at };
  if (command === 'account_lines') {
    const lines = state.lines
      .filter((line) => line.account === account && (params.peer === undefined || line.peer === params.peer))
      .map(({ peer, currency, balance }) => ({
        account: peer,
        balance,
        currency,
        limit: '1000000000',
        limit_peer: '0',
        quality_in: 0,
        quality_out: 0,
      }));
    return { account, ...page(state, 'lines', lines, params), ...at };
  }
  if (command === 'account_nfts') {
    const nfts = state.nfts
      .filter((nft) => nft.owner === account)
      .map(({ owner: _, ...nft }, serial) => ({ Flags: 8, ...nft, nft_serial: serial }));
    return { account, ...page(state, 'account_nfts', nfts, params), ...at };
  }
  throw new XrplError('unknownCmd', 32);
}

function indexOf(
  state: XrplState,
  { ledger_index: wanted = 'current', ledger_hash: hash }: Record<string, unknown>,
): number {
  if (typeof hash === 'string') return Number.parseInt(hash, 16);
  if (wanted === 'validated' || wanted === 'closed') return state.validatedIndex;
  if (wanted === 'current') return state.validatedIndex + 1;
  const index = Number(wanted);
  if (!Number.isInteger(index)) throw new XrplError('invalidParams', 31);
  if (index > state.validatedIndex) throw new XrplError('lgrNotFound', 21);
  return index;
}

function page(state: XrplState, name: string, all: readonly unknown[], params: Record<string, unknown>) {
  const limit = Math.min(Number(params.limit ?? 200), state.pageSize);
  const start = params.marker === undefined ? 0 : Number(String(params.marker).split(',')[1]);
  if (!Number.isInteger(start)) throw new XrplError('invalidParams', 31);
  const next = start + limit;
  const more = next < all.length ? { marker: `${'F'.repeat(64)},${next}` } : {};
  return { [name]: all.slice(start, next), limit, ...more };
}

function hashOf(index: number): string {
  return index.toString(16).toUpperCase().padStart(64, '0');
}
