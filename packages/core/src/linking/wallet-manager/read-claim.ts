import { createHash } from 'node:crypto';
import { chainIdOf } from '../../gating/evm/index.ts';
import {
  chainName,
  isTypedLinkMessage,
  spellingShown,
  walletChainOf,
  walletTitle,
} from '../../identity/wallets/index.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import type { WalletClaim } from '../wallet-links/index.ts';
import type { WalletConnectionRequest } from './connection.ts';
import { chainOfAddress, namespaceOfAddress, namespaceOfWallet, walletTypes } from './namespaces.ts';

/** A request's claim about a wallet. Without an address, any wallet of the user may sign. */
export type RequestedWallet = Omit<WalletClaim, 'address' | 'signature'> & {
  address: string | undefined;
  signature: unknown;
};

/** Reads which wallet a request is about, and its proof. Throws VALIDATION_FAILED if it matches no chain. */
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

/** Parses an account id in CAIP-10 form. TON addresses contain a colon themselves. */
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
  // TON wallets use the same name for their key as NEAR's.
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

/** Refuses an unknown wallet type: ignoring it would mean guessing the chain. */
export function checkWalletType({ walletType }: Pick<WalletConnectionRequest, 'walletType'>): void {
  if (walletType && namespaceOfWallet(walletType) === undefined)
    throw refusedField('/walletType', `must be a supported wallet type: ${walletTypes.join(', ')}`);
}

interface NamedChain {
  path: string;
  name: string | number | undefined;
}

/** Returns the chain as the caller named it, and in which field. */
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

export const refusedField = (path: string, message: string) => refuse(path, message, 'wallet');

type WalletAnswer = Pick<WalletClaim, 'message' | 'state' | 'signature' | 'publicKey' | 'details'>;

/** Parses the wallet's response. */
function readAnswer(namespace: string, body: WalletConnectionRequest): WalletAnswer {
  const { signature, publicKey, parts } = openAnswer(namespace, body.signature);
  const proof = body.didToken ?? signature;
  return {
    message: body.message === undefined ? undefined : readMessage(namespace, body.message),
    state: body.signInState ?? body.state,
    signature: proof === '' ? undefined : proof,
    publicKey: body.publicKey ?? body.public_key ?? publicKey,
    details: (message) => detailsOf(namespace, message, { body, parts }),
  };
}

/** Tezos wallets sign a packed text (05 01, its length, its bytes), and clients send either form. */
function readMessage(namespace: string, message: string): string {
  const packed = namespace === 'tezos' ? /^0501[0-9a-f]{8}((?:[0-9a-f]{2})*)$/i.exec(message) : null;
  return packed === null ? message : Buffer.from(packed[1] ?? '', 'hex').toString('utf8');
}

function detailsOf(
  namespace: string,
  message: string,
  { body, parts }: { body: WalletConnectionRequest; parts: Parts },
): Parts {
  switch (namespace) {
    case 'evm':
      if (isTypedLinkMessage(message)) return { scheme: 'eip712' };
      // An empty signature of a Safe means that its owners approved the message on the chain.
      return { scheme: body.proxyType === 'gnosis' && body.signature === '0x' ? 'safe' : 'eip191' };
    case 'near': {
      const { format, nonce = sha256Base64(message), recipient, callbackUrl } = parts;
      return { format, nonce: readBytes(nonce)?.toString('base64') ?? nonce, recipient, callbackUrl };
    }
    case 'ton':
      return { timestamp: parts.timestamp, domain: parts.domain, stateInit: parts.stateInit };
    case 'solana':
      return { format: parts.format };
    case 'polkadot':
      return { cryptoType: parts.cryptoType };
    default:
      return {};
  }
}

// NEP-413 signs 32 bytes besides the message. The message has its own nonce, so its hash can be used.
function sha256Base64(message: string): string {
  return createHash('sha256').update(message).digest('base64');
}

/** The fields of a wallet's response. */
type Parts = Readonly<Record<string, unknown>>;

interface OpenedAnswer {
  /** A text in the encoding of the chain, or a list of composite signatures. */
  signature: unknown;
  publicKey: string | undefined;
  /** All fields of the response. */
  parts: Parts;
}

/** How signature bytes are encoded for each chain, if a wallet returns bytes. */
const writeBytes: Readonly<Record<string, (bytes: Buffer) => string>> = {
  evm: (bytes) => `0x${bytes.toString('hex')}`,
  polkadot: (bytes) => `0x${bytes.toString('hex')}`,
  near: (bytes) => bytes.toString('base64'),
  bitcoin: (bytes) => bytes.toString('base64'),
  ton: (bytes) => bytes.toString('base64'),
};
const writeHex = (bytes: Buffer) => bytes.toString('hex');

