import type { Actor } from '@latchkey/kernel';
import type { TestPlatform } from '../../testing/index.ts';

export const coin = `0x${'1'.repeat(40)}`;
export const other = `0x${'2'.repeat(40)}`;

let accounts = 0;
export const newAccount = () => `0x${(++accounts).toString(16).padStart(40, 'a')}`;

export const erc20 = (contractAddress: string, roleId: string, more: object = {}) => ({
  type: 'ERC20',
  chainId: 1,
  contractAddress,
  roleId,
  ...more,
});

export function program(id: string): Actor & { kind: 'client' } {
  return {
    kind: 'client',
    client: { id, name: id, allowedScopes: ['token-gating'], disallowedScopes: [] },
    credential: 'api-key',
  };
}
export const caller = program('asker');

/** Links a wallet to a user, as if its proof had been accepted. */
export async function link(t: TestPlatform, userId: string, address: string): Promise<void> {
  await t.services.db.system
    .insertInto('wallet_connections')
    .values({
      id: t.services.random.id(),
      user_id: userId,
      platform: 'discord',
      user_name: null,
      namespace: 'evm',
      address,
      created_at: t.services.clock(),
    })
    .execute();
}
