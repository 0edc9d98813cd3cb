import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { volume } from '@latchkey/test-kit';

export interface Call {
  method: string;
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
}

export interface Outcome {
  /** 0 if there was no response; `failure` then has the reason. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  tookMs: number;
  failure?: string;
}

/** Connections that stay open between requests, one per concurrent caller. */
export function keepAlive(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() });
}

/** Sends one request, without an automatic retry. */
export function send(agent: Agent, url: string, { method, path, headers = {}, json }: Call): Promise<Outcome> {
  const since = performance.now();
  const body = json === undefined ? undefined : JSON.stringify(json);
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) =>
      resolve({
        status: 0,
        headers: {},
        body: '',
        tookMs: performance.now() - since,
        failure: error.code ?? String(error),
      });
    const sent = request(url + path, {
      agent,
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    });
    sent.once('error', fail);
    sent.once('response', (answer) => {
      text(answer).then((got) => {
        const { statusCode: status = 0, headers: gotHeaders } = answer;
        resolve({ status, headers: gotHeaders, body: got, tookMs: performance.now() - since });
      }, fail);
    });
    sent.end(body);
  });
}

export interface Load extends AsyncDisposable {
  /** Waits for the requests in flight. Throws the first failure. */
  stop(): Promise<void>;
}

/** The pause between two turns of a loop. A normal run tests what happens under load, not how much load is possible. */
const pauseMs = volume(20, 0);

/** Runs `caller` in `count` loops until stopped, or until one of them fails. */
export function startLoad(count: number, caller: (loop: number, turn: number) => Promise<void>): Load {
  let isOver = false;
  const failures: unknown[] = [];
  const loops = Array.from({ length: count }, async (_, loop) => {
    for (let turn = 0; !isOver; turn += 1) {
      await caller(loop, turn).catch((error: unknown) => {
        failures.push(error);
        isOver = true;
      });
      if (pauseMs > 0) await delay(pauseMs);
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(loops);
    if (failures.length > 0) throw failures[0];
  };
  return { stop, [Symbol.asyncDispose]: stop };
}
