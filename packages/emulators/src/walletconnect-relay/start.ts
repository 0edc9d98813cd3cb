import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Clock, systemMs } from '../clock.ts';
import { type EmulatorAddress, type HttpEmulator, startHttpEmulator } from '../http-emulator/index.ts';
import { type Client, Mailbox } from './mailbox.ts';
import { readToken } from './read-token.ts';
import { runMethod } from './run-method.ts';

export interface WalletConnectRelay extends Pick<HttpEmulator, 'stop'> {
  /** Where clients connect to. */
  url: string;
  /** The projects whose clients may connect. */
  projectIds: Set<string>;
  /** The pages and projects that clients connected for, in order. */
  connections: { origin: string | undefined; projectId: string }[];
  /** The tags of what was published, in order. */
  tags(): number[];
  /** Breaks every connection off. Clients may come again. */
  cut(): void;
  /** Asks every client to connect anew, as the relay does when it spreads its load. */
  rebalance(): void;
}

const unauthorized = 3000;
const rebalancing = 4010;

/** The relay of WalletConnect: passes on encrypted messages between pages and wallets, by topic (the irn protocol). */
export async function startWalletConnectRelay({
  clock = systemMs,
  ...address
}: EmulatorAddress & { clock?: Clock } = {}): Promise<WalletConnectRelay> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1_000_000 });
  const mailbox = new Mailbox(clock);
  const projectIds = new Set(['test-project']);
  const connections: WalletConnectRelay['connections'] = [];
  let url = '';

  function refusalOf(projectId: string, did: string | undefined): string | undefined {
    if (!projectIds.has(projectId)) return 'Unauthorized: invalid key';
    return did === undefined ? 'Unauthorized: invalid auth token' : undefined;
  }

  function welcome(socket: WebSocket, query: URLSearchParams, origin: string | undefined): void {
    const projectId = query.get('projectId') ?? '';
    connections.push({ origin, projectId });
    const did = readToken(query.get('auth') ?? '', url, clock());
    const refusal = refusalOf(projectId, did);
    if (refusal !== undefined || did === undefined) socket.close(unauthorized, refusal);
    else serve(socket, did, mailbox);
  }

  const attach = (server: Server) =>
    server.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (opened) =>
        welcome(opened, new URL(request.url ?? '', 'ws://relay').searchParams, request.headers.origin),
      ),
    );
  const emulator = await startHttpEmulator(() => ({ status: 404, body: {} }), { ...address, attach });
  url = emulator.url.replace('http', 'ws');
  const cut = () => {
    for (const socket of sockets.clients) socket.terminate();
  };
  const rebalance = () => {
    for (const socket of sockets.clients) socket.close(rebalancing, 'Load rebalancing, please reconnect');
  };
  const stop = async () => {
    cut();
    sockets.close();
    await emulator.stop();
  };
  return { url, projectIds, connections, tags: () => mailbox.kept.map(({ tag }) => tag), cut, rebalance, stop };
}

function serve(socket: WebSocket, did: string, mailbox: Mailbox): void {
  let told = 0;
  const send = (payload: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...payload }));
  const client: Client = {
    did,
    topics: new Set(),
    tell: (params) => {
      told += 1;
      send({ id: told, method: 'irn_subscription', params });
    },
  };
  mailbox.clients.add(client);
  socket.on('close', () => mailbox.clients.delete(client));
  socket.on('message', (data) => {
    const { id, method, params } = Object(JSON.parse(String(data)));
    // What has no method confirms that a message came.
    if (typeof method !== 'string') return;
    const result = runMethod(mailbox, client, method, Object(params));
    send(result === undefined ? { id, error: { code: -32601, message: 'Method not found' } } : { id, result });
  });
}
