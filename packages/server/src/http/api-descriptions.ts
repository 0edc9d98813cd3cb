import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type ApiPart, AppError, describeApi, type Resource } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readExamples } from '../examples.ts';
import { openToPages } from './cors.ts';
import { preferredCoding } from './negotiate.ts';

/** A description as it is sent: plain and compressed, each with an entity tag of its own. */
interface Description {
  digest: string;
  bodies: Readonly<Record<Coding, Buffer>>;
}

type Coding = 'identity' | (typeof codings)[number];

/** In the order of preference. */
const codings = ['br', 'gzip'] as const;

interface DescriptionOptions {
  resources: readonly Resource[];
  baseUrl: string;
}

/**
 * Serves the OpenAPI documents: the published API, our own operations, or both. They are written and compressed once, at
 * the first request.
 */
export function addApiDescriptions(fastify: FastifyInstance, options: DescriptionOptions): void {
  const written = new Map<ApiPart, Promise<Description>>();
  const describe = (part: ApiPart): Promise<Description> => {
    const known = written.get(part) ?? writeDescription(part, options);
    written.set(part, known);
    // A failure is not kept.
    known.catch(() => written.delete(part));
    return known;
  };
  fastify.get('/openapi.json', async (request, reply) =>
    send(await describe(wantsAll(request) ? 'all' : 'published'), request, reply),
  );
  fastify.get('/latchkey/openapi.json', async (request, reply) => send(await describe('own'), request, reply));
}

function wantsAll({ query }: FastifyRequest): boolean {
  const { all = 'false' } = query as { all?: unknown };
  if (all === 'true' || all === 'false') return all === 'true';
  throw new AppError('INVALID_PARAMETER_VALUE', 'The parameter all must be true or false.', {
    details: { parameter: 'all' },
  });
}

async function writeDescription(part: ApiPart, { resources, baseUrl }: DescriptionOptions): Promise<Description> {
  const text = JSON.stringify(describeApi(resources, { serverUrl: baseUrl, part, examples: readExamples() }));
  const identity = Buffer.from(text);
  const [br, gzipped] = await Promise.all([
    // The highest quality takes 20 times as long, for a few percent.
    promisify(brotliCompress)(identity, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: identity.byteLength },
    }),
    promisify(gzip)(identity, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  const digest = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  return { digest, bodies: { identity, br, gzip: gzipped } };
}

function send({ digest, bodies }: Description, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  openToPages(reply);
  const coding = preferredCoding(headerOf(request, 'accept-encoding'), codings) ?? 'identity';
  // A strong tag names the exact bytes, which differ by coding (RFC 9110, 8.8.3.3).
  const tag = `"${digest}${coding === 'identity' ? '' : `-${coding}`}"`;
  reply.headers({ etag: tag, 'cache-control': 'public, no-cache', vary: 'accept-encoding' });
  if (isKnown(headerOf(request, 'if-none-match'), tag)) return reply.code(304).send();
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.type('application/json; charset=utf-8').send(bodies[coding]);
}

/** Whether the client has this version (RFC 9110, 13.1.2). */
function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(tag);
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}
