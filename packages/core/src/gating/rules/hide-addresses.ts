import { walletNamespaceOf } from './chain-ids.ts';

/**
 * A reason without the addresses of wallets: members prove wallets to this server, not to the admins of their communities.
 * Whatever its shape, each wallet is called by its namespace alone.
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
