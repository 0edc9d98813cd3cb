import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Server } from 'node:http';
import { base58 } from '@scure/base';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Clock, systemMs } from '../clock.ts';
import { type EmulatorAddress, type HttpEmulator, startHttpEmulator } from '../http-emulator/index.ts';

export interface WalletConnectRelay extends Pick<HttpEmulator, 'stop'> {
  /** The URL that clients connect to. */
  url: string;
  /** The projects whose clients may connect. */
  projectIds: Set<string>;
  /** The pages and projects of the clients that connected, in order. */
  connections: { origin: string | undefined; projectId: string }[];
  /** Returns the tags of published messages, in order. */
  tags(): number[];
  /** Cuts every connection. Clients may reconnect. */
  cut(): void;
  /** Requests every client to reconnect, as the relay does to balance its load. */
  rebalance(): void;
}

const unauthorized = 3000;
const rebalancing = 4010;

/** Starts the WalletConnect relay: passes on encrypted messages between pages and wallets, by topic (the irn protocol). */
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
  let report = 0;
  const send = (payload: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...payload }));
  const client: Client = {
    did,
    topics: new Set(),
    deliver: (params) => {
      report += 1;
      send({ id: report, method: 'irn_subscription', params });
    },
  };
  mailbox.clients.add(client);
  socket.on('close', () => mailbox.clients.delete(client));
  socket.on('message', (data) => {
    const { id, method, params } = Object(JSON.parse(String(data)));
    // A message without a method is an acknowledgement.
    if (typeof method !== 'string') return;
    const result = runMethod(mailbox, client, method, Object(params));
    send(result === undefined ? { id, error: { code: -32601, message: 'Method not found' } } : { id, result });
  });
}

/** The DER prefix of an Ed25519 key (RFC 8410). */
const derStart = Buffer.from('302a300506032b6570032100', 'hex');
/** The multicodec prefix of an Ed25519 key in a did:key. */
const didStart = Buffer.from('ed01', 'hex');

/** Returns the did:key of a client, if its token was signed for this relay. */
function readToken(token: string, relayUrl: string, now: number): string | undefined {
  const [header = '', payload = '', signature = ''] = token.split('.');
  try {
    const { alg } = read(header);
    const { iss, aud, exp } = read(payload);
    if (alg !== 'EdDSA' || aud !== relayUrl || Number(exp) * 1000 < now || typeof iss !== 'string') return undefined;
    const key = createPublicKey({ key: Buffer.concat([derStart, keyOf(iss)]), format: 'der', type: 'spki' });
    const isSigned = verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
    return isSigned ? iss : undefined;
  } catch {
    return undefined;
  }
}

function read(part: string): Record<string, unknown> {
  return Object(JSON.parse(Buffer.from(part, 'base64url').toString()));
}

function keyOf(did: string): Buffer {
  if (!did.startsWith('did:key:z')) throw new Error('Not a did:key in base 58.');
  const bytes = Buffer.from(base58.decode(did.slice('did:key:z'.length)));
  if (!bytes.subarray(0, 2).equals(didStart) || bytes.length !== 34) throw new Error('Not an Ed25519 key.');
  return bytes.subarray(2);
}

const [proposed, answered, settled] = [1100, 1101, 1102];

/** Runs a method of the relay's JSON-RPC. Undefined means an unknown method. */
function runMethod(mailbox: Mailbox, client: Client, method: string, params: Record<string, unknown>): unknown {
  const topic = String(params.topic);
  const topics = Array.isArray(params.topics) ? params.topics.map(String) : [];
  const publish = (to: unknown, message: unknown, tag: unknown) =>
    mailbox.publish(client, { topic: String(to), message: String(message), tag: Number(tag) }, Number(params.ttl));
  switch (method) {
    case 'irn_publish':
      return publish(topic, params.message, params.tag);
    case 'irn_subscribe':
      return mailbox.subscribe(client, topic);
    case 'irn_batchSubscribe':
      return topics.map((each) => mailbox.subscribe(client, each));
    case 'irn_unsubscribe':
      client.topics.delete(topic);
      return true;
    case 'irn_fetchMessages':
      return { messages: mailbox.waiting(client, topic), hasMore: false };
    case 'irn_batchFetchMessages':
      return { messages: topics.flatMap((each) => mailbox.waiting(client, each)), hasMore: false };
    case 'wc_proposeSession':
      mailbox.subscribe(client, String(params.pairingTopic));
      return publish(params.pairingTopic, params.sessionProposal, proposed);
    case 'wc_approveSession':
      mailbox.subscribe(client, String(params.sessionTopic));
      publish(params.pairingTopic, params.sessionProposalResponse, answered);
      return publish(params.sessionTopic, params.sessionSettlementRequest, settled);
    default:
      return undefined;
  }
}

interface Published {
  topic: string;
  message: string;
  /** The type of the message; the relay cannot read its contents. */
  tag: number;
}

interface Message extends Published {
  publishedAt: number;
}

/** A connected client, by the name it signs with. */
interface Client {
  did: string;
  topics: Set<string>;
  deliver(subscription: { id: string; data: Message }): void;
}

interface Kept extends Message {
  from: string;
  expiresAt: number;
}

/** Stores messages published under a topic until they expire, and delivers them to every other subscriber of the topic. */
class Mailbox {
  readonly clients: Set<Client> = new Set();
  readonly kept: Kept[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  publish(from: Client, published: Published, ttlSeconds: number): true {
    const publishedAt = this.#clock();
    this.kept.push({ ...published, publishedAt, from: from.did, expiresAt: publishedAt + ttlSeconds * 1000 });
    for (const client of this.clients)
      if (client.did !== from.did && client.topics.has(published.topic)) deliver(client, { ...published, publishedAt });
    return true;
  }

  subscribe(client: Client, topic: string): string {
    client.topics.add(topic);
    for (const message of this.waiting(client, topic)) deliver(client, message);
    return subscriptionId(client, topic);
  }

  waiting(client: Client, topic: string): Message[] {
    const now = this.#clock();
    return this.kept
      .filter((kept) => kept.topic === topic && kept.from !== client.did && kept.expiresAt > now)
      .map(({ message, tag, publishedAt }) => ({ topic, message, tag, publishedAt }));
  }
}

function deliver(client: Client, data: Message): void {
  client.deliver({ id: subscriptionId(client, data.topic), data });
}

function subscriptionId({ did }: Client, topic: string): string {
  return createHash('sha256').update(`${topic}${did}`).digest('hex');
}
