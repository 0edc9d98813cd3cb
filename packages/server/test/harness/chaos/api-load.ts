import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@latchkey/test-kit';
import { type Call, keepAlive, type Load, type Outcome, send, startLoad } from '../load.ts';

const pauseMs = 60;
const mostLatest = 100;
/**
 * Success, "not now", rate-limited, or a process that is gone. Every other response is wrong, whatever happens to the
 * server.
 */
const allowed = new Set([200, 204, 429, 503, 0]);

/** Clients that continuously write and read over HTTP, and record what was acknowledged. */
export class ApiLoad implements AsyncDisposable {
  readonly #agent = keepAlive();
  readonly #servers: readonly string[];
  readonly #place: string;
  readonly #headers: Record<string, string>;
  readonly #acknowledged = new Map<number, string>();
  /** The latest of them, which are read continuously. */
  readonly #latest: number[] = [];
  #written = 0;
  #load: Load | undefined;
  readonly counts = { done: 0, refused: 0, cut: 0 };

  constructor(servers: readonly string[], { key, contract }: { key: string; contract: string }) {
    this.#servers = servers;
    this.#headers = { 'x-api-key': key };
    this.#place = `/nft-tokens/${contract}`;
  }

  /** Each loop calls one server: a frozen one delays no other. */
  start(): void {
    this.#load = startLoad(this.#servers.length * 2, async (loop, turn) => {
      const server = this.#servers[loop % this.#servers.length] ?? '';
      if (loop < this.#servers.length) await this.#write(server);
      else await this.#readOne(server, turn);
      await delay(pauseMs);
    });
  }

  async stop(): Promise<void> {
    await this.#load?.stop();
  }

  async call(server: string, call: Call): Promise<Outcome> {
    const outcome = await send(this.#agent, server, { ...call, headers: this.#headers });
    assert.ok(allowed.has(outcome.status), `${call.method} ${call.path}: ${outcome.status} ${outcome.body}`);
    if (outcome.status === 0) this.counts.cut += 1;
    else if (outcome.status >= 400) this.counts.refused += 1;
    else this.counts.done += 1;
    return outcome;
  }

  /** Sends it to one server after the other until one succeeds. */
  insist(call: Call): Promise<Outcome> {
    let tries = 0;
    return until(`${call.method} ${call.path} is done`, async () => {
      const server = this.#servers[tries % this.#servers.length] ?? '';
      tries += 1;
      const outcome = await this.call(server, call);
      return outcome.status >= 200 && outcome.status < 300 && outcome;
    });
  }

  /** How many writes were started, and how many of them acknowledged. */
  get written(): { begun: number; acknowledged: number } {
    return { begun: this.#written, acknowledged: this.#acknowledged.size };
  }

  async #write(server: string): Promise<void> {
    this.#written += 1;
    const n = this.#written;
    const name = `token ${n}`;
    const { status } = await this.call(server, { method: 'POST', path: `${this.#place}/${n}`, json: { name } });
    if (status === 200) this.#keep(n, name);
  }

  #keep(n: number, name: string): void {
    this.#acknowledged.set(n, name);
    this.#latest.push(n);
    if (this.#latest.length > mostLatest) this.#latest.shift();
  }

  async #readOne(server: string, turn: number): Promise<void> {
    const n = this.#latest[turn % this.#latest.length];
    if (n !== undefined) await this.#read(server, n);
  }

  async #read(server: string, n: number): Promise<boolean> {
    const outcome = await send(this.#agent, server, { method: 'GET', path: `${this.#place}/${n}` });
    if ([0, 429, 503].includes(outcome.status)) return false;
    assert.equal(outcome.status, 200, `write ${n} was acknowledged and is lost: ${outcome.body}`);
    assert.equal(JSON.parse(outcome.body).name, this.#acknowledged.get(n));
    return true;
  }

  /** Reads everything that was acknowledged, from the given number on. */
  async nothingIsLost(from = 0): Promise<void> {
    const left = [...this.#acknowledged.keys()].filter((n) => n > from);
    await Promise.all(
      this.#servers.map(async (server) => {
        for (let n = left.pop(); n !== undefined; n = left.pop()) {
          const number = n;
          await until(`write ${n} is read`, () => this.#read(server, number));
        }
      }),
    );
  }

  /** Returns how long the same read takes, this many times, one after the other. */
  async timeReads(count: number): Promise<number[]> {
    const [n = 1] = this.#acknowledged.keys();
    const times: number[] = [];
    for (let at = 0; at < count; at += 1) {
      const server = this.#servers[at % this.#servers.length] ?? '';
      const outcome = await send(this.#agent, server, { method: 'GET', path: `${this.#place}/${n}` });
      assert.equal(outcome.status, 200, `a read while everything is quiet: ${outcome.body}${outcome.failure}`);
      times.push(outcome.tookMs);
    }
    return times;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#load?.stop().catch(() => undefined);
    this.#agent.destroy();
  }
}
