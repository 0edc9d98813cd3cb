import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect, type Socket } from 'node:net';
import { EgressRefused } from '@latchkey/core/ports';
import { announce } from './announce.ts';
import { hostOf, portOf } from './target.ts';

/**
 * A `fetch` for hosts that the operator named. They may be private, but only exactly these origins are called, and no
 * redirect is followed: it is an error, or an answer where the caller asked for `manual`.
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

/** Connections over TCP to one server that the operator named. */
export function connectTo(url: string): typeof openSocket {
  const server = new URL(url);
  return (target) => {
    if (target.host !== hostOf(server) || target.port !== portOf(server)) throw notConfigured(target.host);
    announce('configured', target.host, target.port);
    return openSocket(target);
  };
}

export function openSocket({ host, port }: { host: string; port: number }): Socket {
  return connect({ host, port, noDelay: true, keepAlive: true });
}

/** An agent of `node:http` for a library that cannot be given a `fetch`. It connects to one configured origin. */
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
  return new EgressRefused('host', `${host} is not a host that this call was configured for.`);
}
