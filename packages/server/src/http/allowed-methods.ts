import type { FastifyInstance } from 'fastify';

/** Returns the methods that a path supports, in alphabetical order; none for an unknown path. */
export type AllowedMethods = (target: string) => readonly string[];

interface Route {
  method: string;
  segments: readonly string[];
}

/** Notes every route that is added from now on. The router itself only answers whether one method has a path. */
export function noteMethods(fastify: FastifyInstance): AllowedMethods {
  const routes: Route[] = [];
  fastify.addHook('onRoute', ({ method, url }) => {
    // Preflights are answered for any path.
    if (url === everyPath) return;
    for (const one of [method].flat()) routes.push({ method: one, segments: segmentsOf(url) });
  });
  return (target) => {
    // Every method is supported by some path.
    if (target === '*') return sorted(routes);
    const path = segmentsOf(target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, ''));
    return sorted(routes.filter(({ segments }) => matches(segments, path)));
  };
}

/** Where OPTIONS is answered. */
export const everyPath = '/*';

function sorted(routes: readonly Route[]): string[] {
  const methods = routes.map(({ method }) => method);
  return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].sort();
}

/** A slash at the end makes no difference. */
function segmentsOf(target: string): string[] {
  const [path = ''] = target.split(/[?#]/, 1);
  return path.replace(/(?<=.)\/$/, '').split('/');
}

function matches(segments: readonly string[], path: readonly string[]): boolean {
  const isOpenEnded = segments.at(-1) === '*';
  if (isOpenEnded ? path.length < segments.length : path.length !== segments.length) return false;
  return segments.every((segment, place) => {
    const given = path[place] ?? '';
    return segment === '*' || (segment.startsWith(':') ? given !== '' : segment === given);
  });
}
