import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { announce } from './announce.ts';
import type { Resolve } from './resolve.ts';
import { checkAddress, checkTarget, type IsOpened } from './target.ts';

export interface ConnectOptions {
  isOpened: IsOpened;
  resolve: Resolve;
  timeoutMs: number;
}

/**
 * Opens connections for undici, only to allowed targets. Every connection passes here, including those of a redirect
 * follower on top of it. Address literals never reach the lookup, so they are checked before it.
 */
export function guardedConnector({ isOpened, resolve, timeoutMs }: ConnectOptions): buildConnector.connector {
  const connect = buildConnector({ lookup: guardedLookup(isOpened, resolve), timeout: timeoutMs, allowH2: false });
  return (options, callback) => {
    try {
      checkTarget(options, isOpened);
    } catch (error) {
      callback(asError(error), null);
      return;
    }
    announce('guarded', options.hostname, Number(options.port) || (options.protocol === 'https:' ? 443 : 80));
    connect(options, callback);
  };
}

/**
 * Resolves a name once and checks every address: one private address among them refuses the name. The socket then dials
 * exactly the addresses returned from here, so an answer that changes a moment later (DNS rebinding) has no effect.
 */
export function guardedLookup(isOpened: IsOpened, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolveChecked(hostname, isOpened, resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(asError(error), []),
    );
  };
}

type CheckedAddress = { address: string; family: number };

async function resolveChecked(
  hostname: string,
  isOpened: IsOpened,
  resolve: Resolve,
): Promise<[CheckedAddress, ...CheckedAddress[]]> {
  const addresses = await resolve(hostname);
  for (const address of addresses) checkAddress(address, hostname, isOpened);
  const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }));
  if (!first) throw Object.assign(new Error(`${hostname} has no address.`), { code: 'ENOTFOUND' });
  return [first, ...others];
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
