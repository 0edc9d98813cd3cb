import type { Config } from '../config.ts';

/** Where this machine's own programs reach a server that listens on this port. */
export function localUrlOf(config: Pick<Config, 'host'>, port: number): string {
  return `http://${reachableHost(config.host)}:${port}`;
}

/** The address the server goes by, in tokens and links too: the configured one, or the local one. */
export function baseUrlOf(config: Pick<Config, 'baseUrl' | 'host'>, port: number): string {
  return config.baseUrl ?? localUrlOf(config, port);
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '127.0.0.1') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
