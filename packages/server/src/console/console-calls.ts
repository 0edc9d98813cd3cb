import type { FastifyRequest } from 'fastify';

/**
 * Whether a page of the console made the request. Pages of other origins cannot send this header: browsers ask first, and
 * are told of no such header (see `addPreflights`). The cookie of the console counts only beside it.
 */
export function isConsoleCall({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['x-latchkey-console'] === '1';
}

/** Whether the browser says that a page of another origin made the request. Browsers set this header, pages cannot. */
export function isFromElsewhere({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}
