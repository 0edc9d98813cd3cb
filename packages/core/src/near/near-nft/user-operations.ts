import { createHash, hash } from 'node:crypto';
import { hashSecret } from '@latchkey/db';
import {
  AppError,
  addMs,
  app,
  op,
  pageParams,
  principalId,
  record,
  T,
  text,
  user,
  type ValueOf,
} from '@latchkey/kernel';
import type { Near, NearMessage, NearStep } from '../../ports/index.ts';
import { requireSpender } from '../../services/spending/index.ts';
import {
  accountsOf,
  deletePendingAccount,
  findSession,
  insertSession,
  lockMaker,
  putAccount,
  takeSession,
} from './contract-queries.ts';
import { accountId, accountParam, amount, signatureParam } from './fields.ts';
import { invalidField, type NearContext, withNear } from './near-setup.ts';
import type { NearAccountRow } from './queries.ts';
import { coinOf, sendOnce, sentNothing } from './send-once.ts';
import { getBalance, getCreatedTokenContracts } from './token-reads.ts';
import { TokenContractPage } from './token-records.ts';
import { getOwnedTokens, getOwnedTokensByContract } from './tokens-as-contracts.ts';

const publicKey = (description: string) =>
  text(description, { maxLength: 60, pattern: '^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$' });

const account = {
  accountId: T.Optional(accountId('The account. Defaults to a new account with a random name.')),
  publicKey: publicKey('A key with full access to the account: `ed25519:` and base58.'),
  extraPublicKeys: T.Optional(
    T.Array(publicKey('Another key.'), { description: 'Further keys of a new account.', maxItems: 5 }),
  ),
  signature: T.Optional(
    text(
      'The signature of the message from an earlier response, in base64, or the signInState of a finished sign-in.',
      {
        minLength: 1,
        maxLength: 256,
      },
    ),
  ),
};

const UserAccount = record('UserAccount', 'A NEAR account of the caller.', account);
type UserAccount = ValueOf<typeof UserAccount>;

const MessageToSign = record('NearMessageToSign', 'A message for a wallet to sign (NEP-413).', {
  message: text('The message.'),
  nonce: text('32 bytes in base64.', { maxLength: 64 }),
  recipient: text('The intended recipient.', { maxLength: 256 }),
});

const SignInSession = record('NearSignInSession', 'A sign-in by a key that the wallet adds to the account.', {
  signInState: text('Names the session; send it as `signature` once the key is there.', { maxLength: 64 }),
  contractId: text('The contract that the key must be for.', { maxLength: 64 }),
  methodName: text('The one method that the key must be for.', { maxLength: 64 }),
});
type SignInSession = ValueOf<typeof SignInSession>;

export const UserAccountResult = record(
  'UserAccountResult',
  'A NEAR account, or how to prove that it is the caller’s.',
  {
    ...account,
    transactionHash: T.Optional(text('The transaction that created the account.', { maxLength: 64 })),
    messageToSign: T.Optional(MessageToSign),
    signIn: T.Optional(SignInSession),
  },
);
export type UserAccountResult = ValueOf<typeof UserAccountResult>;

const Balance = record('NearBalance', 'The balance of an account.', {
  balance: T.Optional(amount('The amount in the smallest unit.')),
});

/** How many accounts this server creates for one caller: each costs this server's funds. */
const maxAccountsMade = 1;

/**
 * Registers a NEAR account as the caller's. A sub-account of this server's account that does not exist yet is created;
 * any other must be proven, by a signed message or by a sign-in.
 */
export function registerUser(
  ctx: NearContext,
  { 'x-near-signature': header, body }: { 'x-near-signature'?: string | undefined; body: UserAccount },
): Promise<UserAccountResult> {
  return withNear(ctx, async (near) => {
    const accountId = body.accountId ?? nameFor(ctx, near, body.publicKey);
    for (const key of [body.publicKey, ...(body.extraPublicKeys ?? [])])
      if (!near.isPublicKey(key)) throw invalidField('/publicKey', `${key} is not a NEAR public key`);
    const isBelow =
      accountId.endsWith(`.${near.account.id}`) &&
      accountId.split('.').length === near.account.id.split('.').length + 1;
    const known = (await accountsOf(ctx.db.system, near.network, principalId(ctx.actor))).find(
      (account) => account.account_id === accountId,
    );
    if (known?.origin === 'made') return makeAccount(ctx, near, { ...body, accountId });
    if (isBelow && (await near.findAccount(accountId)) === undefined)
      return makeAccount(ctx, near, { ...body, accountId });
    return proveAccount(ctx, near, { ...body, accountId }, body.signature ?? header);
  });
}

/** The same caller and key always give the same account, so that a request can be repeated safely. */
function nameFor(ctx: NearContext, near: Near, publicKey: string): string {
  const digest = createHash('sha256')
    .update(`${principalId(ctx.actor)}/${publicKey}`)
    .digest('hex');
  return `u-${digest.slice(0, 16)}.${near.account.id}`;
}

type Named = UserAccount & { accountId: string };

