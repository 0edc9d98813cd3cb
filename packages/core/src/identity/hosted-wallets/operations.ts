import { setTimeout as delay } from 'node:timers/promises';
import type { Sql, Tx } from '@latchkey/db';
import { AppError, alsoLimited, isLimited, NoContent, notFound, op, resource } from '@latchkey/kernel';
import { type AskContext, askSigner, ownHostsOf, purposeOf, verifyText } from '../../services/signer/index.ts';
import type { Context } from '../../shared/context.ts';
import { ownerOfClientApp } from '../client-apps/index.ts';
import { listCredentials } from '../webauthn/index.ts';
import { getApproval, type SigningRequest } from './approval.ts';
import {
  CheckPkpAvailabilityResponse,
  getPerson,
  getTelegramPerson,
  type MakeContext,
  makeWallet,
  type Person,
  type PkpAuthMethod,
  PkpClaimResponse,
  PkpItem,
  person,
  SignMessageRequest,
  SignMessageResponse,
  signScope,
  stepUpScope,
} from './hosted-wallet.ts';
import { findWallet, type HostedWalletRow } from './queries.ts';
import { canApprove, stepUp } from './step-up.ts';
import { asAddress, asInteger, readTypedData, type TypedData } from './typed-data.ts';

const defaultPatienceMs = 10_000;
const pollMs = 100;

export async function claimUserPkp(ctx: MakeContext): Promise<PkpClaimResponse> {
  const wallet = await makeWallet(ctx, getPerson(ctx.actor));
  const txHash = await waitForHash(ctx, wallet);
  return { pkp: await toPkp(ctx, wallet), txHash };
}

/** Does not wait for the chain: the registration is pending when this returns. */
export async function claimTelegramPkp(ctx: MakeContext): Promise<void> {
  await makeWallet(ctx, getTelegramPerson(ctx.actor, 'user:pkp:claim'));
}

async function waitForHash(ctx: MakeContext, wallet: HostedWalletRow): Promise<string> {
  const tooLate = AbortSignal.timeout(ctx.settings.hostedWallets?.chainPatienceMs ?? defaultPatienceMs);
  for (let row: HostedWalletRow | undefined = wallet; !tooLate.aborted; ) {
    if (row === undefined)
      throw new AppError('STATE_CONFLICT', 'The account was erased while its wallet was being created.');
    if (row.tx_hash !== null) return row.tx_hash;
    await delay(pollMs, undefined, { signal: tooLate }).catch(() => undefined);
    row = await ctx.tx((tx) => findWallet(tx, wallet.user_id));
  }
  throw new AppError(
    'UNAVAILABLE',
    'The wallet was created, but its registration is not on the chain yet. Try again shortly: registration continues automatically, and nothing is created twice.',
    { retryAfterSeconds: 5 },
  );
}

