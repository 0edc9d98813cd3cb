import type { Config } from '../config.ts';

/** Returns the URL of a server on this port for programs on the same machine. */
export function localUrlOf(config: Pick<Config, 'host'>, port: number): string {
  return `http://${reachableHost(config.host)}:${port}`;
}

/** Returns the server's base URL, which is also used in tokens and links: the configured one, or the local one. */
export function baseUrlOf(config: Pick<Config, 'baseUrl' | 'host'>, port: number): string {
  return config.baseUrl ?? localUrlOf(config, port);
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '127.0.0.1') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
