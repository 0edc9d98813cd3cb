import { notSetUp } from '@latchkey/kernel';
import type { Question, ReadOptions } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { unavailable } from '../wallet-links/index.ts';
import { refusedField } from './read-claim.ts';

type ProxyContext = Pick<Context, 'holdings' | 'wallets'>;

/** A wallet with a key, on one EVM chain. */
export interface Signer {
  chain: string;
  address: string;
}

export const proxyTypes = ['gnosis', 'dsproxy', 'epsproxy'] as const;
export type ProxyType = (typeof proxyTypes)[number];

/** Returns the kind of proxy in a request; a signer of a Safe implies a Safe. */
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

/** Whether the signer is an owner of the Safe, according to the Safe itself. */
export async function ownsSafe(
  ctx: ProxyContext,
  safe: string,
  signer: Signer,
  options?: ReadOptions,
): Promise<boolean> {
  const question = { chain: `evm:${signer.chain}`, standard: 'safe', reference: safe, account: signer.address };
  return (await readAmount(ctx, question, options)) !== '0';
}

/** Proxy contracts that are listed in a registry. */
export type RegisteredType = Exclude<ProxyType, 'gnosis'>;

// Anyone can deploy a registry that declares another user's account to be their proxy, so only these are read. The
// development chain has the EPS register at the same address as the main chain.
const eps = '0xfa3D2d059E9c0d348dB185B32581ded8E8243924';
const registries: Readonly<Record<RegisteredType, Readonly<Record<string, string>>>> = {
  dsproxy: { '1': '0x4678f0a6958e4D2Bc4F1BAF7Bc52E8F3564f3fE4' },
  epsproxy: { '1': eps, '31337': eps },
};

/** Finds the accounts that a signer controls according to a registry, as far as the account confirms it. */
export async function findProxies(
  ctx: ProxyContext,
  type: RegisteredType,
  signer: Signer,
  wanted: string | undefined,
  options?: ReadOptions,
): Promise<{ registry: string; proxies: string[] }> {
  const known = registries[type];
  const registry = known[signer.chain];
  if (registry === undefined)
    throw refusedField('/chainId', `must be ${Object.keys(known).join(' or ')}: other chains have no such proxies`);
  if (wanted && wanted.toLowerCase() !== registry.toLowerCase())
    throw refusedField('/proxyRegistry', `must be ${registry}`);
  const call: Ask = async (reference, name, args) =>
    toAddress(
      ctx,
      signer.chain,
      await readAmount(
        ctx,
        {
          chain: `evm:${signer.chain}`,
          standard: 'call',
          reference,
          account: signer.address,
          details: { function: name, args: JSON.stringify(args) },
        },
        options,
      ),
    );
  const found = await (type === 'dsproxy' ? findDsProxy(call, registry) : findNominator(call, registry));
  return { registry, proxies: found?.spokenForBy === signer.address ? [found.address] : [] };
}

/** Calls a contract function that returns an address, as the signer. */
type Ask = (contract: string, name: string, args: readonly string[]) => Promise<string | undefined>;

/** An account, and who controls it according to the account itself. */
type Found = { address: string; spokenForBy: string | undefined } | undefined;

const signerItself = '$account';

/** A MakerDAO proxy is a contract that names its owner. */
async function findDsProxy(call: Ask, registry: string): Promise<Found> {
  const address = await call(registry, 'proxies(address)', [signerItself]);
  return address === undefined ? undefined : { address, spokenForBy: await call(address, 'owner()', []) };
}

/** With EPS, a cold wallet nominated the signer in the register, and the signer accepted there. */
async function findNominator(call: Ask, registry: string): Promise<Found> {
  const address = await call(registry, 'getProxyRecord(address)', [signerItself]);
  return address === undefined
    ? undefined
    : { address, spokenForBy: await call(registry, 'getNomination(address)', [address]) };
}

async function readAmount(ctx: ProxyContext, request: Omit<Question, 'needs'>, options?: ReadOptions): Promise<string> {
  const question: Question = { ...request, needs: 'amount' };
  if (!ctx.holdings.reads(question))
    throw notSetUp(`This server has no ${request.chain} node to read the contract’s owner from.`);
  const [answer] = await ctx.holdings.read([question], options);
  if (answer?.kind !== 'read') throw unavailable();
  return answer.amount;
}

/** Converts a number to an address; undefined for zero. */
function toAddress(ctx: ProxyContext, chain: string, amount: string): string | undefined {
  const number = /^\d{1,49}$/.test(amount) ? BigInt(amount) : 0n;
  if (number === 0n) return undefined;
  return ctx.wallets.evm.normalizeAddress(`0x${number.toString(16).padStart(40, '0')}`, chain);
}