export const hostedWallets = resource('hosted-wallets', 'Wallets whose keys the server stores for its users.', [
  op(
    'GET /users/me/pkp',
    {
      id: 'getUserPkp',
      sdk: 'TelefrensPkpController.getUserPkp',
      summary: 'Get your hosted wallet',
      description: 'Returns the hosted wallet of the signed-in user. Its private key is never returned.',
      access: person('user:pkp:read'),
      returns: PkpItem,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getUserPkp,
  ),
  op(
    'PUT /users/me/pkp',
    {
      id: 'claimUserPkp',
      sdk: 'TelefrensPkpController.claimUserPkp',
      summary: 'Claim a hosted wallet',
      description:
        'Creates a wallet for the signed-in user, whose key is stored by this server’s signer, and registers its address on the configured chain. Claiming again returns the same wallet and transaction. Returns 503 while the signer or the chain is down; repeat the request to continue. The wallet is not linked to the account automatically: to link it, sign the message of GET /account/auth-message with it, with otp.',
      access: person('user:pkp:claim'),
      returns: PkpClaimResponse,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    claimUserPkp,
  ),
  op(
    'GET /telegram-pkp/check-availability',
    {
      id: 'checkPkpAvailability',
      sdk: 'TelegramPkpController.checkPkpAvailability',
      summary: 'Check a Telegram user’s hosted wallet',
      description:
        'For users who signed in with Telegram. The token, and its client application if there is one, must have user:pkp:read or every scope.',
      access: alsoLimited(person(), { scopes: ['user:pkp:read'] }),
      returns: CheckPkpAvailabilityResponse,
    },
    checkPkpAvailability,
  ),
  op(
    'POST /telegram-pkp/claim',
    {
      id: 'claimTelegramPkp',
      sdk: 'TelegramPkpController.claimTelegramPkp',
      summary: 'Claim a hosted wallet on Telegram',
      description:
        'Claims a hosted wallet for a user who signed in with Telegram, like PUT /users/me/pkp, but does not wait for the chain: the registration is still in progress when this returns. Claiming again changes nothing. The token, and its client application if there is one, must have user:pkp:claim or every scope.',
      access: alsoLimited(person(), { scopes: ['user:pkp:claim'] }),
      returns: NoContent,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    claimTelegramPkp,
  ),
]);

export const pkp = resource('pkp', 'Signing with a hosted wallet.', [
  op(
    'POST /pkp/sign-message',
    {
      id: 'signMessage',
      sdk: 'TelefrensPkpController.signMessage',
      summary: 'Sign with your hosted wallet',
      description:
        'Signs a text as personal_sign does (EIP-191), or typed data as eth_signTypedData_v4 does (EIP-712) when the message is its JSON, exactly as JSON.stringify writes it. A message of 0x and 64 hexadecimal digits is a bare hash, which is signed only where the operator allows it. Typed data, hashes and messages that link the wallet need the user’s approval: without otp, the request fails with INVALID_OTP, whose details contain digest, summary and warnings to show, and passkeyOptions for a passkey; send the proof in otp within five minutes. It approves this text for this application, once. A passkey or an authenticator app that was added in the last day is not accepted. An application’s token can request typed-data signatures only for the domains that the operator allows. Texts that would log in to this server, messages that link the wallet to another account, and other bytes, such as transactions, are rejected. Signatures are logged for the owner; they are limited per minute and per day.',
      access: person('user:pkp:sign'),
      body: SignMessageRequest,
      returns: SignMessageResponse,
      errors: [
        'CLIENT_NOT_ALLOWED',
        'ENTITY_NOT_FOUND',
        'INVALID_OTP',
        'STATE_CONFLICT',
        'TOO_MANY_TRIES',
        'UNAVAILABLE',
      ],
    },
    signMessage,
  ),
]);

type ReadContext = Pick<Context, 'actor' | 'clock' | 'settings' | 'tx'>;

export async function getUserPkp(ctx: ReadContext): Promise<PkpItem> {
  const { userId } = getPerson(ctx.actor);
  const wallet = await ctx.tx((tx) => findWallet(tx, userId));
  if (wallet === undefined || wallet.state === 'new') throw notFound('hosted wallet; claim one first');
  return toPkp(ctx, wallet);
}

export async function checkPkpAvailability(ctx: ReadContext): Promise<CheckPkpAvailabilityResponse> {
  const { userId } = getTelegramPerson(ctx.actor, 'user:pkp:read');
  const [wallet, passkeys] = await ctx.tx(async (tx) => [await findWallet(tx, userId), await listPasskeys(tx, userId)]);
  return {
    hasPkp: wallet !== undefined && wallet.state !== 'new',
    hasPasskey: passkeys.length > 0,
    hasPasskeyAuth: passkeys.some((passkey) => canApprove(ctx, passkey)),
  };
}

/** Converts a wallet to the API's record. */
async function toPkp(ctx: ReadContext, wallet: HostedWalletRow): Promise<PkpItem> {
  const passkeys = await ctx.tx((tx) => listPasskeys(tx, wallet.user_id));
  const allowsHashes = ctx.settings.hostedWallets?.allowsHashes ?? false;
  const account: PkpAuthMethod = { type: wallet.platform, id: wallet.user_id, scopes: [signScope] };
  return {
    tokenId: wallet.token_id ?? undefined,
    ethAddress: wallet.address ?? undefined,
    publicKey: wallet.public_key ?? undefined,
    permittedActions: ['personal_sign', 'eth_signTypedData_v4', ...(allowsHashes ? ['eth_sign'] : [])],
    permittedAddresses: wallet.address === null ? [] : [wallet.address],
    permittedAuthMethods: [
      account,
      ...passkeys
        .filter((passkey) => canApprove(ctx, passkey))
        .map(({ credential_id, public_key }) => ({
          type: 'webauthn',
          id: credential_id,
          publicKey: Buffer.from(public_key).toString('base64url'),
          scopes: [stepUpScope],
        })),
    ],
  };
}

async function listPasskeys(tx: Tx, userId: string) {
  const passkeys = await listCredentials(tx, userId, undefined);
  return passkeys.filter(({ suspicious_at }) => suspicious_at === null);
}

/** Returns the address of a user's hosted wallet, for callers who may see it. */
export async function findHostedAddress(db: Sql, userId: string): Promise<string | undefined> {
  return (await findWallet(db, userId))?.address ?? undefined;
}

type SignContext = AskContext & Pick<Context, 'actor' | 'evmDigests' | 'keyring' | 'log' | 'tx'>;

/** Signs with the caller's hosted wallet. The signer checks everything again by its own rules. */
export async function signMessage(
  ctx: SignContext,
  { body }: { body: SignMessageRequest },
): Promise<SignMessageResponse> {
  const person = getPerson(ctx.actor);
  const { userId, client } = person;
  const wallet = await ctx.tx((tx) => findWallet(tx, userId));
  const address = wallet?.address;
  if (address == null || address.toLowerCase() !== body.address.toLowerCase()) throw notFound('hosted wallet');
  const found = purposeOf(body.message);
  // An unreadable message is left for the signer to refuse, with its own error.
  const purpose = found === 'unreadable' ? 'message' : found;
  const request = { userId, address, clientId: client?.id, purpose, text: body.message };
  const proof = await prove(ctx, person, request, body.otp);
  const { signature } = await askSigner(ctx, { kind: 'sign', ...request, ...proof });
  return { address, message: body.message, signature };
}

interface SigningProof {
  steppedUpAt: Date | undefined;
  approvedDigest: string | undefined;
}

/** Refuses what would be refused anyway before the user is asked or a proof is consumed. */
async function prove(
  ctx: SignContext,
  person: Person,
  request: SigningRequest,
  otp: string | undefined,
): Promise<SigningProof> {
  const { needsApproval } = verifyText(request, {
    allowsHashes: ctx.settings.hostedWallets?.allowsHashes ?? false,
    ownHosts: ownHostsOf(ctx.settings.baseUrl),
  });
  if (needsApproval) {
    if (request.purpose === 'typed-data') await assertTypedDataAllowed(ctx, person, request.text);
    const { digest, provedAt } = await getApproval(ctx, request, otp);
    return { steppedUpAt: provedAt, approvedDigest: digest };
  }
  const steppedUpAt = otp === undefined ? undefined : await stepUp(ctx, request.userId, otp, { mustRest: false });
  return { steppedUpAt, approvedDigest: undefined };
}

async function assertTypedDataAllowed(ctx: SignContext, person: Person, text: string): Promise<void> {
  // Only typed data with a digest can be read reliably; the rest is refused when the digest is computed.
  if ((await ctx.evmDigests.typedDataDigest(text)) !== undefined)
    await assertDomainAllowed(ctx, person, readTypedData(text));
}

type DomainContext = Pick<Context, 'clock' | 'db'>;

/** Allows an application to request typed-data signatures for a domain. */
export async function allowSigningDomain(
  ctx: DomainContext,
  { clientId, domain, notes }: { clientId: string; domain: string; notes?: string | undefined },
): Promise<string> {
  if ((await ownerOfClientApp(ctx, clientId)) === undefined) throw notFound('client application');
  const name = getName(domain);
  await insertDomain(ctx.db.system, {
    client_id: clientId,
    domain: name,
    notes: notes ?? null,
    created_at: ctx.clock(),
  });
  return name;
}

export async function removeSigningDomain(
  ctx: DomainContext,
  { clientId, domain }: { clientId: string; domain: string },
): Promise<void> {
  if (!(await deleteDomain(ctx.db.system, clientId, getName(domain)))) throw notFound('domain of this application');
}

export function listSigningDomains(ctx: DomainContext, clientId: string | undefined): Promise<SigningDomainRow[]> {
  return listDomains(ctx.db.system, clientId);
}

/**
 * Refuses typed data that the calling application may not request signatures for. Users in their own session are not
 * bound by the list, since they see what they approve; a session with fewer scopes belongs to an application acting for
 * them.
 */
async function assertDomainAllowed(ctx: DomainContext, person: Person, data: TypedData): Promise<void> {
  const { client } = person;
  if (client === undefined && !isLimited(person)) return;
  const domain = domainNameOf(data);
  if (client === undefined || domain === undefined)
    throw new AppError(
      'CLIENT_NOT_ALLOWED',
      client === undefined
        ? 'This token cannot request typed-data signatures. Sign in to this server directly, or use an application that the operator allows to.'
        : 'Applications cannot request signatures of typed data whose domain has neither a contract nor a name.',
    );
  if (await hasDomain(ctx.db.system, client.id, domain)) return;
  throw new AppError(
    'CLIENT_NOT_ALLOWED',
    `This application cannot request signatures of typed data for ${domain}. The operator can allow it with: latchkey signing-domains allow ${client.id} "${domain}"`,
    { details: { domain, clientId: client.id } },
  );
}

function getName(domain: string): string {
  const name = readDomainName(domain);
  if (name === undefined)
    throw new AppError(
      'INVALID_PARAMETER_VALUE',
      'Write a domain as contract address, @ and chain id (0x…@1, or 0x…@any if it has no chain), or as name: followed by its name.',
    );
  return name;
}

/**
 * Returns the canonical name of a domain for the applications' lists: the contract and its chain, or the name of a
 * domain without a contract. Undefined for a domain that cannot be distinguished from others.
 */
export function domainNameOf({ domain }: Pick<TypedData, 'domain'>): string | undefined {
  if (Object.hasOwn(domain, 'verifyingContract')) {
    const contract = asAddress(domain.verifyingContract);
    if (contract === undefined) return undefined;
    if (!Object.hasOwn(domain, 'chainId')) return `${contract}@any`;
    const chain = asInteger(domain.chainId);
    return chain === undefined || chain < 0n ? undefined : `${contract}@${chain}`;
  }
  return readDomainName(`name:${typeof domain.name === 'string' ? domain.name : ''}`);
}

/** Parses such a name from an operator's input. Undefined if it is not valid. */
export function readDomainName(text: string): string | undefined {
  const [, contract, chain] = /^(0x[0-9a-f]{40})@([0-9]{1,78}|any)$/i.exec(text) ?? [];
  if (contract !== undefined && chain !== undefined)
    return `${contract.toLowerCase()}@${/^\d/.test(chain) ? BigInt(chain) : 'any'}`;
  return /^name:[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(text) ? text : undefined;
}

/** A typed-data domain that an application may request signatures for. */
interface SigningDomainRow {
  client_id: string;
  domain: string;
  notes: string | null;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    signing_domains: SigningDomainRow;
  }
}

async function hasDomain(db: Sql, clientId: string, domain: string): Promise<boolean> {
  const row = await db
    .selectFrom('signing_domains')
    .select('domain')
    .where('client_id', '=', clientId)
    .where('domain', '=', domain)
    .executeTakeFirst();
  return row !== undefined;
}

/** Does nothing if the application already has it. */
async function insertDomain(db: Sql, row: SigningDomainRow): Promise<void> {
  await db
    .insertInto('signing_domains')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function deleteDomain(db: Sql, clientId: string, domain: string): Promise<boolean> {
  const result = await db
    .deleteFrom('signing_domains')
    .where('client_id', '=', clientId)
    .where('domain', '=', domain)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

function listDomains(db: Sql, clientId: string | undefined): Promise<SigningDomainRow[]> {
  const query = db.selectFrom('signing_domains').selectAll().orderBy('client_id').orderBy('domain');
  return (clientId === undefined ? query : query.where('client_id', '=', clientId)).execute();
}
