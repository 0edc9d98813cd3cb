import { walletNamespaceOf } from './chain-ids.ts';

/**
 * Returns a reason without wallet addresses: members prove wallets to this server, not to the admins of their
 * communities. Whatever the shape of the reason, each wallet is reduced to its namespace.
 */
export function hideAddresses<Reason>(reason: Reason): Reason {
  return JSON.parse(JSON.stringify(reason, (_key, node: unknown) => (isReading(node) ? withoutAddress(node) : node)));
}

function isReading(node: unknown): node is { wallet?: unknown; vault?: unknown; chain?: unknown } {
  return typeof node === 'object' && node !== null && ('wallet' in node || 'vault' in node);
}

function withoutAddress({ wallet: _wallet, vault: _vault, ...reading }: Record<string, unknown>) {
  const { chain } = reading;
  return { wallet: typeof chain === 'string' ? walletNamespaceOf(chain) : 'unknown', ...reading };
}