/**
 * Parses a wallet's response, in any of the shapes that wallets actually send: a text, bytes as JSON represents them,
 * or an object encoded as JSON. The result is only as trustworthy as its signature, which is verified elsewhere.
 */
export function openAnswer(namespace: string, sent: unknown): OpenedAnswer {
  const write = writeBytes[namespace] ?? writeHex;
  const value = parse(namespace, sent);
  const bytes = readBytes(value);
  if (bytes !== undefined) return { signature: write(bytes), publicKey: undefined, parts: {} };
  if (!isParts(value)) return { signature: value, publicKey: undefined, parts: {} };
  const parts = namespace === 'ton' ? openTon(unwrap(value)) : unwrap(value);
  const signature = signatureOf(parts);
  const signatureBytes = readBytes(signature);
  return {
    signature: signatureBytes === undefined ? (signature ?? sent) : write(signatureBytes),
    publicKey: readKey(parts.publicKey ?? parts.public_key),
    parts,
  };
}

function isParts(value: unknown): value is Parts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(namespace: string, sent: unknown): unknown {
  if (typeof sent !== 'string') return sent;
  const text = sent.trim();
  if (/^[{[]/.test(text)) return parseJson(text) ?? sent;
  // `String(uint8Array)`.
  if (/^\d{1,3}(?:,\d{1,3})+$/.test(text)) return text.split(',').map(Number);
  // NEAR web wallets redirect the browser back with their response in the URL.
  if (namespace === 'near' && text.includes('signature='))
    return Object.fromEntries(new URLSearchParams(text.replace(/^[^#?]*[#?]/, '')));
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const mostBytes = 65_536;

/**
 * Bytes as JSON represents them: a list of numbers, an object with numbered fields (Uint8Array), or Buffer's own form.
 */
export function readBytes(value: unknown): Buffer | undefined {
  const list = isParts(value) ? (Array.isArray(value.data) ? value.data : numbered(value)) : value;
  if (!Array.isArray(list) || list.length === 0 || list.length > mostBytes) return undefined;
  return list.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255) ? Buffer.from(list) : undefined;
}

function numbered(parts: Parts): unknown[] | undefined {
  const keys = Object.keys(parts);
  return keys.every((key, place) => key === String(place)) ? Object.values(parts) : undefined;
}

/** Wallets name this field differently: XRPL wallets send a blob as `hex`, or a `signedMessage`. */
function signatureOf({ signature, hex, signedMessage }: Parts): unknown {
  return signature ?? hex ?? signedMessage;
}

const envelopes = ['response', 'result', 'data'];

/** Some wallets wrap their response, several levels deep. */
function unwrap(parts: Parts, depth = 4): Parts {
  if (depth === 0 || signatureOf(parts) !== undefined) return parts;
  const name = envelopes.find((known) => isParts(parts[known]));
  if (name === undefined) return parts;
  const { [name]: inner, ...rest } = parts;
  return unwrap({ ...rest, ...(isParts(inner) && inner) }, depth - 1);
}

/**
 * TON Connect nests its proof: next to the address, in a reply item, or in the items of the whole wallet, whose account
 * then has the key and the StateInit.
 */
function openTon(parts: Parts): Parts {
  const items = isParts(parts.connectItems) ? parts.connectItems : {};
  const item = [items.tonProof, parts.tonProof, parts].find((holder) => isParts(holder) && isParts(holder.proof));
  const proof = isParts(item) && isParts(item.proof) ? item.proof : {};
  const account = isParts(parts.account) ? parts.account : {};
  const all: Parts = { ...account, ...parts, ...proof };
  return { ...all, stateInit: all.stateInit ?? all.state_init ?? all.walletStateInit };
}

/** A key is a text, or with NEAR's library an object with the number of its curve (0 is Ed25519) and its bytes. */
function readKey(key: unknown): string | undefined {
  if (typeof key === 'string') return key;
  const inner = isParts(key) && isParts(key.ed25519Key) ? key.ed25519Key : key;
  const bytes = isParts(inner) ? readBytes(inner.data) : undefined;
  if (bytes === undefined || !isParts(inner)) return undefined;
  return inner.keyType === 0 ? `ed25519:${bytes.toString('hex')}` : undefined;
}
