import { hashSecret } from '@latchkey/db';
import { type Actor, AppError, addSeconds, scopes as knownScopes } from '@latchkey/kernel';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { verdictOf, verifying } from '../../port-guards/index.ts';
import type { EvmSignatures } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { isCompact } from './compact-token.ts';
import { burnNonce } from './queries.ts';
import { refusedCredential } from './refused.ts';

type EthereumContext = Pick<Context, 'clock' | 'db' | 'log' | 'settings'>;

type User = Extract<Actor, { kind: 'user' }>;
type Account = Pick<User, 'userId' | 'platform' | 'name' | 'scopes'>;

/** Returns the accounts that a wallet signs in to. The address is checksummed (EIP-55). */
type AccountsOfWallet = (address: string) => Promise<readonly Account[]>;

export interface EthereumWallets {
  signatures: EvmSignatures;
  accountsOfWallet: AccountsOfWallet;
  /** Whether to accept a signature of the fixed published text, which anyone who ever saw it can replay. */
  acceptsFixedText: boolean;
}

const windowSeconds = 300;

/**
 * Returns the user whose wallet just signed exactly this request or, if accepted, the published text at any time;
 * throws INVALID_CREDENTIAL otherwise. The path is the one of the request line, with its query.
 */
export async function verifyEthereumHeader(
  ctx: EthereumContext,
  token: string,
  request: { method: string; path: string },
  wallets: EthereumWallets,
): Promise<User> {
  const payload = await openEnvelope(ctx, token);
  return isBound(payload) ? verifyBound(ctx, payload, request, wallets) : verifyFixedText(ctx, payload, wallets);
}

async function verifyBound(
  ctx: EthereumContext,
  payload: JWTPayload,
  request: { method: string; path: string },
  wallets: EthereumWallets,
): Promise<User> {
  const proof = readProof(payload);
  if (proof.method !== request.method || proof.path !== request.path) throw refusedSignature();
  const issuedAt = new Date(proof.issuedAt);
  // Negated, so that an invalid date fails too.
  if (!(Math.abs(ctx.clock().getTime() - issuedAt.getTime()) <= windowSeconds * 1000)) throw refusedSignature();
  const text = ethereumRequestText({ baseUrl: ctx.settings.baseUrl, ...proof });
  const evaluated = await verdictOf(() => accountOf(ctx, wallets, text, proof));
  // The nonce is consumed whether or not the signature is valid: a failed attempt must not leave it usable.
  if (!(await burn(ctx, proof, issuedAt))) throw refusedSignature();
  if (evaluated instanceof AppError) throw evaluated;
  return {
    kind: 'user',
    ...evaluated,
    credential: 'wallet-signature',
    presence: { how: 'wallet', at: issuedAt },
  };
}

/** It does not contain a time or a server, so it proves no presence and only allows reads. */
async function verifyFixedText(ctx: EthereumContext, payload: JWTPayload, wallets: EthereumWallets): Promise<User> {
  if (!wallets.acceptsFixedText)
    throw new AppError(
      'INVALID_CREDENTIAL',
      'This server accepts the Ethereum header only with a signature that names the request, its time and a nonce.',
    );
  const proof = { address: readField(payload, 'address'), signature: readField(payload, 'signature') };
  const { sub = proof.address } = payload;
  // Anyone can create the envelope, so this may not even be text.
  if (String(sub).toLowerCase() !== proof.address.toLowerCase()) throw refusedSignature();
  const account = await accountOf(ctx, wallets, fixedText, proof);
  return { kind: 'user', ...account, scopes: readingScopes(account.scopes), credential: 'fixed-text-signature' };
}

/** Returns the one account that the signer of a text signs in to. */
async function accountOf(
  ctx: EthereumContext,
  { signatures, accountsOfWallet }: EthereumWallets,
  text: string,
  { address, signature }: { address: string; signature: string },
): Promise<Account> {
  const signer = await verifying(ctx, 'ethereum-header', () => signatures.recoverPersonalSign(text, signature));
  if (signer === undefined || signer.toLowerCase() !== address.toLowerCase()) throw refusedSignature();
  const [account, other] = await accountsOfWallet(signer);
  if (account === undefined) throw refusedSignature();
  // Shown only to the signer: the header does not say which account is meant, and none is guessed.
  if (other !== undefined)
    throw new AppError(
      'INVALID_CREDENTIAL',
      'This wallet can sign in to several accounts. Choose one with POST /ethereum-login/challenges, and send its token.',
    );
  return account;
}

