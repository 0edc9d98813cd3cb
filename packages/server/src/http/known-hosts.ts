import { isIP } from 'node:net';
import { AppError } from '@latchkey/kernel';
import type { FastifyRequest } from 'fastify';
import { isLoopbackName } from './loopback.ts';

/** What probes and collectors ask, by whatever name they know the machine. The figures need the operator's key anyway. */
const forEverybody = new Set(['/health/live', '/health/ready', '/metrics']);

/** As much of a request as tells by which name the server was asked, and by whom. */
export interface NamedRequest extends Pick<FastifyRequest, 'headers' | 'ip' | 'url'> {
  raw: { socket: { remoteAddress?: string | undefined } };
}

export interface KnownHostOptions {
  baseUrl: string;
  extraHosts: readonly string[];
}

/**
 * Refuses requests for a host that is not this server's. A page elsewhere can make its own name lead to this machine and
 * then reads answers as its own (DNS rebinding), but the name stays in the Host header. An address of digits cannot be
 * made to lead elsewhere, and a request without a Host comes from no browser, so both pass. So does what a trusted proxy
 * forwards, which may call this server by any name. Ports are not looked at: a proxy or a tunnel may change them.
 */
export function createHostCheck({
  baseUrl,
  extraHosts,
}: KnownHostOptions): (request: NamedRequest) => AppError | undefined {
  const known = new Set([new URL(baseUrl).hostname, ...extraHosts].map((name) => name.toLowerCase()));
  return (request) => {
    const { host } = request.headers;
    const isForwarded = request.ip !== request.raw.socket.remoteAddress;
    if (host === undefined || isForwarded || forEverybody.has(request.url.split('?')[0] ?? '')) return undefined;
    const name = hostNameOf(host);
    if (name !== undefined && (known.has(name) || isLoopbackName(name) || isAddress(name))) return undefined;
    return new AppError(
      'INVALID_PARAMETER_VALUE',
      'This server does not answer to the name in the Host header. Use its own address; its operator can add names with LATCHKEY_EXTRA_HOSTS.',
    );
  };
}

function hostNameOf(host: string): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+)(?::\d{1,5})?$/i.exec(host) ?? [];
  // A name may end in the dot of the root, and means the same.
  return name?.toLowerCase().replace(/(?<=.)\.$/, '');
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
