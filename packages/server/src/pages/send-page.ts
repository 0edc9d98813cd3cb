import type { PageData } from '@latchkey/kernel';
import type { FastifyReply } from 'fastify';
import { consoleBuild } from './build.ts';
import { writeDocument } from './document.ts';

/**
 * Nothing runs but our own files, nothing is loaded from or sent to anywhere else, no other page can frame this one, and
 * no text can become a script. Wallets bring their icons as data. Only where the operator chose WalletConnect, the page
 * that links wallets may talk to its relay.
 */
const contentSecurityPolicy = (formTargets: readonly string[], relays: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["connect-src 'self'", ...relays].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    `form-action ${formTargets.length === 0 ? "'none'" : formTargets.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const headers = {
  'cache-control': 'no-store',
  // Some wallets sign in a window that they open; nobody else gets a hold of this one.
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), geolocation=(), microphone=(), payment=(), publickey-credentials-create=(self), publickey-credentials-get=(self)',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

/**
 * Answers with a page of the console that is told `data`. The data may hold a token of the person: the page is neither
 * kept by caches nor named to other sites.
 */
export function sendPage(reply: FastifyReply, data: PageData, formTargets: readonly string[] = []): FastifyReply {
  const html = writeDocument(data, consoleBuild.page(data.page === 'console' ? 'console' : 'main'));
  const policy = { 'content-security-policy': contentSecurityPolicy(formTargets, relaysOf(data)) };
  return reply
    .headers({ ...headers, ...policy })
    .type('text/html; charset=utf-8')
    .send(html);
}

function relaysOf(data: PageData): string[] {
  if (data.page !== 'connect' || data.walletConnect === undefined) return [];
  const { protocol, host } = new URL(data.walletConnect.relayUrl);
  return [`${protocol}//${host}`];
}
