import type { FastifyReply } from 'fastify';

/**
 * Returns how much a client wants a media type, from 0 to 1 (RFC 9110, 12.5.1). The most specific range counts; without a
 * header, every type is welcome.
 */
export function wishFor(accept: string | undefined, type: string): number {
  if (accept === undefined || accept.trim() === '') return 1;
  const [kind = ''] = type.split('/');
  const weights = readWeights(accept);
  return weights.get(type) ?? weights.get(`${kind}/*`) ?? weights.get('*/*') ?? 0;
}

/** Returns the offered content coding that a client prefers (RFC 9110, 12.5.3); undefined for none. */
export function preferredCoding<Coding extends string>(
  acceptEncoding: string | undefined,
  offered: readonly Coding[],
): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = readWeights(acceptEncoding);
  const wish = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  // Plain bytes are always possible, but wanted only by clients that name them.
  const plain = weights.get('identity') ?? 0;
  let best: Coding | undefined;
  for (const coding of offered) if (wish(coding) > (best === undefined ? 0 : wish(best))) best = coding;
  return best !== undefined && wish(best) >= plain ? best : undefined;
}

const longestHeader = 2_000;

function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.slice(0, longestHeader).toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((word) => word.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const value = weight === undefined ? 1 : Number(weight);
    if (range !== '' && value >= 0 && value <= 1) weights.set(range, value);
  }
  return weights;
}

/** Says that the response depends on the type that the client accepts, for caches (RFC 9110, 12.5.5). */
export function varyByAccept(reply: FastifyReply): void {
  const names = String(reply.getHeader('vary') ?? '').split(/\s*,\s*/);
  if (names.some((name) => /^(accept|\*)$/i.test(name))) return;
  reply.header('vary', [...names.filter(Boolean), 'accept'].join(', '));
}
