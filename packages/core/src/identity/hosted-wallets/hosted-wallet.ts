import { createHash } from 'node:crypto';
import { type EnqueueOptions, enqueue } from '@latchkey/db';
import {
  type Access,
  type Actor,
  AppError,
  notSetUp,
  record,
  refuse,
  type Scope,
  shape,
  T,
  text,
  texts,
  type ValueOf,
} from '@latchkey/kernel';
import type { WalletRegistry } from '../../ports/index.ts';
import { type AskContext, askSigner } from '../../services/signer/index.ts';
import { requireBudget, requireSpender } from '../../services/spending/index.ts';
import type { Context } from '../../shared/context.ts';
import type { SealedColumn } from '../../shared/module.ts';
import {
  findWallet,
  forgetHostedWallet,
  getRegistrarKey,
  type HostedWalletRow,
  insertWallet,
  setMade,
} from './queries.ts';

const maxMessageLength = 32_768;

const PkpAuthMethod = record('PkpAuthMethod', 'A way to authenticate the owner of a hosted wallet.', {
  type: text('The platform of the account, or webauthn for a passkey.', { maxLength: 64 }),
  id: text('The id of the account, or of the passkey on its authenticator.', { maxLength: 1366 }),
  publicKey: T.Optional(text('Of a passkey: its public key, a COSE key in base64url.', { maxLength: 8192 })),
  scopes: texts('What it can be used for: user:pkp:sign signs, step-up approves typed data and hashes.', {
    maxLength: 64,
  }),
});

export type PkpAuthMethod = ValueOf<typeof PkpAuthMethod>;

export const PkpItem = record('PkpItem', 'A wallet whose key this server stores for its user.', {
  tokenId: T.Optional(
    text('The id of the wallet: the hash of its public key, as a decimal number.', { maxLength: 78 }),
  ),
  ethAddress: T.Optional(text('Its Ethereum address (EIP-55).', { maxLength: 42 })),
  publicKey: T.Optional(text('Its public key: 0x04 and both coordinates in hexadecimal.', { maxLength: 132 })),
  permittedActions: texts(
    'The supported signing methods: personal_sign, eth_signTypedData_v4, and eth_sign where bare hashes are allowed.',
    {
      maxLength: 64,
    },
  ),
  permittedAddresses: texts('The addresses it can sign for: its own.', { maxLength: 42 }),
  permittedAuthMethods: T.Array(PkpAuthMethod, { description: 'How its owner can be authenticated.', maxItems: 200 }),
});

export type PkpItem = ValueOf<typeof PkpItem>;

export const PkpClaimResponse = record('PkpClaimResponse', 'A hosted wallet, and where it is registered.', {
  pkp: T.Optional(PkpItem),
  txHash: T.Optional(text('The transaction that registers it on the configured chain.', { maxLength: 66 })),
});

export type PkpClaimResponse = ValueOf<typeof PkpClaimResponse>;

export const CheckPkpAvailabilityResponse = record(
  'CheckPkpAvailabilityResponse',
  'The hosted wallet status of a Telegram user.',
  {
    hasPkp: T.Boolean({ description: 'Whether there is a hosted wallet.' }),
    hasPasskey: T.Boolean({ description: 'Whether the account has a passkey.' }),
    hasPasskeyAuth: T.Boolean({
      description: 'Whether a passkey of the account can approve typed data, once there is a wallet.',
    }),
  },
);

export type CheckPkpAvailabilityResponse = ValueOf<typeof CheckPkpAvailabilityResponse>;

export const SignMessageRequest = record('SignMessageRequest', 'What the hosted wallet signs.', {
  address: T.String({
    description: 'The address of the caller’s hosted wallet.',
    pattern: '^0x[0-9a-fA-F]{40}$',
    maxLength: 42,
  }),
  message: text(
    'A text; or typed data (EIP-712) as JSON; or a hash of 32 bytes as 0x and 64 hexadecimal digits, where that is allowed.',
    { minLength: 1, maxLength: maxMessageLength },
  ),
  otp: T.Optional(
    text(
      'For typed data, a bare hash and a message that links the wallet: a code from the caller’s authenticator app, or the slug from POST /webauthn/authentication/store for a passkey response to the passkeyOptions in the details of the error returned without otp.',
      { minLength: 1, maxLength: 64 },
    ),
  ),
});

export type SignMessageRequest = ValueOf<typeof SignMessageRequest>;

export const SignMessageResponse = record('SignMessageResponse', 'What was signed, and the signature.', {
  address: T.Optional(text('The address that signed.', { maxLength: 42 })),
  message: T.Optional(text('The message as it was signed.', { maxLength: maxMessageLength })),
  signature: text('The signature: 0x and r, s and v in hexadecimal.', { maxLength: 132 }),
});

export type SignMessageResponse = ValueOf<typeof SignMessageResponse>;

export const signScope = 'user:pkp:sign';

export const stepUpScope = 'step-up';

/**
 * Returns the registry's hash of the owner. Without the salt, which is erased with the account, it identifies no one.
 */
export function ownerHash({ salt, userId }: { salt: string; userId: string }): string {
  return `0x${createHash('sha256').update(Buffer.from(salt, 'hex')).update(userId).digest('hex')}`;
}

export type MakeContext = AskContext & Pick<Context, 'actor' | 'tx' | 'walletRegistry'>;

/**
 * Returns a user's wallet, and creates it if there is none. However often and concurrently this is called, there is one
 * key. Each step is stored, so that a call after a failure continues where the last one ended.
 */
