import { hashSecret } from '@latchkey/db';
import { AppError, addSeconds, anyone, op, resource } from '@latchkey/kernel';
import { reconcileUser } from '../../gating/role-changes/index.ts';
import { type AskingApp, findAppOfOrigin } from '../../identity/client-apps/index.ts';
import { issueAeToken } from '../../identity/credentials/index.ts';
import { accountsOfWallet, isLinkedTo, ownAccountOf, type SignInAccount } from '../../identity/wallets/index.ts';
import { verdictOf } from '../../port-guards/index.ts';
import type { WalletNamespace } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { saveLink } from '../wallet-links/index.ts';
import {
  challengeTtlSeconds,
  requestIdLength,
  WalletChallengeRequest,
  WalletChallengeResponse,
  WalletIdTokenRequest,
  WalletIdTokenResponse,
} from './challenge.ts';
import { type ChallengeRow, findChallenge, insertChallenge, useChallenge } from './queries.ts';

interface EvmAccount {
  chain: string;
  /** In EIP-55 form. */
  address: string;
}

const namedChains: Readonly<Record<string, string>> = { mainnet: '1' };

/** Parses an account id (`evm:1:0x…`, also with eip155 for evm). Throws VALIDATION_FAILED for anything else. */
function readAccountId(evm: WalletNamespace, accountId: string): EvmAccount {
  const [, reference = '', text = ''] =
    /^(?:evm|eip155):([-a-zA-Z0-9]{1,32}):(0x[0-9a-fA-F]{40})$/.exec(accountId) ?? [];
  const chain = namedChains[reference] ?? reference;
  const address = /^[1-9]\d{0,17}$/.test(chain) ? evm.normalizeAddress(text, chain) : undefined;
  if (address === undefined) {
    throw new AppError(
      'VALIDATION_FAILED',
      'The body at /accountId is not an EVM account id. Use evm:1:0x followed by 40 hex digits.',
      {
        details: [{ path: '/accountId', code: 'account', message: 'must be an EVM account id' }],
      },
    );
  }
  return { chain, address };
}

const prefix = 'urn:latchkey:account:';

/**
 * Returns the resource by which a sign-in message names the account, for a wallet that signs in to several: as a
 * resource, it is part of what is signed.
 */
function accountResource(userId: string): string {
  return `${prefix}${encodeURIComponent(userId)}`;
}

/** Returns the account that the resources of a message choose, if any. */
function readChosenAccount(resources: readonly string[]): string | undefined {
  const chosen = resources.find((resource) => resource.startsWith(prefix))?.slice(prefix.length);
  if (chosen === undefined) return undefined;
  try {
    return decodeURIComponent(chosen);
  } catch {
    return chosen;
  }
}

type LoginContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'origin' | 'random' | 'settings' | 'wallets'>;

const tokenTtlSeconds = 3600;

/** A wallet that was just proven, and the account that it signs in to. */
export interface ProvenSignIn {
  account: SignInAccount;
  signer: Signer & { chain: string };
  /** The application whose page requested it; null for a page of this server. */
  clientId: string | null;
  at: Date;
}

/** Exchanges a signed challenge for a token of the account that the wallet signs in to. */
export async function loginBySiwe(
  ctx: LoginContext,
  { body }: { body: WalletIdTokenRequest },
): Promise<WalletIdTokenResponse> {
  return issueSession(ctx, await proveSignIn(ctx, body));
}

/**
 * Verifies a signed challenge and consumes it with the verdict: a failed attempt does not leave it usable (EIP-4361),
 * and of two concurrent ones one succeeds. Without a verdict, because the chain is unavailable, it stays valid.
 */
export async function proveSignIn(ctx: LoginContext, body: WalletIdTokenRequest): Promise<ProvenSignIn> {
  const challenge = await findChallenge(ctx.db.system, hashSecret(body.requestId), ctx.clock());
  if (challenge === undefined) throw isOver();
  const evaluated = await verdictOf(async () => {
    const signedBy = await verify(ctx, challenge, body);
    return { signer: signedBy, account: await accountOf(ctx, signedBy, challenge.account_id) };
  });
  if (!(await useChallenge(ctx.db.system, challenge.request_hash))) throw isOver();
  if (evaluated instanceof AppError) throw evaluated;
  const { signer, account } = evaluated;
  const { address, contractChain } = signer;
  return {
    account,
    signer: { address, ...(contractChain !== undefined && { contractChain }), chain: challenge.chain },
    clientId: challenge.client_id,
    at: ctx.clock(),
  };
}

