import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToHex, concatBytes, randomBytes } from '@noble/hashes/utils.js';
import { encodeBase58 } from '../wallets/base58.ts';
import { type Problem, problemOf, problems, relayRefused } from './problem.ts';

/** Resolves when it is worth reconnecting after this many failures. */
export type Rest = (failures: number) => Promise<void>;

export interface RelayOptions {
  url: string;
  projectId: string;
  onMessage(topic: string, message: string): void;
  /** Called when nothing more will arrive. */
  onLost(problem: Problem): void;
  rest: Rest;
}

/** How a message is delivered: how long it is stored, its tag, and whether to wake the wallet with a notification. */
export interface Delivery {
  ttl: number;
  tag: number;
  prompt: boolean;
}

interface Waiting {
  payload: string;
  resolve(): void;
  reject(problem: Problem): void;
}

const tries = 3;
const connectMs = 15_000;
/** The relay's close code for an unknown project or origin. All other codes are of lost connections. */
const unauthorized = 3_000;

/**
 * A connection to the relay. It is lost when a phone switches to the wallet and back, and then reopened: the relay stores what arrived
 * meanwhile, and unconfirmed messages are sent again.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #newToken: () => string;
  readonly #topics = new Set<string>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #seen = new Set<string>();
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #hasOpened = false;
  #isOver = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#newToken = createTokens(options.url);
    this.#connect();
  }

  subscribe(topic: string): Promise<void> {
    this.#topics.add(topic);
    return this.#request('irn_subscribe', { topic });
  }

  publish(topic: string, message: string, delivery: Delivery): Promise<void> {
    return this.#request('irn_publish', { topic, message, ...delivery });
  }

  /** Reconnects: a connection that was suspended may be dead without an error. */
  renew(): void {
    if (!this.#isOver && this.#socket?.readyState === WebSocket.OPEN) this.#connect();
  }

  close(): void {
    this.#isOver = true;
    this.#drop();
  }

  #request(method: string, params: object): Promise<void> {
    const id = newId();
    const payload = JSON.stringify({ id, jsonrpc: '2.0', method, params });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { payload, resolve, reject });
      this.#send(payload);
    });
  }

  #send(payload: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(payload);
  }

  #connect(): void {
    this.#drop();
    const { url, projectId } = this.#options;
    const query = new URLSearchParams({ auth: this.#newToken(), projectId, useOnCloseEvent: 'true' });
    const socket = new WebSocket(`${url}/?${query}`);
    this.#timer = setTimeout(() => socket.close(), connectMs);
    this.#socket = socket;
    socket.onopen = () => {
      clearTimeout(this.#timer);
      this.#failures = 0;
      for (const { payload } of this.#waiting.values()) this.#send(payload);
      if (this.#hasOpened) for (const topic of this.#topics) this.subscribe(topic).catch(() => undefined);
      this.#hasOpened = true;
    };
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onclose = ({ code, reason }) => void this.#recover(code, reason);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    if (this.#socket === undefined) return;
    this.#socket.onclose = null;
    this.#socket.onmessage = null;
    this.#socket.close();
    this.#socket = undefined;
  }

  async #recover(code: number, reason: string): Promise<void> {
    clearTimeout(this.#timer);
    this.#socket = undefined;
    if (code === unauthorized) return this.#lose(relayRefused(reason));
    this.#failures += 1;
    if (this.#failures >= tries) return this.#lose(problemOf(problems.unreachable));
    await this.#options.rest(this.#failures);
    if (!this.#isOver && this.#socket === undefined) this.#connect();
  }

  #lose(problem: Problem): void {
    this.close();
    for (const { reject } of this.#waiting.values()) reject(problem);
    this.#waiting.clear();
    this.#options.onLost(problem);
  }

  #receive(data: string): void {
    const { id, method, params, error } = parse(data);
    if (method === 'irn_subscription') {
      this.#send(JSON.stringify({ id, jsonrpc: '2.0', result: true }));
      const { topic, message } = Object(Object(params).data);
      // Messages are delivered at least once.
      if (typeof topic !== 'string' || typeof message !== 'string' || this.#seen.has(message)) return;
      this.#seen.add(message);
      this.#options.onMessage(topic, message);
      return;
    }
    const waiting = this.#waiting.get(Number(id));
    this.#waiting.delete(Number(id));
    if (error === undefined) waiting?.resolve();
    else waiting?.reject(relayRefused(String(Object(error).message ?? '')));
  }
}

/** Parses JSON. Returns an empty object for anything other than an object. */
export function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

let lastId = 0;

/** Returns the time and three digits, like WalletConnect clients number their messages. Never returns the same number twice. */
export function newId(): number {
  const [digits = 0] = crypto.getRandomValues(new Uint32Array(1));
  lastId = Math.max(lastId + 1, Date.now() * 1_000 + (digits % 1_000));
  return lastId;
}

const daySeconds = 86_400;
/** The multicodec prefix of an Ed25519 key in a did:key. */
const ed25519Prefix = Uint8Array.of(0xed, 0x01);

/** Signs tokens for a relay with a key that is generated for this one connection and stored nowhere. */
function createTokens(relayUrl: string): () => string {
  const { secretKey, publicKey } = ed25519.keygen();
  const iss = `did:key:z${encodeBase58(concatBytes(ed25519Prefix, publicKey))}`;
  return () => {
    const iat = Math.floor(Date.now() / 1000);
    const payload = { iss, sub: bytesToHex(randomBytes(32)), aud: relayUrl, iat, exp: iat + daySeconds };
    const signed = [{ alg: 'EdDSA', typ: 'JWT' }, payload].map((part) => encode(JSON.stringify(part))).join('.');
    const signature = ed25519.sign(new TextEncoder().encode(signed), secretKey);
    return `${signed}.${encode(String.fromCharCode(...signature))}`;
  };
}

function encode(bytes: string): string {
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