function rowOf(
  ctx: NearContext,
  near: Near,
  body: Named,
  about: Pick<NearAccountRow, 'origin' | 'state' | 'transaction_hash'>,
) {
  return {
    ...about,
    network: near.network,
    account_id: body.accountId,
    created_by_id: principalId(ctx.actor),
    public_key: body.publicKey,
    extra_public_keys: body.extraPublicKeys ?? [],
    created_at: ctx.clock(),
  };
}

function writeAccount({ accountId, publicKey, extraPublicKeys }: Named): UserAccountResult {
  return { accountId, publicKey, ...(extraPublicKeys !== undefined && { extraPublicKeys }) };
}

async function makeAccount(ctx: NearContext, near: Near, body: Named): Promise<UserAccountResult> {
  const keys = [...new Set([body.publicKey, ...(body.extraPublicKeys ?? [])])];
  const row = rowOf(ctx, near, body, { origin: 'made', state: 'pending', transaction_hash: null });
  await reserve(ctx, row);
  const steps: NearStep[] = [
    { kind: 'create-account' },
    { kind: 'transfer', yocto: String(near.setup.accountYocto) },
    ...keys.map((publicKey): NearStep => ({ kind: 'add-full-access-key', publicKey })),
  ];
  const request = { holder: row.created_by_id, keys };
  try {
    const purpose = `account/${body.accountId}`;
    const isThere = async () => (await near.findAccount(body.accountId)) !== undefined;
    const { hash } = await sendOnce(ctx, { purpose, request, receiverId: body.accountId, steps, isThere });
    await ctx.tx((tx) => putAccount(tx, { ...row, state: 'active', transaction_hash: hash }));
    const onChain = await near.keysOf(body.accountId);
    if (!onChain.some((key) => key.publicKey === body.publicKey))
      throw new AppError('STATE_CONFLICT', `${body.accountId} does not have this key.`);
    return { ...writeAccount(body), transactionHash: hash };
  } catch (error) {
    if (error instanceof AppError && sentNothing.includes(error.code)) await deletePendingAccount(ctx.db.system, row);
    throw error;
  }
}

async function reserve(ctx: NearContext, row: NearAccountRow): Promise<void> {
  await ctx.tx(async (tx) => {
    await lockMaker(tx, row.created_by_id);
    const made = (await accountsOf(tx, row.network, row.created_by_id)).filter(({ origin }) => origin === 'made');
    if (made.some(({ account_id }) => account_id === row.account_id)) return;
    requireSpender(ctx, coinOf(row));
    const isOperator = ctx.actor.kind === 'admin' || ctx.actor.kind === 'system';
    if (!isOperator && made.length >= maxAccountsMade)
      throw new AppError('PLAN_LIMIT_REACHED', `This server creates only ${maxAccountsMade} NEAR account per caller.`);
    await putAccount(tx, row);
  });
}

/** The message names the server, the account and the caller, so no one else can use the signature. */
function messageFor(ctx: NearContext, { accountId, publicKey }: Named): NearMessage {
  const { host } = new URL(ctx.settings.baseUrl);
  const holder = principalId(ctx.actor);
  const message = `Let ${holder} act for ${accountId} at ${ctx.settings.serviceName} (${host}).`;
  return { message, nonce: createHash('sha256').update(`${message}/${publicKey}`).digest(), recipient: host };
}

async function proveAccount(
  ctx: NearContext,
  near: Near,
  body: Named,
  signature: string | undefined,
): Promise<UserAccountResult> {
  if ((await near.findAccount(body.accountId)) === undefined)
    throw invalidField('/accountId', `must be an existing account, or one directly below ${near.account.id}`);
  const message = messageFor(ctx, body);
  if (signature === undefined) {
    const nonce = Buffer.from(message.nonce).toString('base64');
    return { ...writeAccount(body), messageToSign: { ...message, nonce }, signIn: await openSignIn(ctx, near) };
  }
  if (/^[0-9A-Za-z]{32}$/.test(signature)) {
    const { accountId, publicKey } = body;
    await finishSignIn(ctx, near, { signInState: signature, accountId, publicKey });
  } else await requireSigned(near, body, message, signature);
  await ctx.tx((tx) =>
    putAccount(tx, rowOf(ctx, near, body, { origin: 'proven', state: 'active', transaction_hash: null })),
  );
  return writeAccount(body);
}

/** Only a full-access key can act for an account: any site may have a lesser one. */
async function requireSigned(
  near: Near,
  { accountId, publicKey }: Named,
  message: NearMessage,
  signature: string,
): Promise<void> {
  const isSigned = near.isMessageSigned({ ...message, publicKey, signature: Buffer.from(signature, 'base64') });
  const key = (await near.keysOf(accountId)).find((candidate) => candidate.publicKey === publicKey);
  if (isSigned && key !== undefined && key.only === undefined) return;
  throw new AppError(
    'INVALID_CREDENTIAL',
    isSigned
      ? `The key does not have full access to ${accountId}.`
      : 'The signature does not match this message and key.',
  );
}

const sessionTtlMs = 15 * 60 * 1000;

