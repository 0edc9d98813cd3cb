import { lookup, Resolver } from 'node:dns/promises';
import type { IsOpened } from './target.ts';

/** Returns every address of a host name, and throws if there is none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * Resolves names chosen by users directly through DNS servers. The system's lookup blocks one of a few shared threads,
 * so one tenant's slow name server would delay all others. It also reads the local hosts file, which only the hosts
 * allowed by the operator may use.
 */
export function systemResolve(isOpened: IsOpened, servers?: readonly string[]): Resolve {
  const dns = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) dns.setServers(servers);
  return async (hostname) => {
    if (isOpened(hostname)) return (await lookup(hostname, { all: true })).map(({ address }) => address);
    const answers = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failure = answers.find((answer) => answer.status === 'rejected');
    if (addresses.length === 0 && failure) throw failure.reason;
    return addresses;
  };
}
