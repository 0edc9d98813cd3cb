import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Outcome } from '../connect/connect-wallet.ts';
import { t } from '../messages/index.ts';
import { encodeBase58 } from '../wallets/base58.ts';
import type { BrowserWallet } from '../wallets/wallet.ts';
import { namespacesFor, readAccounts, type SharedAccount, signMethods } from './accounts.ts';
import { newHalf, newTopic, open, seal } from './envelope.ts';
import { Problem, problemOf, problems, walletRefused } from './problem.ts';
import { type Delivery, newId, parse, Relay, type Rest } from './relay.ts';

const pauseMs = 1_000;

/** What the user sees meanwhile. */
export type View =
  | { kind: 'pairing'; uri: string }
  | { kind: 'accounts'; walletName: string; accounts: readonly SharedAccount[]; choose(account: SharedAccount): void }
  | { kind: 'signing'; walletName: string };

export interface LinkOptions {
  settings: RelayAddress & { siteName: string; evmChainIds: readonly number[] };
  namespaces: readonly string[];
  /** Has the wallet sign the server's message, like any other wallet. */
  connect(wallet: BrowserWallet): Promise<Outcome>;
  /** Cancels it silently. */
  signal: AbortSignal;
  onStep(text: string): void;
  onView(view: View | undefined): void;
}

/**
 * Links an account of a wallet that is connected by WalletConnect. It imports next to nothing from the page, so that the main bundle is not
 * split further because of it.
 */
export async function linkByWalletConnect(options: LinkOptions): Promise<Outcome> {
  const { settings, namespaces, connect, signal, onStep, onView } = options;
  const connection = new WalletConnection(settings, rest);
  const wake = () => document.visibilityState === 'visible' && connection.wake();
  const end = () => void connection.end();
  document.addEventListener('visibilitychange', wake);
  signal.addEventListener('abort', end);
  try {
    onStep(t('walletConnect.connecting'));
    const asker = { name: settings.siteName, description: t('link.title'), url: location.origin };
    const { uri, session } = await connection.propose(namespacesFor(namespaces, settings.evmChainIds), asker);
    onView({ kind: 'pairing', uri });
    onStep(t('walletConnect.waiting'));
    const agreed = await session;
    const accounts = readAccounts(agreed.shared, namespaces);
    const account = await Promise.race([chooseOf(accounts, agreed, options), connection.lost]);
    onView({ kind: 'signing', walletName: agreed.walletName });
    return await connect(asWallet(agreed, account));
  } catch (error) {
    if (signal.aborted) return new Promise(() => undefined);
    if (error instanceof Problem) return { kind: 'refused', text: error.message };
    throw error;
  } finally {
    document.removeEventListener('visibilitychange', wake);
    signal.removeEventListener('abort', end);
    onView(undefined);
    end();
  }
}

/** Switching to the wallet on a phone cuts this page's connection, and would cut a new one too. */
async function rest(failures: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, failures * pauseMs));
  if (document.visibilityState === 'visible') return;
  await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
}

async function chooseOf(
  accounts: readonly SharedAccount[],
  { walletName }: Session,
  { onStep, onView }: LinkOptions,
): Promise<SharedAccount> {
  const [first] = accounts;
  if (first !== undefined && accounts.length === 1) return first;
  onStep(t('walletConnect.chooseAccount', { wallet: walletName }));
  return new Promise((choose) => onView({ kind: 'accounts', walletName, accounts, choose }));
}

function asWallet({ walletName, request }: Session, account: SharedAccount): BrowserWallet {
  const { namespace, chain, accountId, address } = account;
  const sign = async (message: string) => {
    const params =
      namespace === 'evm'
        ? [`0x${bytesToHex(utf8ToBytes(message))}`, address]
        : { message: encodeBase58(utf8ToBytes(message)), pubkey: address };
    const answer = await request(chain, signMethods[namespace], params);
    const signature: unknown = namespace === 'evm' ? answer : Object(answer).signature;
    if (typeof signature !== 'string') throw problemOf(problems.cannotSign);
    return signature;
  };
  const open = async () => ({ accountId, address, sign });
  return { key: 'walletconnect', name: walletName, icon: undefined, rdns: undefined, namespace, open };
}

/** The requesting site, as the wallet shows it. */
interface Asker {
  name: string;
  description: string;
  url: string;
}

interface Pairing {
  /** The content of the QR code or link for the wallet (ERC-1328). */
  uri: string;
  /** Resolves when the wallet approves. */
  session: Promise<Session>;
}

/** What a wallet approved. */
interface Session {
  walletName: string;
  /** The accounts and their methods, by namespace, as the wallet sent them. */
  shared: unknown;
  /** Sends a request for an account of a chain to the wallet. */
  request(chain: string, method: string, params: unknown): Promise<unknown>;
}

const fiveMinutesSeconds = 300;
const daySeconds = 86_400;
const proposal: Delivery = { ttl: fiveMinutesSeconds, tag: 1100, prompt: true };
const request: Delivery = { ttl: fiveMinutesSeconds, tag: 1108, prompt: true };
const goodbye: Delivery = { ttl: daySeconds, tag: 1112, prompt: false };