export async function makeWallet(ctx: MakeContext, owner: Person): Promise<HostedWalletRow> {
  const registry = getRegistry(ctx);
  await requirePayment(ctx, owner, registry);
  const wallet = await ctx.tx((tx) => insertWallet(tx, newWallet(ctx, owner, registry)));
  if (wallet.state === 'registered') return wallet;
  if (wallet.state === 'made') return resume(ctx, wallet);
  const key = await askSigner(ctx, { kind: 'make-key', userId: owner.userId, walletId: wallet.id });
  return ctx.tx(async (tx) => {
    const made = (await setMade(tx, owner.userId, key)) ?? (await findWallet(tx, owner.userId));
    if (made !== undefined) {
      await enqueue(tx, registration, { userId: owner.userId }, registration.options(made));
      return made;
    }
    // The account was erased meanwhile, and a key must not outlive it.
    await forgetHostedWallet(tx, owner.userId);
    throw new AppError('STATE_CONFLICT', 'The account was erased while its wallet was being created.');
  });
}

/** Checks whether the operator pays for one more registration. Its cost is known, and reserved, once it is signed. */
async function requirePayment(ctx: MakeContext, { userId }: Person, { chainId }: WalletRegistry): Promise<void> {
  const known = await ctx.tx((tx) => findWallet(tx, userId));
  if (known?.state === 'registered' || (known?.prepared_hash ?? null) !== null) return;
  const coin = coinOf(chainId);
  requireSpender(ctx, coin);
  const least = { coin, reference: '', caller_id: userId, amount: 1n };
  await ctx.db.transaction('system', (tx) => requireBudget(ctx, tx, least));
}

/** A registration that was given up is resumed when its owner asks again. */
async function resume(ctx: MakeContext, wallet: HostedWalletRow): Promise<HostedWalletRow> {
  await ctx.tx((tx) => enqueue(tx, registration, { userId: wallet.user_id }, registration.options(wallet)));
  return wallet;
}

function newWallet(ctx: MakeContext, owner: Person, registry: WalletRegistry): HostedWalletRow {
  return {
    user_id: owner.userId,
    platform: owner.platform,
    id: ctx.random.id(),
    salt: Buffer.from(ctx.random.bytes(32)).toString('hex'),
    state: 'new',
    address: null,
    public_key: null,
    token_id: null,
    chain_id: registry.chainId,
    prepared_hash: null,
    tx_hash: null,
    created_at: ctx.clock(),
    registered_at: null,
  };
}

function getRegistry({ walletRegistry }: Pick<Context, 'walletRegistry'>): WalletRegistry {
  if (walletRegistry !== undefined) return walletRegistry;
  throw notSetUp(
    'No registry of hosted wallets is configured on this server. Its operator can set LATCHKEY_REGISTRY_ADDRESS.',
  );
}

export type Person = Extract<Actor, { kind: 'user' }>;

/** Only for users: a wallet belongs to its user, and not even the operator can use it on their behalf. */
export function person(...scopes: Scope[]): Access {
  return { roles: ['$user_account'], scopes };
}

export function getPerson(actor: Actor): Person {
  if (actor.kind !== 'user')
    throw new AppError('ROLE_NOT_ALLOWED', 'A hosted wallet belongs to a user: sign in as a user.');
  return actor;
}

/** A user from Telegram. The published API requires no scope there, but not every token may see or create a wallet. */
export function getTelegramPerson(actor: Actor, scope: Scope): Person {
  const found = getPerson(actor);
  if (found.platform !== 'telegram')
    throw new AppError(
      'ROLE_NOT_ALLOWED',
      'This is for people who signed in with Telegram. Use /users/me/pkp instead.',
    );
  const refusal = refuse({ roles: [], scopes: [scope] }, found);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
  return found;
}

/** The dependencies for finding the registrar's key. */
export type RegistrarContext = Pick<Context, 'clock' | 'db' | 'evmWallets' | 'keyring' | 'random' | 'walletRegistry'>;

const place = 'registrar_keys.private_key:1';

export const hostedWalletsSealed: readonly SealedColumn[] = [
  { table: 'registrar_keys', column: 'private_key', idColumns: ['id'], placeOf: () => place },
];

/** Returns the key that writes to the registry: the operator's, or one that was generated for this installation. */
export async function registrarKey(ctx: RegistrarContext): Promise<Uint8Array> {
  const configured = ctx.walletRegistry?.registrarKey;
  if (configured !== undefined) return configured;
  const fresh = ctx.evmWallets.createOwnerKey(ctx.random).privateKey;
  const sealed = await getRegistrarKey(ctx.db.system, ctx.keyring.seal(place, fresh), ctx.clock());
  return ctx.keyring.open(place, sealed);
}

/** Returns the account that must be the registrar of the contract, and have funds for its fees. */
export async function registrarAddress(ctx: RegistrarContext): Promise<string> {
  return getRegistry(ctx).registrarAddress(await registrarKey(ctx));
}

const payload = shape(T.Object({ userId: T.String({ maxLength: 256 }) }));

/** Returns the coin in which registrations on a chain are paid. */
export function coinOf(chainId: number): string {
  return `evm:${chainId}`;
}

/** The job that registers a wallet, as its callers enqueue it. */
export const registration = {
  name: 'hosted-wallets.register',
  payload,
  /**
   * Registrations of one chain are sent one after the other, since each uses the next nonce of the registrar's account.
   */
  options: ({ id, chain_id }: Pick<HostedWalletRow, 'id' | 'chain_id'>): EnqueueOptions => ({
    key: String(chain_id),
    uniqueKey: id,
  }),
};

/** The background job that confirms it. */
export const confirmation = { name: 'hosted-wallets.confirm', payload };
