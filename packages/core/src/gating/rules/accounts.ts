import type { Answer, Question } from '../../ports/index.ts';
import { walletNamespaceOf } from './chain-ids.ts';
import type { Asset, AssetLeaf } from './rule.ts';

/** A wallet that a member linked. */
export interface RuleWallet {
  namespace: string;
  address: string;
  /** Set for contracts, whose address counts on this chain only: `evm:1` or just `1`. */
  contractChain?: string | null;
  /** Why the wallet could not be determined. Its holdings are then unknown. */
  unreadable?: string;
}

/** An account whose holdings count for a member. */
export interface CountedAccount {
  account: string;
  /** The linked wallet that a vault delegated to; absent for linked wallets themselves. */
  delegate?: string;
}

/**
 * At most this many vaults of one wallet are read, so that the cost of a rule is bounded. The earliest delegations
 * count, so that a stranger cannot displace them by delegating to another user's wallet. Later ones are ignored rather
 * than unknown: otherwise many empty vaults would keep a role forever.
 */
export const maxVaults = 20;

/** The linked wallets that can hold something on this chain, without duplicates. */
export function walletsOn(chain: string, wallets: readonly RuleWallet[]): string[] {
  const namespace = walletNamespaceOf(chain);
  const counted = wallets.filter(
    (wallet) =>
      wallet.namespace === namespace &&
      wallet.unreadable === undefined &&
      (!wallet.contractChain || chain === wallet.contractChain || chain === `${namespace}:${wallet.contractChain}`),
  );
  return [...new Set(counted.map(({ address }) => address))];
}

function unreadableOn(chain: string, wallets: readonly RuleWallet[]): { delegate: string; reason: string }[] {
  const namespace = walletNamespaceOf(chain);
  return wallets.flatMap(({ namespace: own, address, unreadable }) =>
    own === namespace && unreadable !== undefined ? [{ delegate: address, reason: unreadable }] : [],
  );
}

/**
 * Asks which vaults delegated to a wallet, for everything or for this contract. Each vault is a token of the answer.
 */
export function delegationQuestion({ chain, reference }: Asset, account: string): Question {
  return { chain, standard: 'delegate', reference: 'v2', account, needs: 'tokens', details: { contract: reference } };
}

/** The accounts that count for a leaf, and why others that may count are unknown. */
export function accountsOf(
  { asset, reading }: AssetLeaf,
  wallets: readonly RuleWallet[],
  answerTo: (question: Question) => Answer | undefined,
): { accounts: CountedAccount[]; unknown: { delegate: string; reason: string }[] } {
  const linked = walletsOn(asset.chain, wallets);
  const accounts: CountedAccount[] = linked.map((account) => ({ account }));
  const unknown = unreadableOn(asset.chain, wallets);
  if (!reading.delegation) return { accounts, unknown };
  const seen = new Set(linked.map((account) => account.toLowerCase()));
  for (const delegate of linked) {
    const answer = answerTo(delegationQuestion(asset, delegate));
    const reason = answer?.kind === 'unknown' ? answer.reason : 'Delegations to this wallet were not read.';
    const vaults = answer?.kind === 'read' ? answer.tokens : undefined;
    if (vaults === undefined) {
      unknown.push({ delegate, reason });
      continue;
    }
    const ids = new Set(vaults.map(({ id }) => id).filter((id) => /^0x[0-9a-fA-F]{40}$/.test(id)));
    for (const account of [...ids].slice(0, maxVaults)) {
      if (!seen.has(account.toLowerCase())) accounts.push({ account, delegate });
      seen.add(account.toLowerCase());
    }
  }
  return { accounts, unknown };
}

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