interface Proof extends EthereumRequest {
  address: string;
  signature: string;
}

function readProof(payload: JWTPayload): Proof {
  return {
    address: readField(payload, 'address'),
    signature: readField(payload, 'signature'),
    method: readField(payload, 'method'),
    path: readField(payload, 'path'),
    issuedAt: readField(payload, 'issuedAt'),
    nonce: readField(payload, 'nonce'),
  };
}

/** Keeps the nonce until the window has passed on every process, regardless of clock skew. */
function burn(ctx: EthereumContext, { address, nonce }: Proof, issuedAt: Date): Promise<boolean> {
  const until = addSeconds(issuedAt, 2 * windowSeconds);
  return burnNonce(ctx.db.system, hashSecret(`ethereum:${address.toLowerCase()}:${nonce}`), until);
}

/** Read-only scopes whose names do not say so. */
const alsoReading = ['community:analytics', 'token-gating'];

const reading = Object.keys(knownScopes).filter((scope) => scope.endsWith(':read') || alsoReading.includes(scope));

/**
 * Returns the read-only ones of these scopes. Never `$all`, so that operations without a required scope stay closed.
 */
function readingScopes(scopes: readonly string[]): string[] {
  return scopes.includes('$all') ? [...reading] : reading.filter((scope) => scopes.includes(scope));
}

/** What the published clients sign, and also the key of the envelope: an HMAC with a public key protects nothing. */
const fixedText = 'api.collab.land';

const envelopeKey = Buffer.from(fixedText);
const maxTokenLength = 8192;

const refusedSignature = () => refusedCredential('Ethereum signature');

/** Returns the payload of the token in the header. */
async function openEnvelope({ clock }: Pick<Context, 'clock'>, token: string): Promise<JWTPayload> {
  if (token.length > maxTokenLength || !isCompact(token, 3)) throw refusedSignature();
  try {
    return (await jwtVerify(token, envelopeKey, { algorithms: ['HS256'], currentDate: clock(), clockTolerance: 60 }))
      .payload;
  } catch (error) {
    throw error instanceof errors.JOSEError ? refusedSignature() : error;
  }
}

const forms = {
  address: /^0x[0-9a-fA-F]{40}$/,
  signature: /^0x[0-9a-fA-F]{130}$/,
  method: /^[A-Z]{3,7}$/,
  // No control characters: a line break could add a line to the signed text.
  path: /^\/[!-~]{0,4095}$/,
  issuedAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/,
  nonce: /^[A-Za-z0-9_-]{16,64}$/,
} as const;

/** Returns a field of the payload if it has the required format. */
function readField(payload: JWTPayload, field: keyof typeof forms): string {
  const value = payload[field];
  if (typeof value !== 'string' || !forms[field].test(value)) throw refusedSignature();
  return value;
}

/** The published form has only an address and a signature; any field that names the request makes it the bound form. */
function isBound(payload: JWTPayload): boolean {
  return ['method', 'path', 'issuedAt', 'nonce'].some((field) => payload[field] !== undefined);
}

export interface EthereumRequest {
  method: string;
  /** The path with its query, exactly as sent. */
  path: string;
  /** An ISO time in UTC. */
  issuedAt: string;
  nonce: string;
}

/**
 * Returns the text that a wallet signs for one request. It names the server, so that no other site can use the
 * signature here.
 */
export function ethereumRequestText({
  baseUrl,
  method,
  path,
  issuedAt,
  nonce,
}: EthereumRequest & { baseUrl: string }): string {
  return [
    `Allow one request to ${baseUrl}`,
    '',
    `Method: ${method}`,
    `Path: ${path}`,
    `Issued at: ${issuedAt}`,
    `Nonce: ${nonce}`,
  ].join('\n');
}
