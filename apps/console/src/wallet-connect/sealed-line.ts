import { open, seal } from './envelope.ts';
import { type Problem, walletRefused } from './problem.ts';
import { type Delivery, newId, parse, Relay, type Rest } from './relay.ts';

export interface RelayAddress {
  relayUrl: string;
  projectId: string;
}

type OnRequest = (topic: string, method: string, params: Record<string, unknown>) => void;

interface Waiting {
  resolve(result: unknown): void;
  reject(problem: Problem): void;
}

/** What a wallet may ask for by itself, and the tag of the answer. */
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

/** Requests and answers between the page and a wallet, sealed with the key of their topic: the relay reads none of them. */
export class SealedLine {
  /** Rejects when nothing more can come. */
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

  /** Sends a request and answers, once the relay has it, with the promise of what the wallet says. */
  async ask(topic: string, method: string, params: object, delivery: Delivery): Promise<{ answer: Promise<unknown> }> {
    const id = newId();
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    answer.catch(() => undefined);
    await this.#send(topic, { id, method, params }, delivery);
    return { answer };
  }

  /** Sends what needs no answer. */
  tell(topic: string, method: string, params: object, delivery: Delivery): Promise<void> {
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
