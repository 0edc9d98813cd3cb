import { fieldOf, readBytes, within } from '@latchkey/adapter-kit';
import { parseExactJson } from '@latchkey/kernel';
import type { RpcFetch } from '../../endpoints/index.ts';

/** A NEAR node returned an error: the name of the cause, as the protocol defines it. */
export class NearRefusal extends Error {
  readonly reason: string;
  /** The details of the error, in a shape that depends on the cause. */
  readonly detail: unknown;

  constructor(cause: string, detail?: unknown) {
    super(`The node responded with ${cause}.`);
    this.name = 'NearRefusal';
    this.reason = cause;
    this.detail = detail;
  }
}

export interface NearRpcOptions {
  /** Nodes of one network. The next one is tried if one fails. */
  urls: readonly string[];
  timeoutMs: number;
  fetch: RpcFetch;
}

export type AskNear = (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>;

const maxResponseBytes = 64_000_000;

/** Sends a request to the nodes of a network in turn. Throws `NearRefusal` if all of them refuse, otherwise why none responded. */
export function createAskNear({ urls, timeoutMs, fetch }: NearRpcOptions): AskNear {
  return async (method, params, signal) => {
    let failure: Error = new Error('No NEAR node is configured.');
    for (const url of urls) {
      try {
        return await askNode(fetch, url, { method, params }, within(timeoutMs, signal));
      } catch (error) {
        signal.throwIfAborted();
        failure =
          error instanceof NearRefusal ? error : new Error(`NEAR node ${urls.indexOf(url) + 1}: ${reasonOf(error)}.`);
      }
    }
    throw failure;
  };
}

async function askNode(fetch: RpcFetch, url: string, question: object, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'latchkey', ...question }),
    redirect: 'error',
    signal,
  });
  const bytes = await readBytes(response, maxResponseBytes);
  if (bytes === undefined) throw new Fault('sent a response that is too large');
  const answer = parse(bytes.toString('utf8'));
  const error = fieldOf(answer, 'error');
  const cause = fieldOf(fieldOf(error, 'cause'), 'name') ?? fieldOf(error, 'name');
  // Newer nodes use an error status for refusals, older ones always 200: the body decides.
  if (typeof cause === 'string' && !/^(INTERNAL_ERROR|TIMEOUT_ERROR|NO_SYNCED_BLOCKS|NOT_SYNCED_YET)$/.test(cause))
    throw new NearRefusal(cause, fieldOf(error, 'data') ?? fieldOf(fieldOf(error, 'cause'), 'info'));
  const result = fieldOf(answer, 'result');
  if (!response.ok || result === undefined) throw new Fault(`failed (${cause ?? response.status})`);
  return result;
}

class Fault extends Error {}

// The error from fetch can contain the URL, and with it a key.
function reasonOf(error: unknown): string {
  return error instanceof Fault ? error.message : 'could not be reached';
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw new Fault('sent invalid JSON');
  }
}
