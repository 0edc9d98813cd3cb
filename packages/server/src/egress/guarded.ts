import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import { type Egress, EgressRefused } from '@latchkey/core/ports';
import { announce } from './announce.ts';
import { type Resolve, systemResolve } from './resolve.ts';
import { checkAddress, hostOf, portOf } from './target.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** `Response` requires that responses with these statuses have no body. */
const bodiless = [101, 204, 205, 304];

/** A `fetch` for untrusted URLs, for libraries that make their own requests. */
export function guardedFetch(egress: Egress): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const method = methods.find((known) => known === request.method);
    if (method === undefined) throw new EgressRefused('header', `${request.method} requests are not allowed.`);
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

/** Opens a TCP connection to a public address that a peer named. */
export function connectGuarded({ host, port }: { host: string; port: number }): Socket {
  if (isIP(host) === 0)
    throw new EgressRefused('host', 'Connections can be made only to an IP address, not to a host name.');
  checkAddress(host, host, () => false);
  announce('guarded', host, port);
  return openSocket({ host, port });
}

/**
 * Checks the URL of a WebSocket before a library opens it: it must be on a configured host, or encrypted and at a
 * public address.
 */
export function permitSocketTo(urls: readonly string[], resolve: Resolve = systemResolve(() => false)) {
  const configured = urls.map((url) => hostOf(new URL(url)));
  return async (address: string): Promise<void> => {
    const url = new URL(address);
    const [host, port] = [hostOf(url), portOf(url)];
    if (configured.includes(host)) return announce('configured', host, port);
    if (url.protocol !== 'wss:')
      throw new EgressRefused('scheme', 'A WebSocket to a host that is not configured must use TLS.');
    const found = isIP(host) === 0 ? await resolve(host) : [host];
    if (found.length === 0) throw new EgressRefused('host', `${host} has no address.`);
    for (const one of found) checkAddress(one, host, () => false);
    announce('guarded', host, port);
  };
}

/**
 * Creates a `fetch` for hosts that the operator configured. They may be private, but only these exact origins are
 * called. A redirect is an error, or the response if the caller passed `manual`.
 */
export function fetchTo(urls: Iterable<string>): typeof globalThis.fetch {
  const origins = new Set([...urls].map((url) => new URL(url).origin));
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!origins.has(url.origin)) throw notConfigured(url.host);
    announce('configured', hostOf(url), portOf(url));
    return globalThis.fetch(input, { ...init, redirect: init?.redirect === 'manual' ? 'manual' : 'error' });
  };
}

/** Creates a function that opens TCP connections to one server that the operator configured. */
export function connectTo(url: string): typeof openSocket {
  const server = new URL(url);
  return (target) => {
    if (target.host !== hostOf(server) || target.port !== portOf(server)) throw notConfigured(target.host);
    announce('configured', target.host, target.port);
    return openSocket(target);
  };
}

function openSocket({ host, port }: { host: string; port: number }): Socket {
  return connect({ host, port, noDelay: true, keepAlive: true });
}

/**
 * Creates a `node:http` agent for a library that does not accept a `fetch`. It connects only to one configured origin.
 */
export function agentTo(url: string): HttpAgent | HttpsAgent {
  const target = new URL(url);
  const Agent = target.protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true });
  const open = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const { host, port } = Object(options);
    if (host !== hostOf(target) || Number(port) !== portOf(target)) throw notConfigured(String(host));
    announce('configured', hostOf(target), portOf(target));
    return open(options, callback);
  };
  return agent;
}

function notConfigured(host: string): EgressRefused {
  return new EgressRefused('host', `${host} is not among the hosts configured for this call.`);
}