/**
 * Starts a sign-in by key: the wallet adds a key to the account that may only call one method of one contract. Only the
 * holder of a full-access key can add a key to an account, and only this session knows the method.
 */
async function openSignIn(ctx: NearContext, near: Near): Promise<SignInSession> {
  const signInState = ctx.random.id(32);
  const methodName = `sign_in_${hash('sha256', `near-sign-in/${signInState}`, 'hex').slice(0, 32)}`;
  const now = ctx.clock();
  await ctx.tx((tx) =>
    insertSession(tx, {
      state_hash: hashSecret(signInState),
      network: near.network,
      created_by_id: principalId(ctx.actor),
      contract_id: near.account.id,
      method_name: methodName,
      created_at: now,
      expires_at: addMs(now, sessionTtlMs),
    }),
  );
  return { signInState, contractId: near.account.id, methodName };
}

/** Finishes a sign-in: the account must have the key, for the method of this session, and the session counts once. */
async function finishSignIn(
  ctx: NearContext,
  near: Near,
  { signInState, accountId, publicKey }: { signInState: string; accountId: string; publicKey: string },
): Promise<void> {
  const stateHash = hashSecret(signInState);
  const session = await findSession(ctx.db.system, stateHash);
  const refused = new AppError('INVALID_CREDENTIAL', 'This sign-in is unknown, has expired, or was already used.');
  if (session?.created_by_id !== principalId(ctx.actor) || session.network !== near.network) throw refused;
  if (session.expires_at <= ctx.clock()) throw refused;
  const keys = await near.keysOf(accountId);
  const only = keys.find((key) => key.publicKey === publicKey)?.only;
  if (only?.receiverId !== session.contract_id || !only.methods.includes(session.method_name))
    throw new AppError(
      'INVALID_CREDENTIAL',
      `${accountId} does not have this key for ${session.method_name} of ${session.contract_id}.`,
    );
  if (!(await ctx.tx((tx) => takeSession(tx, stateHash)))) throw refused;
}

const errors = ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'] as const;
const userId = T.String({
  description: 'A NEAR account, or the caller’s own user id for the account that was registered here.',
  minLength: 2,
  maxLength: 128,
});

export const userOperations = [
  op(
    'GET /near-nft/users/{userId}/balance',
    {
      id: 'getBalance',
      sdk: 'NearNFTController.getBalance',
      summary: 'Get a balance',
      description: 'Returns an account’s balance in NEAR, or in a fungible token, in the smallest unit.',
      access: app(),
      params: {
        userId,
        erc20: T.Optional(
          T.String({
            description: 'The contract of a fungible token, or the symbol of one that a market created here accepts.',
            minLength: 1,
            maxLength: 64,
          }),
        ),
      },
      returns: Balance,
      errors,
    },
    getBalance,
  ),
  op(
    'GET /near-nft/users/{userId}/owned-tokens/{address}',
    {
      id: 'getOwnedTokensByContract',
      sdk: 'NearNFTController.getOwnedTokensByContract',
      summary: 'List an account’s tokens in a contract',
      description: 'Returns the tokens that an account owns in one contract, each in the form of a contract.',
      access: app(),
      params: { userId, address: accountParam('The token contract.'), ...pageParams },
      returns: TokenContractPage,
      paginated: 'token',
      errors,
    },
    getOwnedTokensByContract,
  ),
  op(
    'GET /near-nft/users/{userId}/owned-tokens',
    {
      id: 'getOwnedTokens',
      sdk: 'NearNFTController.getOwnedTokens',
      summary: 'List an account’s tokens',
      description:
        'Returns the tokens that an account owns in the contracts that were created here, each in the form of a contract.',
      access: app(),
      params: { userId, ...pageParams },
      returns: TokenContractPage,
      paginated: 'token',
      errors,
    },
    getOwnedTokens,
  ),
  op(
    'GET /near-nft/users/{userId}/token-contracts',
    {
      id: 'getCreatedTokenContracts',
      sdk: 'NearNFTController.getCreatedTokenContracts',
      summary: 'List the caller’s token contracts',
      description:
        'Returns the token contracts that the caller created here. For other users the list is empty; the operator sees all.',
      access: app(),
      params: { userId, ...pageParams },
      returns: TokenContractPage,
      paginated: 'token',
      errors,
    },
    getCreatedTokenContracts,
  ),
  op(
    'POST /near-nft/users',
    {
      id: 'registerUser',
      sdk: 'NearNFTController.registerUser',
      summary: 'Register a NEAR account',
      description:
        'Registers a NEAR account as the caller’s. One that does not exist yet is created below this server’s account, once per caller. Any other must be verified: the first request returns a message to sign and a sign-in; repeat it with the signature, or with the signInState after the wallet has added the key, to register the account. The message names the caller, and a sign-in works once.',
      access: user(),
      params: { 'x-near-signature': signatureParam },
      body: UserAccount,
      returns: UserAccountResult,
      errors: [...errors, 'INVALID_CREDENTIAL', 'PLAN_LIMIT_REACHED'],
    },
    registerUser,
  ),
] as const;
