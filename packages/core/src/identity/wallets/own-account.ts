import type { WalletRow } from './queries.ts';

/**
 * Returns a wallet's own account: a sign-in with a wallet that belongs to no other account uses it. The account of a
 * contract includes its chain, since on another chain the address may have another owner.
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

/** Whether a link is the one of a wallet to its own account, to which it can always sign in. */
export function isOwnAccount({ user_id, address, contract_chain }: WalletRow): boolean {
  return user_id === ownAccountOf({ address, contractChain: contract_chain });
}
