import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { walletsOfUsers } from '../../people/wallets/index.ts';
import { assetLeavesOf, type Rule, type RuleWallet, walletNamespaceOf } from '../rules/index.ts';

/**
 * The wallets that an account of a request stands for. Without an account the caller's own linked wallets count.
 */
export async function walletsOfAccount(
  ctx: Pick<Context, 'actor' | 'db' | 'wallets'>,
  account: string | undefined,
  rules: readonly Rule[],
): Promise<readonly RuleWallet[]> {
  if (account !== undefined && account !== '') {
    const namespaces = rules.flatMap(assetLeavesOf).map(({ asset }) => walletNamespaceOf(asset.chain));
    const wallets = parseAccount(ctx, account, namespaces);
    if (wallets === undefined) throw refused('An EVM account is 0x and 40 hex digits.');
    return wallets;
  }
  if (ctx.actor.kind !== 'user') throw refused('Name the account that the rules are held against.');
  return (await walletsOfUsers(ctx.db.system, [ctx.actor.userId])).get(ctx.actor.userId) ?? [];
}

/**
 * Reads an account: an address with its chain (`evm:1:0x…`), or an address alone, which is taken for a wallet of every
 * namespace that it can belong to among those that are looked at. Undefined for what cannot be an account.
 */
export function parseAccount(
  { wallets }: Pick<Context, 'wallets'>,
  account: string,
  namespaces: Iterable<string>,
): RuleWallet[] | undefined {
  const [, prefix, reference = '', rest] = /^([-a-zA-Z0-9_]{2,16}):([-a-zA-Z0-9_]{1,32}):(.+)$/.exec(account) ?? [];
  const namespace = prefix === 'eip155' ? 'evm' : prefix;
  const address = rest ?? account;
  const evm = wallets.evm.normalizeAddress(address, /^\d+$/.test(reference) ? reference : '1');
  if (namespace === 'evm' || evm !== undefined)
    return evm === undefined ? undefined : [{ namespace: 'evm', address: evm }];
  if (namespace !== undefined) return [{ namespace, address }];
  return [...new Set(namespaces)].filter((name) => name !== 'evm').map((name) => ({ namespace: name, address }));
}

function refused(message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at /account cannot be used. ${message}`, {
    details: [{ path: '/account', code: 'account', message }],
  });
}
