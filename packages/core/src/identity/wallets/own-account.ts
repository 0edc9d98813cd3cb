import type { WalletRow } from './queries.ts';

/**
 * The account that is a wallet's own: a sign-in with a wallet that opens no other account leads here. A contract account
 * includes its chain, since on another chain the address may have another owner.
 */
export function ownAccountOf({
  address,
  contractChain,
}: {
  address: string;
  contractChain?: string | null | undefined;
}): string {
  return `ETH#USER#${contractChain ? `${contractChain}:` : ''}${address}`;
}

/** Whether a link is the one of a wallet to its own account, which it signs in to by itself. */
export function isOwnAccount({ user_id, address, contract_chain }: WalletRow): boolean {
  return user_id === ownAccountOf({ address, contractChain: contract_chain });
}
