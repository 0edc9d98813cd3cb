import { bytesToHex } from '@noble/hashes/utils.js';
import { newHalf, newTopic } from './envelope.ts';
import { Problem, problems } from './problem.ts';
import type { Delivery, Rest } from './relay.ts';
import { type RelayAddress, SealedLine } from './sealed-line.ts';

/** Who asks, as the wallet shows it. */
export interface Asker {
  name: string;
  description: string;
  url: string;
}

export interface Pairing {
  /** What a QR code or a link carries to the wallet (ERC-1328). */
  uri: string;
  /** Comes when the wallet approves. */
  session: Promise<Session>;
}

/** What a wallet agreed to. */
export interface Session {
  walletName: string;
  /** The accounts and what they can do, by namespace, as the wallet wrote it. */
  shared: unknown;
  /** Has the wallet do something with an account of a chain. */
  request(chain: string, method: string, params: unknown): Promise<unknown>;
}

const fiveMinutesSeconds = 300;
const daySeconds = 86_400;
const proposal: Delivery = { ttl: fiveMinutesSeconds, tag: 1100, prompt: true };
const request: Delivery = { ttl: fiveMinutesSeconds, tag: 1108, prompt: true };
const goodbye: Delivery = { ttl: daySeconds, tag: 1112, prompt: false };

/**
 * The page's side of WalletConnect 2 (specs.walletconnect.com): one pairing and one session, in memory. It talks to the relay
 * and to nobody else: no telemetry, no server that checks names, no list of wallets.
 */
export class WalletConnection {
  readonly #line: SealedLine;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sessionTopic: string | undefined;
  #settle: (params: Record<string, unknown>) => void = () => undefined;

  constructor(relay: RelayAddress, rest: Rest) {
    this.#line = new SealedLine(relay, rest, (topic, method, params) => {
      if (topic !== this.#sessionTopic) return;
      if (method === 'wc_sessionSettle') this.#settle(params);
      if (method === 'wc_sessionDelete') {
        this.#sessionTopic = undefined;
        this.#line.lose(new Problem(problems.ended));
      }
    });
  }

  /** Rejects when the line or the session is lost. */
  get lost(): Promise<never> {
    return this.#line.lost;
  }

  /** Begins a pairing, which expires. */
  propose(namespaces: object, asker: Asker, ttlSeconds: number = fiveMinutesSeconds): Promise<Pairing> {
    this.#loseAfter(ttlSeconds, problems.expired);
    return Promise.race([this.#propose(namespaces, asker, ttlSeconds), this.lost]);
  }

  /** Makes the line anew, once the person is back at the page. */
  wake(): void {
    this.#line.renew();
  }

  /** Tells the wallet that it is over, and forgets everything. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    const topic = this.#sessionTopic;
    this.#sessionTopic = undefined;
    if (topic !== undefined) {
      const reason = { code: 6000, message: 'User disconnected.' };
      const told = this.#line.tell(topic, 'wc_sessionDelete', reason, goodbye);
      await Promise.race([told, this.lost]).catch(() => undefined);
    }
    this.#line.close();
    this.#line.lose(new Problem(problems.ended));
  }

  async #propose(optionalNamespaces: object, asker: Asker, ttlSeconds: number): Promise<Pairing> {
    const { topic, key } = newTopic();
    const half = newHalf();
    const expiryTimestamp = nowSeconds() + ttlSeconds;
    await this.#line.listen(topic, key);
    const proposed = {
      requiredNamespaces: {},
      optionalNamespaces,
      relays: [{ protocol: 'irn' }],
      proposer: { publicKey: half.publicKey, metadata: { ...asker, icons: [] } },
      expiryTimestamp,
      pairingTopic: topic,
    };
    const { answer } = await this.#line.ask(topic, 'wc_sessionPropose', proposed, proposal);
    const session = answer.then((result) => this.#join(half.meet(String(Object(result).responderPublicKey))));
    const query = new URLSearchParams({
      'relay-protocol': 'irn',
      symKey: bytesToHex(key),
      expiryTimestamp: String(expiryTimestamp),
    });
    return { uri: `wc:${topic}@2?${query}`, session: Promise.race([session, this.lost]) };
  }

  /** Goes from the pairing to the session, and waits for what the wallet settles on. */
  async #join({ topic, key }: { topic: string; key: Uint8Array }): Promise<Session> {
    const settled = new Promise<Record<string, unknown>>((resolve) => {
      this.#settle = resolve;
    });
    this.#sessionTopic = topic;
    await this.#line.listen(topic, key);
    const { namespaces, controller } = await settled;
    clearTimeout(this.#timer);
    return {
      walletName: nameOf(controller),
      shared: namespaces,
      request: (...asked) => Promise.race([this.#request(topic, ...asked), this.lost]),
    };
  }

  async #request(topic: string, chainId: string, method: string, params: unknown): Promise<unknown> {
    this.#loseAfter(fiveMinutesSeconds, problems.late);
    const asked = { request: { method, params, expiryTimestamp: nowSeconds() + fiveMinutesSeconds }, chainId };
    const { answer } = await this.#line.ask(topic, 'wc_sessionRequest', asked, request);
    return answer.finally(() => clearTimeout(this.#timer));
  }

  #loseAfter(seconds: number, problem: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#line.lose(new Problem(problem)), seconds * 1_000);
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

/** The name that a wallet gives itself. */
function nameOf(controller: unknown): string {
  const name: unknown = Object(Object(controller).metadata).name;
  return typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 40) : 'your wallet';
}