function isOver(): AppError {
  return new AppError('INVALID_CREDENTIAL', 'The challenge is unknown, used or expired. Request a new one.');
}

/** Issues a session for a wallet that was proven. */
export async function issueSession(
  ctx: LoginContext,
  { account, signer, clientId, at }: ProvenSignIn,
): Promise<WalletIdTokenResponse> {
  if (account.userId === ownAccountOf(signer)) await keepOwnWallet(ctx, account, signer);
  return { idToken: await issueAeToken(ctx, { ...account, ...reach(), ttlSeconds: tokenTtlSeconds }) };

  /** An application learns who the user is and gets no scopes: those are granted on the consent page. */
  function reach() {
    return clientId === null
      ? ({ scopes: account.scopes, credential: 'wallet-session', presence: { how: 'wallet', at } } as const)
      : ({ scopes: [], credential: 'identity-token', clientId } as const);
  }
}

interface Signer {
  address: string;
  contractChain?: string;
}

/**
 * Returns the account that a wallet signs in to: one whose owner enabled that, otherwise the wallet's own. A link alone
 * proves holdings and signs no user in. A contract is identified with its chain: on another chain it may have another
 * owner.
 */
async function accountOf(
  ctx: LoginContext,
  { address, contractChain }: Signer,
  chosen: string | null,
): Promise<SignInAccount> {
  const own = {
    userId: ownAccountOf({ address, contractChain }),
    platform: 'ethereum',
    name: address,
    scopes: ['$all'],
  };
  if (contractChain !== undefined) return own;
  const accounts = await accountsOfWallet(ctx.db, address);
  if (chosen === null) {
    const [account = own, other] = accounts;
    if (other === undefined) return account;
    throw severalAccounts([...accounts, own]);
  }
  const account = [...accounts, own].find(({ userId }) => userId === chosen);
  if (account === undefined)
    throw new AppError('INVALID_CREDENTIAL', 'This wallet cannot sign in to the account selected in the message.');
  return account;
}

/** The wallet was just proven, so it is linked to its own account. Links to other accounts do not change that. */
async function keepOwnWallet(
  ctx: LoginContext,
  account: SignInAccount,
  { address, contractChain = null, chain }: { address: string; contractChain?: string | null; chain: string },
): Promise<void> {
  if (await isLinkedTo(ctx.db.system, account.userId, address)) return;
  const actor = { kind: 'user', ...account, credential: 'wallet-session' } as const;
  await saveLink({ ...ctx, actor }, { namespace: 'evm', address, contractChain, chain }, reconcileUser);
}

// Shown only to a caller who has just proved to own the wallet.
function severalAccounts(accounts: readonly SignInAccount[]): AppError {
  const message =
    'This wallet can sign in to several accounts. Request a new challenge with the resource of one of them.';
  return new AppError('STATE_CONFLICT', message, {
    details: accounts.map(({ userId, platform, name }) => ({
      path: '/resources',
      code: 'account',
      message: `${platform}: ${name ?? userId}`,
      info: { userId, platform, ...(name !== undefined && { name }), resource: accountResource(userId) },
    })),
  });
}

