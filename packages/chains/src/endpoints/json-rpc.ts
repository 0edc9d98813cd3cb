import { readBytes } from '@latchkey/adapter-kit';
import { EndpointFault, EndpointRefusal } from './failures.ts';

/** The part of `fetch` that JSON-RPC needs. */
export type RpcFetch = (url: string, init: RequestInit) => Promise<Response>;

export interface JsonRpcRequest {
  url: string;
  method: string;
  params: readonly unknown[];
  signal?: AbortSignal | undefined;
  fetch: RpcFetch;
}

const maxResponseBytes = 64_000_000;

/** Sends one JSON-RPC request over HTTP. Throws `EndpointRefusal` for an error that the node returned, otherwise `EndpointFault`. */
export async function askJsonRpc({ url, method, params, signal, fetch }: JsonRpcRequest): Promise<unknown> {
  const response = await post(fetch, url, { method, params }, signal);
  const { status } = response;
  const body = await readBody(response);
  if (status === 413) throw new EndpointRefusal(413, 'request too large');
  if (status === 429) throw new EndpointFault('rate-limited the request (429)');
  if (status === 401 || status === 403) throw new EndpointFault(`did not accept the key (${status})`);
  const answer = parse(body);
  const refusal = answer && Reflect.get(answer, 'error');
  if (refusal && (status < 300 || status === 400)) throw toRefusal(refusal);
  if (status >= 300) throw new EndpointFault(`failed (${status})`);
  if (!answer || Reflect.get(answer, 'id') !== 1 || !('result' in answer)) {
    throw new EndpointFault('sent an invalid JSON-RPC response');
  }
  return answer.result;
}

async function post(fetch: RpcFetch, url: string, question: object, signal: AbortSignal | undefined) {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...question }),
      redirect: 'error',
      ...(signal !== undefined && { signal }),
    });
  } catch {
    // The error from fetch can contain the URL, and with it a key.
    throw new EndpointFault('could not be reached');
  }
}

async function readBody(response: Response): Promise<string> {
  const bytes = await readBytes(response, maxResponseBytes).catch(() => {
    throw new EndpointFault('closed the connection mid-response');
  });
  if (bytes === undefined) throw new EndpointFault('sent a response that is too large');
  return bytes.toString('utf8');
}

function parse(body: string): object | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function toRefusal(error: unknown): EndpointRefusal {
  const { code, message, data } = Object(error);
  const details = [message, data].map((part) => (typeof part === 'string' ? part : JSON.stringify(part ?? '')));
  return new EndpointRefusal(typeof code === 'number' ? code : 0, details.join(' '));
}
