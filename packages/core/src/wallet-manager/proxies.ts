import { AppError } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import type { Question } from '../ports/index.ts';
import { unavailable } from '../wallets/index.ts';
import { refusedField } from './read-claim.ts';

type ProxyContext = Pick<Context, 'holdings' | 'wallets'>;

/** A wallet with a key, on one EVM chain. */
export interface Signer {
  chain: string;
  address: string;
}

export const proxyTypes = ['gnosis', 'dsproxy'] as const;
export type ProxyType = (typeof proxyTypes)[number];

/** The kind of contract a request speaks of; naming the signer of a Safe is naming a Safe. */
export function readProxyType(body: {
  proxyType?: string | undefined;
  gnosisSignerAddress?: string | undefined;
}): ProxyType | undefined {
  const given = body.proxyType || (body.gnosisSignerAddress ? 'gnosis' : undefined);
  if (given === undefined) return undefined;
  const type = proxyTypes.find((known) => known === given.toLowerCase());
  if (type === undefined) throw refusedField('/proxyType', `must be one of ${proxyTypes.join(', ')}`);
  return type;
}

/** Whether the signer is an owner of the Safe, by what the Safe itself says. */
export async function ownsSafe(ctx: ProxyContext, safe: string, signer: Signer): Promise<boolean> {
  const amount = await readAmount(ctx, {
    chain: `evm:${signer.chain}`,
    standard: 'safe',
    reference: safe,
    account: signer.address,
  });
  return amount !== '0';
}

// Anybody can deploy a registry that calls somebody else's contract a proxy of theirs, so only this one is asked.
const dsProxyRegistries: Readonly<Record<string, string>> = { '1': '0x4678f0a6958e4D2Bc4F1BAF7Bc52E8F3564f3fE4' };

/** The proxies of a signer: what the registry says, as far as the proxy itself names the signer as its owner. */
export async function findDsProxies(
  ctx: ProxyContext,
  signer: Signer,
  wanted: string | undefined,
): Promise<{ registry: string; proxies: string[] }> {
  const registry = dsProxyRegistries[signer.chain];
  if (registry === undefined) throw refusedField('/chainId', 'must be 1: there are no such proxies elsewhere');
  if (wanted && wanted.toLowerCase() !== registry.toLowerCase())
    throw refusedField('/proxyRegistry', `must be ${registry}`);
  const call = (reference: string, details: Record<string, string>) =>
    readAmount(ctx, { chain: `evm:${signer.chain}`, standard: 'call', reference, account: signer.address, details });
  const proxy = toAddress(ctx, signer.chain, await call(registry, { function: 'proxies(address)' }));
  if (proxy === undefined) return { registry, proxies: [] };
  const owner = toAddress(ctx, signer.chain, await call(proxy, { function: 'owner()', args: '[]' }));
  return { registry, proxies: owner === signer.address ? [proxy] : [] };
}

async function readAmount(ctx: ProxyContext, asked: Omit<Question, 'needs'>): Promise<string> {
  const question: Question = { ...asked, needs: 'amount' };
  if (!ctx.holdings.reads(question))
    throw new AppError('UNAVAILABLE', `This server has no node of ${asked.chain} to ask who owns the contract.`, {
      retryAfterSeconds: 60,
    });
  const [answer] = await ctx.holdings.read([question]);
  if (answer?.kind !== 'read') throw unavailable();
  return answer.amount;
}

/** An address that came as a number; undefined for none. */
function toAddress(ctx: ProxyContext, chain: string, amount: string): string | undefined {
  const number = /^\d{1,49}$/.test(amount) ? BigInt(amount) : 0n;
  if (number === 0n) return undefined;
  return ctx.wallets.evm.normalizeAddress(`0x${number.toString(16).padStart(40, '0')}`, chain);
}