async function verify(ctx: LoginContext, challenge: ChallengeRow, body: WalletIdTokenRequest): Promise<Signer> {
  const claimed = body.accountId === undefined ? undefined : readAccountId(ctx.wallets.evm, body.accountId);
  const address = challenge.address ?? claimed?.address;
  if (address === undefined) {
    throw new AppError(
      'VALIDATION_FAILED',
      'The body needs accountId, because the challenge did not specify an account.',
      {
        details: [{ path: '/accountId', code: 'required', message: 'must be the account that signed' }],
      },
    );
  }
  if (claimed !== undefined && claimed.address !== address) {
    throw new AppError('INVALID_CREDENTIAL', 'The challenge was issued for another account.');
  }
  const verdict = await ctx.wallets.evm.verify({
    chain: challenge.chain,
    address,
    message: challenge.message,
    signature: body.signature,
    // A message that names no account could be replayed to another contract of the same owner.
    details: { scheme: 'eip191', keyOnly: challenge.address === null },
  });
  if (verdict.kind === 'unknown') {
    throw new AppError(
      'UNAVAILABLE',
      'The signature cannot be verified right now. Nothing was changed; send the same signature again shortly.',
      {
        retryAfterSeconds: 5,
      },
    );
  }
  if (verdict.kind === 'invalid')
    throw new AppError('INVALID_CREDENTIAL', 'The signature does not match the message and the account.');
  return verdict;
}

export const ethereumLogin = resource('ethereum-login', 'Signing in with an Ethereum wallet.', [
  op(
    'POST /ethereum-login/challenges',
    {
      id: 'getChallenge',
      sdk: 'EthereumLoginController.getChallenge',
      summary: 'Get a message to sign',
      description: `Returns the message for the wallet to sign, in EIP-4361 format (Sign-In with Ethereum). It works once and expires after ${challengeTtlSeconds / 60} minutes. It is valid only for its page, account and chain.`,
      access: anyone,
      body: WalletChallengeRequest,
      returns: WalletChallengeResponse,
    },
    getChallenge,
  ),
  op(
    'POST /ethereum-login/id-tokens',
    {
      id: 'loginBySiwe',
      sdk: 'EthereumLoginController.loginBySiwe',
      summary: 'Sign in with a signed message',
      description:
        'Checks the signature of a challenge. On a page of this server, the token is a session of the account that the wallet signs in to: one whose owner enabled sign-in for this wallet, or else the account of the wallet itself. On a page of an application, the token identifies the user to that application and has no scopes. Fails with STATE_CONFLICT if the wallet can sign in to several accounts, with the resources to use in a new challenge. Signatures of contract wallets (ERC-1271, ERC-6492) are checked on their chain, if the operator has configured it.',
      access: anyone,
      body: WalletIdTokenRequest,
      returns: WalletIdTokenResponse,
      errors: ['STATE_CONFLICT'],
    },
    loginBySiwe,
  ),
]);

type ChallengeContext = Pick<Context, 'clock' | 'db' | 'random' | 'settings' | 'wallets'>;

/** Creates the message for a wallet to sign, and stores it for 15 minutes. */
export function getChallenge(
  ctx: ChallengeContext,
  { body }: { body: WalletChallengeRequest },
): Promise<WalletChallengeResponse> {
  return writeSignInMessage(ctx, body, 'here');
}

/** The same, for a session in the signing browser or in another one where the user started. */
export async function writeSignInMessage(
  ctx: ChallengeContext,
  body: WalletChallengeRequest,
  where: 'here' | 'elsewhere',
): Promise<WalletChallengeResponse> {
  const { application, ...page } = await checkAskingPage(ctx, body);
  const resources = body.resources ?? [];
  checkResources(resources);
  const account = body.accountId === undefined ? undefined : readAccountId(ctx.wallets.evm, body.accountId);
  const requestId = ctx.random.id(requestIdLength);
  const issuedAt = ctx.clock();
  const expiresAt = addSeconds(issuedAt, challengeTtlSeconds);
  const chain = account?.chain ?? '1';
  // The request id is the key to the challenge, so the message contains only its hash.
  const requestHash = hashSecret(requestId);
  const message = writeMessage({
    ...page,
    asker: {
      name: application?.name ?? ctx.settings.serviceName,
      isApplication: application !== undefined,
      isElsewhere: where === 'elsewhere',
    },
    address: account?.address,
    chain,
    nonce: ctx.random.id(24),
    issuedAt,
    expiresAt,
    requestId: requestHash.slice(0, 16),
    resources,
  });
  await insertChallenge(ctx.db.system, {
    request_hash: requestHash,
    namespace: 'evm',
    chain,
    address: account?.address ?? null,
    message,
    client_id: application?.id ?? null,
    account_id: readChosenAccount(resources) ?? null,
    created_at: issuedAt,
    expires_at: expiresAt,
  });
  return { ...(body.state !== undefined && { state: body.state }), requestId, message };
}

