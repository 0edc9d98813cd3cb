import { readDataUri } from '@latchkey/kernel';
import { LRUCache } from 'lru-cache';
import { ownCommunity } from '../../communities/access/index.ts';
import { EgressFailed, EgressRefused } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import type { TokenPicture } from './shapes.ts';

interface PictureRequest {
  communityId: string;
  chainId: number;
  contractAddress: string;
}

const maxBytes = 500_000;
const timeoutMs = 8_000;
const freshMs = 24 * 60 * 60 * 1000;

// A cache in memory is enough: pictures are only decoration and can be read again after a restart.
const known = new LRUCache<string, { picture: string | undefined }>({
  max: 500,
  maxSize: 50_000_000,
  sizeCalculation: ({ picture }) => (picture?.length ?? 0) + 100,
  ttl: freshMs,
});

/**
 * Returns the picture of a collection: that of its first token. Browsers get it from this server, as data, so that no
 * third-party host learns who is building a rule.
 */
export async function getTokenPicture(
  ctx: Context,
  { communityId, chainId, contractAddress }: PictureRequest,
): Promise<TokenPicture> {
  await ownCommunity(ctx, communityId);
  const chain = `evm:${chainId}`;
  const address = contractAddress.toLowerCase();
  if (!ctx.tokenMetadata.reads(chain)) return {};
  const key = `${chain}/${address}`;
  const present = known.get(key);
  if (present !== undefined) return toAnswer(present.picture);
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await ctx.tokenMetadata.readCollection(chain, address, { limit: 1, signal });
  if (answer.kind === 'unknown') return {};
  const image = answer.kind === 'read' ? imageOf(answer.documents[0]) : undefined;
  const picture = image === undefined ? undefined : await readPicture(ctx, image, signal);
  known.set(key, { picture });
  return toAnswer(picture);
}

function toAnswer(picture: string | undefined): TokenPicture {
  return picture === undefined ? {} : { picture };
}

function imageOf(document: unknown): string | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const found = [Reflect.get(document, 'image'), Reflect.get(document, 'image_url')].find(
    (value) => typeof value === 'string',
  );
  return typeof found === 'string' ? found : undefined;
}

async function readPicture(ctx: Context, uri: string, signal: AbortSignal): Promise<string | undefined> {
  const url = urlOf(uri, ctx.settings.ipfsGateway);
  try {
    const body = uri.startsWith('data:')
      ? readDataUri(uri)
      : url === undefined
        ? undefined
        : (await ctx.egress.send({ method: 'GET', url, timeoutMs, maxResponseBytes: maxBytes, signal })).body;
    return body === undefined ? undefined : asData(body);
  } catch (error) {
    if (error instanceof EgressFailed || error instanceof EgressRefused) return undefined;
    throw error;
  }
}

function urlOf(uri: string, ipfsGateway: string | undefined): string | undefined {
  if (/^https?:\/\//i.test(uri)) return uri;
  const [, path] = /^ipfs:\/\/(?:ipfs\/)?(.+)$/i.exec(uri) ?? [];
  return path === undefined || ipfsGateway === undefined ? undefined : `${ipfsGateway.replace(/\/*$/, '/')}${path}`;
}

const signatures: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/svg+xml', /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]{0,500}?-->\s*)?<svg[\s>]/i],
];

/** Detects the type from the bytes, whatever the host declares. */
function asData(bytes: Uint8Array): string | undefined {
  if (bytes.length > maxBytes) return undefined;
  const buffer = Buffer.from(bytes);
  const start = buffer.toString('latin1', 0, 1000);
  const type = signatures.find(([, pattern]) => pattern.test(start))?.[0];
  return type && `data:${type};base64,${buffer.toString('base64')}`;
}
