import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { chainIdOf } from '../../gating/evm/index.ts';
import { chainName, spellingShown, type WalletClaim, walletChainOf, walletTitle } from '../wallets/index.ts';
import type { WalletConnectionRequest } from './connection.ts';
import { chainOfAddress, namespaceOfAddress, namespaceOfWallet, walletTypes } from './namespaces.ts';
import { readAnswer } from './read-answer.ts';

/** What a request says of a wallet. Without an address any wallet of the user's may sign. */
export type RequestedWallet = Omit<WalletClaim, 'address' | 'signature'> & {
  address: string | undefined;
  signature: unknown;
};

/** Reads which wallet a request is about and what it brings as proof. Throws VALIDATION_FAILED for what fits no chain. */
export function readClaim(ctx: Pick<Context, 'wallets'>, body: WalletConnectionRequest): RequestedWallet {
  const account = readAccountId(body.accountId);
  const given = account?.address ?? body.address ?? body.walletAddress ?? body.selectedWallet;
  const namespace = namespaceOf(ctx, body, account?.namespace, given);
  const chain = readChain(
    ctx,
    namespace,
    namedChain(account, body) ?? {
      path: '/address',
      name: chainOfAddress(ctx, namespace, given ?? ''),
    },
  );
  const spell = (path: string, text: string | undefined): string | undefined => {
    if (text === undefined || text === '') return undefined;
    const spelled = ctx.wallets[namespace]?.normalizeAddress(text, chain);
    if (spelled === undefined) throw refusedField(path, `must be an address of ${namespace}:${chain}`);
    return spelled;
  };
  const address = spell('/address', given);
  if (body.address !== undefined && body.address !== '' && spell('/address', body.address) !== address)
    throw refusedField('/address', 'must be the address of accountId');
  const signer = spell('/gnosisSignerAddress', body.gnosisSignerAddress);
  return {
    namespace,
    chain,
    address,
    shownAddress: address === undefined || !given ? undefined : spellingShown(namespace, given, address),
    signer: signer === address ? undefined : signer,
    ...readAnswer(namespace, body),
  };
}

interface AccountId {
  namespace: string;
  chain: string;
  address: string;
}

const namespaceNames: Readonly<Record<string, string>> = { eip155: 'evm', bip122: 'bitcoin', kusama: 'polkadot' };

/** Reads an account id in CAIP-10 form. Addresses of TON have a colon of their own. */
export function readAccountId(accountId: string | undefined): AccountId | undefined {
  if (accountId === undefined || accountId === '') return undefined;
  const [, namespace, chain, address] =
    /^([-a-z0-9]{2,16}):([-_a-zA-Z0-9]{1,32}):([-.:%a-zA-Z0-9_]{1,128})$/.exec(accountId) ?? [];
  if (namespace === undefined || chain === undefined || address === undefined)
    throw refusedField('/accountId', 'must be an account id, for example evm:1:0x…');
  return { namespace: namespaceNames[namespace] ?? namespace, chain, address };
}

function namespaceOf(
  ctx: Pick<Context, 'wallets'>,
  body: WalletConnectionRequest,
  named: string | undefined,
  address: string | undefined,
): string {
  if (body.didToken !== undefined) return known(ctx, 'magic');
  if (named !== undefined) return known(ctx, named);
  if (Array.isArray(body.signature)) return known(ctx, 'flow');
  const byAddress = address ? namespaceOfAddress(ctx, address) : undefined;
  // TON's wallets call their key like NEAR's.
  if (body.public_key !== undefined && byAddress !== 'ton') return known(ctx, 'near');
  const byName = namespaceOfWallet(body.walletType) ?? namespaceOfWallet(body.network);
  if (byName !== undefined) return known(ctx, byName);
  if (address === undefined || address === '') return 'evm';
  if (byAddress === undefined)
    throw refusedField(
      '/address',
      `must be an address of a supported chain, or name its chain in accountId: ${chainsOf(ctx)}`,
    );
  return byAddress;
}

function known(ctx: Pick<Context, 'wallets'>, namespace: string): string {
  if (ctx.wallets[namespace] === undefined)
    throw refusedField('/accountId', `must be of a chain whose wallets can be linked: ${chainsOf(ctx)}`);
  return namespace;
}

function chainsOf({ wallets }: Pick<Context, 'wallets'>): string {
  return Object.keys(wallets).join(', ');
}

/** Refuses a kind of wallet that nobody here knows: to ignore it would be to guess the chain. */
export function checkWalletType({ walletType }: Pick<WalletConnectionRequest, 'walletType'>): void {
  if (walletType && namespaceOfWallet(walletType) === undefined)
    throw refusedField('/walletType', `must be a supported kind of wallet: ${walletTypes.join(', ')}`);
}

interface NamedChain {
  path: string;
  name: string | number | undefined;
}

/** The chain as the caller named it, and where. */
function namedChain(
  account: AccountId | undefined,
  { chainId, network }: WalletConnectionRequest,
): NamedChain | undefined {
  if (account !== undefined) return { path: '/accountId', name: account.chain };
  if (chainId !== undefined && chainId !== '') return { path: '/chainId', name: chainId };
  return network ? { path: '/network', name: network } : undefined;
}

function readChain({ wallets }: Pick<Context, 'wallets'>, namespace: string, { path, name }: NamedChain): string {
  const text = name === undefined || name === '' ? undefined : String(name);
  if (namespace !== 'evm' && namespace !== 'magic') {
    const chain = walletChainOf(namespace, text);
    const { chains } = wallets[namespace] ?? {};
    if (chains?.includes(chain) === false) {
      const names = chains.map((one) => chainName(namespace, one)).join(', ');
      throw refusedField(path, `must be a supported chain of ${walletTitle(namespace)}: ${names}`);
    }
    return chain;
  }
  const chainId = text === undefined ? 1 : chainIdOf(text);
  if (chainId === undefined) throw refusedField(path, 'must be an EVM chain, by number or by name');
  return String(chainId);
}

export function refusedField(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} ${message}.`, {
    details: [{ path, code: 'wallet', message }],
  });
}
