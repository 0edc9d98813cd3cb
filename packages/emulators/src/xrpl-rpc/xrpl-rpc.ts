import type { Server } from 'node:http';
import { WebSocketServer } from 'ws';
import {
  type EmulatorAddress,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';
import { runCommand, XrplError, type XrplState } from './ledger.ts';

export interface XrplRpcEmulator extends HttpEmulator {
  /** The same ledger over a WebSocket. */
  wsUrl: string;
  state: XrplState;
}

/** A server of the XRP Ledger: JSON-RPC and WebSocket, with accounts, trust lines and tokens at validated ledgers. */
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
