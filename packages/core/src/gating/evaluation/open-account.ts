import { unnamedChainsOf, walletChainOf } from '../../identity/wallets/index.ts';
import type { Context } from '../../shared/context.ts';
import { isKnownNamespace, normalizeChain, type RuleWallet, walletNamespaceOf } from '../rules/index.ts';

/** An account that cannot be parsed. The message says why, and what would work. */
export class UnreadableAccount extends Error {
  override name = 'UnreadableAccount';
}

type AccountContext = Pick<Context, 'names' | 'wallets'>;

/** An account as written by the caller: with its chain (`evm:1:0x…`), or just an address or name. */
interface Written {
  address: string;
  chain?: string;
}

/**
 * Returns the wallets that an account refers to. With a chain it is a wallet of that namespace only; without one it
 * counts in every namespace of the given chains that accepts it. A name that cannot be resolved right now is returned
 * as unreadable, with the reason. Throws UnreadableAccount if the text cannot be an account.
 */
export async function openAccount(
  ctx: AccountContext,
  text: string,
  chains: readonly string[],
): Promise<readonly RuleWallet[]> {
  const written = splitAccount(text);
  return written.chain === undefined
    ? openBare(ctx, written.address, chains)
    : [await openNamed(ctx, written.address, written.chain)];
}

/** Splits an account into chain and address. */
export function splitAccount(text: string): Written {
  const account = text.trim();
  const [, namespace, reference, address] = /^([-\w]{2,16}):([-\w]{1,64}):(.+)$/.exec(account) ?? [];
  if (address === undefined) return { address: account };
  return { address: address.trim(), chain: normalizeChain(`${namespace?.toLowerCase()}:${reference}`) };
}

async function openNamed(ctx: AccountContext, address: string, chain: string): Promise<RuleWallet> {
  const namespace = walletNamespaceOf(chain);
  if (!isKnownNamespace(namespace)) throw new UnreadableAccount(`Unknown chain: ${chain}.`);
  if (isName(address) && namespace === 'evm') return openName(ctx, address);
  const spelled = spell(ctx, namespace, address, [chain]);
  if (spelled === undefined) throw new UnreadableAccount(whyNot(namespace, address));
  return { namespace, address: spelled };
}

async function openBare(ctx: AccountContext, address: string, chains: readonly string[]): Promise<RuleWallet[]> {
  if (isName(address)) return [await openName(ctx, address)];
  const namespaces = new Set(chains.length === 0 ? Object.keys(ctx.wallets) : chains.map(walletNamespaceOf));
  const evm = spell(ctx, 'evm', address, []);
  const found: RuleWallet[] = evm === undefined ? [] : [{ namespace: 'evm', address: evm }];
  for (const namespace of namespaces) {
    // Services that accept any name as an account would accept an EVM address too.
    if (namespace === 'evm' || (evm !== undefined && ctx.wallets[namespace] === undefined)) continue;
    const spelled = spell(ctx, namespace, address, chains);
    if (spelled !== undefined) found.push({ namespace, address: spelled });
  }
  if (found.length === 0) throw new UnreadableAccount(whyNone([...namespaces], address));
  // An address that starts with 0x was meant as an EVM address, even if another namespace accepts it.
  if (evm === undefined && namespaces.has('evm') && /^0x/i.test(address))
    found.push({ namespace: 'evm', address, unreadable: whyNot('evm', address) });
  return found;
}

const nameForm = /^[^\s:/.]+(?:\.[^\s:/.]+)*\.eth$/i;

function isName(address: string): boolean {
  return nameForm.test(address);
}

async function openName({ names, wallets }: AccountContext, name: string): Promise<RuleWallet> {
  if (names === undefined) {
    const advice = 'Use the address instead.';
    throw new UnreadableAccount(`This server does not resolve names such as ${name.slice(0, 100)}. ${advice}`);
  }
  const { namespace } = names;
  const answer = await names.resolve(name);
  if (answer.kind === 'none') throw new UnreadableAccount(answer.reason);
  if (answer.kind === 'unknown') return { namespace, address: name, unreadable: answer.reason };
  const address = wallets[namespace]?.normalizeAddress(answer.address, walletChainOf(namespace, undefined));
  // A malformed response from the service says nothing about the name.
  if (address === undefined)
    return { namespace, address: name, unreadable: 'The name service returned an invalid account.' };
  return { namespace, address };
}

/** The canonical form of an address, on one of these chains or on the namespace's default chains. */
function spell(
  { wallets }: AccountContext,
  namespace: string,
  address: string,
  chains: readonly string[],
): string | undefined {
  const parser = wallets[namespace];
  if (parser === undefined) return namespace === 'evm' || address === '' ? undefined : address;
  const named = chains.filter((chain) => walletNamespaceOf(chain) === namespace);
  const references = named.map((chain) => walletChainOf(namespace, chain.slice(chain.indexOf(':') + 1)));
  for (const reference of [...references, ...unnamedChainsOf(namespace)]) {
    const spelled = parser.normalizeAddress(address, reference);
    if (spelled !== undefined) return spelled;
  }
  return undefined;
}

function whyNone(namespaces: readonly string[], address: string): string {
  const isHex = /^0x/i.test(address);
  if (isHex || namespaces.includes('evm') || namespaces.length !== 1) return whyNot('evm', address);
  return whyNot(namespaces[0] ?? 'evm', address);
}

function whyNot(namespace: string, address: string): string {
  if (namespace !== 'evm') return `This is not a valid ${namespace} account.`;
  if (/^0x[0-9a-fA-F]{40}$/.test(address))
    return 'The checksum of this address is wrong (EIP-55), so it contains a typo. Copy it again.';
  return 'An EVM account is 0x followed by 40 hex digits; write other accounts with their chain, such as near:mainnet:….';
}