/**
 * The page's side of WalletConnect 2 (specs.walletconnect.com): one pairing and one session, in memory. It connects only to the relay: no
 * telemetry, no verification server, no list of wallets.
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
        this.#line.lose(problemOf(problems.ended));
      }
    });
  }

  /** Rejects when the connection or the session is lost. */
  get lost(): Promise<never> {
    return this.#line.lost;
  }

  /** Starts a pairing, which expires. */
  propose(namespaces: object, asker: Asker, ttlSeconds: number = fiveMinutesSeconds): Promise<Pairing> {
    this.#loseAfter(ttlSeconds, problems.expired);
    return Promise.race([this.#propose(namespaces, asker, ttlSeconds), this.lost]);
  }

  /** Reconnects when the user is back at the page. */
  wake(): void {
    this.#line.renew();
  }

  /** Notifies the wallet of the end, and deletes everything. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    const topic = this.#sessionTopic;
    this.#sessionTopic = undefined;
    if (topic !== undefined) {
      const reason = { code: 6000, message: 'User disconnected.' };
      const report = this.#line.notify(topic, 'wc_sessionDelete', reason, goodbye);
      await Promise.race([report, this.lost]).catch(() => undefined);
    }
    this.#line.close();
    this.#line.lose(problemOf(problems.ended));
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

  /** Moves from the pairing to the session, and waits for the wallet's settlement. */
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
      request: (...args) => Promise.race([this.#request(topic, ...args), this.lost]),
    };
  }

  async #request(topic: string, chainId: string, method: string, params: unknown): Promise<unknown> {
    this.#loseAfter(fiveMinutesSeconds, problems.late);
    const requested = { request: { method, params, expiryTimestamp: nowSeconds() + fiveMinutesSeconds }, chainId };
    const { answer } = await this.#line.ask(topic, 'wc_sessionRequest', requested, request);
    return answer.finally(() => clearTimeout(this.#timer));
  }

  #loseAfter(seconds: number, problem: Parameters<typeof problemOf>[0]): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#line.lose(problemOf(problem)), seconds * 1_000);
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

/** Returns the wallet's own name. */
function nameOf(controller: unknown): string {
  const name: unknown = Object(Object(controller).metadata).name;
  return typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 40) : t('walletConnect.yourWallet');
}

interface RelayAddress {
  relayUrl: string;
  projectId: string;
}

type OnRequest = (topic: string, method: string, params: Record<string, unknown>) => void;

interface Waiting {
  resolve(result: unknown): void;
  reject(problem: Problem): void;
}

/** What a wallet may request by itself, and the tag of the response. */
const answerTags: Readonly<Record<string, number>> = {
  wc_pairingDelete: 1001,
  wc_pairingPing: 1003,
  wc_sessionSettle: 1103,
  wc_sessionUpdate: 1105,
  wc_sessionExtend: 1107,
  wc_sessionEvent: 1111,
  wc_sessionDelete: 1113,
  wc_sessionPing: 1115,
};
const answerSeconds = 300;

/** Requests and responses between the page and a wallet, sealed with the key of their topic: the relay cannot read them. */
class SealedLine {
  /** Rejects when nothing more can arrive. */
  readonly lost: Promise<never>;
  readonly #relay: Relay;
  readonly #keys = new Map<string, Uint8Array>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #onRequest: OnRequest;
  #lose: (problem: Problem) => void = () => undefined;

  constructor({ relayUrl, projectId }: RelayAddress, rest: Rest, onRequest: OnRequest) {
    this.#onRequest = onRequest;
    this.lost = new Promise((_resolve, reject) => {
      this.#lose = reject;
    });
    this.lost.catch(() => undefined);
    this.#relay = new Relay({
      url: relayUrl,
      projectId,
      rest,
      onMessage: (topic, message) => this.#receive(topic, message),
      onLost: (problem) => this.#lose(problem),
    });
  }

  listen(topic: string, key: Uint8Array): Promise<void> {
    this.#keys.set(topic, key);
    return this.#relay.subscribe(topic);
  }

  /** Sends a request. Resolves once the relay has it, with the promise of the wallet's response. */
  async ask(topic: string, method: string, params: object, delivery: Delivery): Promise<{ answer: Promise<unknown> }> {
    const id = newId();
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    answer.catch(() => undefined);
    await this.#send(topic, { id, method, params }, delivery);
    return { answer };
  }

  /** Sends a message that needs no response. */
  notify(topic: string, method: string, params: object, delivery: Delivery): Promise<void> {
    return this.#send(topic, { id: newId(), method, params }, delivery);
  }

  lose(problem: Problem): void {
    this.#lose(problem);
  }

  renew(): void {
    this.#relay.renew();
  }

  close(): void {
    this.#relay.close();
    this.#keys.clear();
  }

  async #send(topic: string, payload: object, delivery: Delivery): Promise<void> {
    const key = this.#keys.get(topic);
    if (key === undefined) return;
    await this.#relay.publish(topic, seal(key, JSON.stringify({ jsonrpc: '2.0', ...payload })), delivery);
  }

  #receive(topic: string, message: string): void {
    const key = this.#keys.get(topic);
    const text = key === undefined ? undefined : open(key, message);
    if (text === undefined) return;
    const { id, method, params, result, error } = parse(text);
    if (typeof method === 'string') {
      this.#answer(topic, id, method);
      this.#onRequest(topic, method, Object(params));
      return;
    }
    const waiting = this.#waiting.get(Number(id));
    this.#waiting.delete(Number(id));
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(walletRefused(error));
  }

  #answer(topic: string, id: unknown, method: string): void {
    const tag = answerTags[method];
    const unknown = { error: { code: 10_001, message: 'Unsupported wc_ method.' } };
    const answer = { id, ...(tag === undefined ? unknown : { result: true }) };
    this.#send(topic, answer, { ttl: answerSeconds, tag: tag ?? 0, prompt: false }).catch(() => undefined);
  }
}
