import { type Fields, ServiceFailed } from '@latchkey/adapter-kit';
import { type Egress, EgressRefused } from '@latchkey/core/ports';
import { readDataUri } from '@latchkey/kernel';

/**
 * Reads the document behind a token's URI. Returns an empty object if there can never be one: no document, no JSON, no URL. Throws if a
 * document may exist but is unavailable, because a token must not lose its traits through a temporary failure.
 */
export type ReadDocument = (uri: string) => Promise<Fields>;

export interface DocumentOptions {
  /** Fetches URLs that untrusted parties chose. Without it, only documents inside their URI are read. */
  egress?: Egress | undefined;
  /** The HTTPS gateway for `ipfs://`: `https://ipfs.io/ipfs/`. Without it, such documents are unknown. */
  ipfsGateway?: string | undefined;
  /** The gateway for `ar://`. */
  arweaveGateway?: string | undefined;
  signal?: AbortSignal | undefined;
}

const maxDocumentBytes = 1_000_000;
const timeoutMs = 10_000;

export function createDocumentReader(options: DocumentOptions): ReadDocument {
  const { egress, signal } = options;
  return async (uri) => {
    if (uri.startsWith('data:')) return parseDocument(readDataUri(uri) ?? new Uint8Array());
    const url = urlOf(uri, options);
    if (url === undefined) return {};
    if (egress === undefined)
      throw new ServiceFailed('Token metadata cannot be read: no outbound HTTP client is configured.');
    try {
      const request = { method: 'GET', url, timeoutMs, maxResponseBytes: maxDocumentBytes } as const;
      const { status, body } = await egress.send({ ...request, ...(signal && { signal }) });
      if (status === 200) return parseDocument(body);
      if (status === 404 || status === 410) return {};
    } catch (error) {
      if (error instanceof EgressRefused) return {};
    }
    throw new ServiceFailed('A token’s metadata could not be read.');
  };
}

function urlOf(uri: string, { ipfsGateway, arweaveGateway = 'https://arweave.net/' }: DocumentOptions) {
  if (/^https?:\/\//i.test(uri)) return uri;
  const [, scheme, path = ''] = /^(ipfs|ar):\/\/(?:ipfs\/)?(.+)$/i.exec(uri) ?? [];
  if (scheme === undefined) return undefined;
  const gateway = scheme.toLowerCase() === 'ar' ? arweaveGateway : ipfsGateway;
  if (gateway === undefined) throw new ServiceFailed('Metadata on IPFS cannot be read: no gateway is configured.');
  return `${gateway.replace(/\/*$/, '/')}${path}`;
}

function parseDocument(bytes: Uint8Array): Fields {
  try {
    const document: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof document === 'object' && document !== null && !Array.isArray(document) ? { ...document } : {};
  } catch {
    return {};
  }
}
