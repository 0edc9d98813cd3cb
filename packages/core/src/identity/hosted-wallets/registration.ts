import type { EnqueueOptions } from '@latchkey/db';
import { shape, T } from '@latchkey/kernel';
import type { HostedWalletRow } from './queries.ts';

const payload = shape(T.Object({ userId: T.String({ maxLength: 256 }) }));

/** The coin that registrations on a chain are paid in. */
export function coinOf(chainId: number): string {
  return `evm:${chainId}`;
}

/** The work of writing a wallet to the registry, as those who ask for it know it. */
export const registration = {
  name: 'hosted-wallets.register',
  payload,
  /** Those of one chain are sent one after the other, since each takes the next number of the registrar's account. */
  options: ({ id, chain_id }: Pick<HostedWalletRow, 'id' | 'chain_id'>): EnqueueOptions => ({
    key: String(chain_id),
    uniqueKey: id,
  }),
};

/** Tracking it there. It runs in the background. */
export const confirmation = { name: 'hosted-wallets.confirm', payload };
