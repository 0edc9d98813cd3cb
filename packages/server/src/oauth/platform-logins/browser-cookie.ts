import { loginTtlSeconds } from '@latchkey/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookies } from '../../http/read-cookies.ts';

/** More than anybody needs; older ones go, so that the cookies of many tries do not fill up the headers. */
const mostAtOnce = 5;
const plainName = 'latchkey-login-';

/**
 * Cookies that bind each login to the browser that began it, one for each so that several tabs do not disturb each other.
 * With https their name begins with __Host-: no other host of the same domain can plant one.
 */
export function createBrowserCookies(baseUrl: string) {
  const isSecure = baseUrl.startsWith('https:');
  const prefix = `${isSecure ? '__Host-' : ''}${plainName}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const nameOf = (state: string) => `${prefix}${state.slice(0, 8)}`;
  const forget = (reply: FastifyReply, name: string) => {
    reply.header('set-cookie', `${name}=; ${attributes}; Max-Age=0`);
  };
  return {
    set(request: FastifyRequest, reply: FastifyReply, { state, browser }: { state: string; browser: string }): void {
      const earlier = [...readCookies(request).keys()].filter((name) => name.startsWith(prefix));
      for (const name of earlier.slice(0, Math.max(0, earlier.length - mostAtOnce + 1))) forget(reply, name);
      reply.header('set-cookie', `${nameOf(state)}=${browser}; ${attributes}; Max-Age=${loginTtlSeconds}`);
    },
    /** What this browser keeps for a login; empty, which fits none, when it keeps nothing. */
    read: (request: FastifyRequest, state: string) => readCookies(request).get(nameOf(state)) ?? '',
    clear(reply: FastifyReply, state: string): void {
      if (/^\w{8,64}$/.test(state)) forget(reply, nameOf(state));
    },
  };
}
