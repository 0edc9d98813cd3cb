import type { EnqueueOptions } from '@latchkey/db';
import { shape, T } from '@latchkey/kernel';
import type { HostedWalletRow } from './queries.ts';

const payload = shape(T.Object({ userId: T.String({ maxLength: 256 }) }));

/** Returns the coin in which registrations on a chain are paid. */
export function coinOf(chainId: number): string {
  return `evm:${chainId}`;
}

/** The job that registers a wallet, as its callers enqueue it. */
export const registration = {
  name: 'hosted-wallets.register',
  payload,
  /**
   * Registrations of one chain are sent one after the other, since each uses the next nonce of the registrar's account.
   */
  options: ({ id, chain_id }: Pick<HostedWalletRow, 'id' | 'chain_id'>): EnqueueOptions => ({
    key: String(chain_id),
    uniqueKey: id,
  }),
};

/** The background job that confirms it. */
export const confirmation = { name: 'hosted-wallets.confirm', payload };
