import { isObject } from '@latchkey/kernel';
import { LRUCache } from 'lru-cache';
import { remember } from './chain-view.ts';
import { textAt } from './decode-words.ts';
import { word } from './encode-calls.ts';
import { callData, contractOf, type DescribeToken, tryWords } from './reading.ts';

/** Fetches JSON from a URL chosen by an untrusted party. Refuses private addresses; throws when there is no response. */
export type FetchJson = (url: string, options: FetchJsonOptions) => Promise<unknown>;

export interface FetchJsonOptions {
  maxBytes: number;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface MetadataOptions {
  /** Without it, only tokens with on-chain metadata can be described. */
  fetchJson?: FetchJson | undefined;
  /** The HTTPS gateway for `ipfs://`: `https://ipfs.io/ipfs/`. */
  ipfsGateway?: string | undefined;
  maxBytes?: number | undefined;
  timeoutMs?: number | undefined;
  fetchesAtOnce?: number | undefined;
}

export function createDescribeToken(options: MetadataOptions): DescribeToken {
  const { maxBytes = 256_000, timeoutMs = 5_000, fetchesAtOnce = 8, fetchJson } = options;
  const documents = new LRUCache<string, Promise<unknown>>({ max: 2_000 });
  const inTurn = createTurns(fetchesAtOnce);
  const load = async (uri: string, signal: AbortSignal | undefined): Promise<unknown> => {
    if (uri.startsWith('data:')) return parseDataUri(uri, maxBytes);
    const url = toUrl(uri, options.ipfsGateway);
    if (url === undefined || fetchJson === undefined) throw new Error('This address cannot be fetched.');
    return inTurn(() => fetchJson(url, { maxBytes, timeoutMs, signal }));
  };
  return async (reading, token, uriFunction) => {
    const { view } = reading;
    const words = await tryWords(view, contractOf(reading), callData(uriFunction, BigInt(token.id)));
    const uri = words && textAt(words, 0)?.trim();
    // A token without a metadata URI has no metadata, and that is a known result.
    if (!uri) return { ...token, metadata: {} };
    const filled = uri.replaceAll('{id}', word(BigInt(token.id)));
    const named = filled.startsWith('data:') ? token : { ...token, uri: filled };
    try {
      const key = isLasting(filled) ? filled : `${view.block.hash} ${filled}`;
      const document = await remember(documents, key, () => load(filled, view.signal));
      return isObject(document) ? { ...named, metadata: { ...document } } : named;
    } catch {
      return named;
    }
  };
}

// Such a URI is derived from its content, which therefore never changes.
function isLasting(uri: string): boolean {
  return uri.startsWith('data:') || uri.startsWith('ipfs://');
}

function toUrl(uri: string, ipfsGateway: string | undefined): string | undefined {
  if (/^https?:\/\//i.test(uri)) return uri;
  const [, path] = /^ipfs:\/\/(?:ipfs\/)?(.+)$/i.exec(uri) ?? [];
  if (path === undefined || ipfsGateway === undefined) return undefined;
  return `${ipfsGateway.replace(/\/*$/, '/')}${path}`;
}

function parseDataUri(uri: string, maxBytes: number): unknown {
  const comma = uri.indexOf(',');
  if (comma < 0 || uri.length > maxBytes * 2) throw new Error('The document in the address is too long or missing.');
  const body = uri.slice(comma + 1);
  const isBase64 = /;base64$/i.test(uri.slice(0, comma));
  return JSON.parse(isBase64 ? Buffer.from(body, 'base64').toString('utf8') : decode(body));
}

// Contracts that write JSON into the URI often leave percent signs unescaped.
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Limits how many run at a time. The others wait for their turn. */
function createTurns(limit: number): <T>(act: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (act) => {
    if (running < limit) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
