import type { FastifyRequest } from 'fastify';

/** The cookies of a request, by name. */
export function readCookies({ headers }: Pick<FastifyRequest, 'headers'>): Map<string, string> {
  const pairs = (headers.cookie ?? '').split(/; */).map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(0, at)), pair.slice(at + 1)];
  });
  return new Map(pairs);
}
