import { isIP, type Socket } from 'node:net';
import { type Egress, EgressRefused } from '@latchkey/core/ports';
import { announce } from './announce.ts';
import { openSocket } from './configured.ts';
import { type Resolve, systemResolve } from './resolve.ts';
import { checkAddress, hostOf, portOf } from './target.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** Statuses whose answers have no body, which `Response` insists on. */
const bodiless = [101, 204, 205, 304];

/** A `fetch` for addresses that somebody outside chose, for libraries that make requests of their own. */
export function guardedFetch(egress: Egress): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const method = methods.find((known) => known === request.method);
    if (method === undefined) throw new EgressRefused('header', `Requests with ${request.method} are not sent.`);
    const body = new Uint8Array(await request.arrayBuffer());
    const answer = await egress.send({
      method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      ...(body.length > 0 && { body }),
      signal: request.signal,
    });
    return new Response(bodiless.includes(answer.status) ? null : Buffer.from(answer.body), {
      status: answer.status,
      headers: answer.headers,
    });
  };
}

/** A connection over TCP to a public address that a peer named. */
export function connectGuarded({ host, port }: { host: string; port: number }): Socket {
  if (isIP(host) === 0) throw new EgressRefused('host', 'Only an address can be connected to, not a name.');
  checkAddress(host, host, () => false);
  announce('guarded', host, port);
  return openSocket({ host, port });
}

/**
 * Judges the address of a WebSocket before a library that connects by itself does so: it must be on a configured host, or
 * encrypted and at a public address.
 */
export function permitSocketTo(urls: readonly string[], resolve: Resolve = systemResolve(() => false)) {
  const configured = urls.map((url) => hostOf(new URL(url)));
  return async (address: string): Promise<void> => {
    const url = new URL(address);
    const [host, port] = [hostOf(url), portOf(url)];
    if (configured.includes(host)) return announce('configured', host, port);
    if (url.protocol !== 'wss:')
      throw new EgressRefused('scheme', 'A WebSocket to another host than a configured one must be encrypted.');
    const found = isIP(host) === 0 ? await resolve(host) : [host];
    if (found.length === 0) throw new EgressRefused('host', `${host} has no address.`);
    for (const one of found) checkAddress(one, host, () => false);
    announce('guarded', host, port);
  };
}
