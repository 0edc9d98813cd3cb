import { hashSecret } from '@latchkey/db';
import { type Actor, AppError } from '@latchkey/kernel';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Context } from '../../context.ts';
import type { EvmSignatures } from '../../ports/index.ts';
import { isCompact } from './compact-token.ts';
import { type EthereumRequest, ethereumRequestText } from './ethereum-request-text.ts';
import { burnNonce } from './queries.ts';
import { refusedCredential } from './refused.ts';

type EthereumContext = Pick<Context, 'clock' | 'db' | 'settings'>;

type User = Extract<Actor, { kind: 'user' }>;

/** The accounts that a wallet signs in to; the address comes checksummed (EIP-55). */
export type AccountsOfWallet = (
  address: string,
) => Promise<readonly Pick<User, 'userId' | 'platform' | 'name' | 'scopes'>[]>;

interface Proof extends EthereumRequest {
  address: string;
  signature: string;
}

// The same published text for everybody: this HMAC is the envelope existing clients use and protects nothing.
const envelopeKey = Buffer.from('api.collab.land');
const maxTokenLength = 8192;
const windowSeconds = 300;

const refused = () => refusedCredential('Ethereum signature');

/**
 * The user whose wallet signed exactly this request a moment ago; throws INVALID_CREDENTIAL otherwise. The path is the
 * one of the request line, with its query.
 */
export async function verifyEthereumHeader(
  ctx: EthereumContext,
  token: string,
  request: { method: string; path: string },
  evm: EvmSignatures,
  accountsOfWallet: AccountsOfWallet,
): Promise<User> {
  const proof = readProof(await openEnvelope(ctx, token));
  if (proof.method !== request.method || proof.path !== request.path) throw refused();
  const issuedAt = new Date(proof.issuedAt);
  // Written so that a date which cannot be read fails too.
  if (!(Math.abs(ctx.clock().getTime() - issuedAt.getTime()) <= windowSeconds * 1000)) throw refused();
  // The nonce is burnt before the signature is looked at: a failed try must not leave it usable.
  if (!(await burn(ctx, proof, issuedAt))) throw refused();
  const text = ethereumRequestText({ baseUrl: ctx.settings.baseUrl, ...proof });
  const signer = evm.recoverPersonalSign(text, proof.signature);
  if (signer === undefined || signer.toLowerCase() !== proof.address.toLowerCase()) throw refused();
  const [account, other] = await accountsOfWallet(signer);
  if (account === undefined) throw refused();
  // Told only to who has just signed: nothing in this header says which account is meant, and none is guessed.
  if (other !== undefined)
    throw new AppError(
      'INVALID_CREDENTIAL',
      'This wallet signs in to several accounts. Choose one with POST /ethereum-login/challenges, and send its token.',
    );
  return {
    kind: 'user',
    ...account,
    credential: 'wallet-signature',
    presence: { how: 'wallet', at: issuedAt },
  };
}

async function openEnvelope(ctx: EthereumContext, token: string): Promise<JWTPayload> {
  if (token.length > maxTokenLength || !isCompact(token, 3)) throw refused();
  try {
    return (
      await jwtVerify(token, envelopeKey, { algorithms: ['HS256'], currentDate: ctx.clock(), clockTolerance: 60 })
    ).payload;
  } catch (error) {
    throw error instanceof errors.JOSEError ? refused() : error;
  }
}

const forms = {
  address: /^0x[0-9a-fA-F]{40}$/,
  signature: /^0x[0-9a-fA-F]{130}$/,
  method: /^[A-Z]{3,7}$/,
  // No control characters: a line break could add a line to the text that is signed.
  path: /^\/[!-~]{0,4095}$/,
  issuedAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/,
  nonce: /^[A-Za-z0-9_-]{16,64}$/,
} as const;

function readProof(payload: JWTPayload): Proof {
  const read = (field: keyof typeof forms): string => {
    const value = payload[field];
    if (typeof value !== 'string' || !forms[field].test(value)) throw refused();
    return value;
  };
  return {
    address: read('address'),
    signature: read('signature'),
    method: read('method'),
    path: read('path'),
    issuedAt: read('issuedAt'),
    nonce: read('nonce'),
  };
}

/** Keeps the nonce until the window is over on every process, however far their clocks are apart. */
function burn(ctx: EthereumContext, { address, nonce }: Proof, issuedAt: Date): Promise<boolean> {
  const until = new Date(issuedAt.getTime() + 2 * windowSeconds * 1000);
  return burnNonce(ctx.db.system, hashSecret(`ethereum:${address.toLowerCase()}:${nonce}`), until);
}