// A line break in a resource would let a caller add lines to the message.
function checkResources(resources: readonly string[]): void {
  const index = resources.findIndex((resource) => !/^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(resource));
  if (index < 0) return;
  throw new AppError('VALIDATION_FAILED', `The body at /resources/${index} must be a URI.`, {
    details: [{ path: `/resources/${index}`, code: 'uri', message: 'must be a URI' }],
  });
}

/** The page that requests a login. */
interface AskingPage {
  domain: string;
  uri: string;
  /** The application that the page belongs to; absent for a page of this server. */
  application?: AskingApp;
}

/**
 * Decides which pages may request a sign-in. A message contains the page's domain so that a wallet can warn about
 * another site's; a server that wrote any domain into it would make that warning worthless.
 */
async function checkAskingPage(
  ctx: Pick<Context, 'db' | 'settings'>,
  { uri = ctx.settings.baseUrl, domain }: { uri?: string | undefined; domain?: string | undefined },
): Promise<AskingPage> {
  const page = URL.parse(uri);
  if (page === null || !/^https?:$/.test(page.protocol) || page.username !== '' || page.password !== '')
    throw refused('/uri', 'must be an http or https address');
  if (domain !== undefined && domain !== page.host) throw refused('/domain', 'must be the host of uri');
  const asking = { domain: page.host, uri: page.href };
  if (page.origin === new URL(ctx.settings.baseUrl).origin) return asking;
  const application = await findAppOfOrigin(ctx.db.pool, page.origin);
  if (application === undefined)
    throw refused('/uri', 'must be on this server or on an allowed origin of an approved client application');
  return { ...asking, application };
}

const refused = (path: string, message: string) => refuse(path, message, 'page');

/** The fields of a sign-in message. Everything that the signature must be bound to is in the text. */
interface SignInMessage {
  domain: string;
  uri: string;
  /** What the user signs in to. An application only learns who they are. */
  asker: { name: string; isApplication: boolean; isElsewhere?: boolean };
  /** Undefined if the caller did not say which account will sign. */
  address: string | undefined;
  chain: string;
  nonce: string;
  issuedAt: Date;
  expiresAt: Date;
  requestId: string;
  resources: readonly string[];
}

function writeStatement({ name, isApplication, isElsewhere = false }: SignInMessage['asker']): string {
  const plain = toStatementText(name);
  const here = isElsewhere ? 'This signs you in, in the browser where you started.' : 'This signs you in.';
  const effect = isApplication ? `This proves to ${plain} that the wallet is yours, and nothing else.` : here;
  return `Sign in to ${plain} with this wallet. ${effect} It costs nothing and moves nothing.`;
}

// EIP-4361 allows only URI characters and spaces in a statement, so letters of other scripts are replaced.
function toStatementText(name: string): string {
  return name.replace(/[^\w\-.~:/?#[\]@!$&'()*+,;= ]+/g, '?').trim();
}

/**
 * Writes the text to sign: strictly EIP-4361 if the account is known. Without an account, the standard cannot be
 * followed, so the first lines are plain text, and only a key that signs for itself is accepted.
 */
export function writeMessage(message: SignInMessage): string {
  const statement = writeStatement(message.asker);
  const head =
    message.address === undefined
      ? [`${message.domain} asks you to sign in.`, '', statement, '']
      : [`${message.domain} wants you to sign in with your Ethereum account:`, message.address, '', statement, ''];
  const lines = [
    ...head,
    `URI: ${message.uri}`,
    'Version: 1',
    `Chain ID: ${message.chain}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt.toISOString()}`,
    `Expiration Time: ${message.expiresAt.toISOString()}`,
    `Request ID: ${message.requestId}`,
  ];
  if (message.resources.length > 0) lines.push('Resources:', ...message.resources.map((resource) => `- ${resource}`));
  return lines.join('\n');
}
