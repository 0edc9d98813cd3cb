import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookies } from '../http/read-cookies.ts';

/**
 * The cookie by which a browser is signed in to the console. With https its name begins with __Host-, so that no other host
 * of the same domain can plant one; over http, on one's own machine, browsers refuse such a name.
 */
export function sessionCookie(baseUrl: string) {
  const isSecure = baseUrl.startsWith('https:');
  const name = isSecure ? '__Host-latchkey' : 'latchkey-session';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: (request: Pick<FastifyRequest, 'headers'>) => readCookies(request).get(name),
    keep(reply: FastifyReply, secret: string, ttlSeconds: number): void {
      reply.header('set-cookie', `${name}=${secret}; ${attributes}; Max-Age=${ttlSeconds}`);
    },
    forget(reply: FastifyReply): void {
      reply.header('set-cookie', `${name}=; ${attributes}; Max-Age=0`);
    },
  };
}
