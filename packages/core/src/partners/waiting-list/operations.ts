import { equalSecrets } from '@latchkey/db';
import {
  type Access,
  AppError,
  addSeconds,
  anyone,
  notSetUp,
  OpenObject,
  op,
  principalId,
  record,
  resource,
  shape,
  T,
  text,
  user,
  type ValueOf,
} from '@latchkey/kernel';
import { replaceSecret, type SecretContext } from '../../services/secrets/index.ts';
import type { Context } from '../../shared/context.ts';
import type { PaymasterPolicy } from '../../shared/partner-settings.ts';
import {
  countGranted,
  deleteGuest,
  insertGrant,
  insertGuest,
  insertMember,
  isGuest,
  isMember,
  lockGrants,
} from './queries.ts';
import { configured, GetQuoteResponse, hashUserId, signerKey } from './waiting-list.ts';

const TransactionRequest = record('TransactionRequest', 'A transaction to be paid for.', {
  to: T.Optional(text('The contract it calls.', { maxLength: 64 })),
  value: T.Optional(
    text('The value it sends, in wei, as decimal digits or 0x and hexadecimal ones.', { maxLength: 80 }),
  ),
  data: T.Optional(text('The call data, as hexadecimal digits.', { maxLength: 262_144 })),
});

export const PaymasterData = record('BiconomyPaymasterWebhookData', 'The gas sponsorship request.', {
  chainId: T.Optional(T.Number({ description: 'The chain.', minimum: 1, multipleOf: 1 })),
  owner: T.Optional(text('The account that owns the smart account.', { maxLength: 64 })),
  account: T.Optional(text('The smart account that sends.', { maxLength: 64 })),
  txs: T.Optional(T.Array(TransactionRequest, { description: 'The transactions, in order.', maxItems: 50 })),
  paymasterUrl: T.Optional(text('The calling paymaster; ignored.', { maxLength: 2048 })),
  authToken: T.Optional(text('The secret that this server shares with the caller.', { maxLength: 512 })),
});
export type PaymasterData = ValueOf<typeof PaymasterData>;

const PaymasterRequest = record('BiconomyPaymasterWebhookRequest', 'A paymaster’s policy check.', {
  data: T.Optional(PaymasterData),
});
type PaymasterRequest = ValueOf<typeof PaymasterRequest>;

/** The owner and the number of transactions to sponsor; or the reason for a refusal. */
type Evaluation = { kind: 'fits'; owner: string; transactions: number } | { kind: 'refused'; reason: string };

type Transaction = NonNullable<PaymasterData['txs']>[number];

/** Checks a request against the policy, except for its limits. */
function checkPolicy(policy: Pick<PaymasterPolicy, 'calls' | 'maxValueWei'>, data: PaymasterData): Evaluation {
  const { chainId, txs = [] } = data;
  const owner = data.owner?.toLowerCase() ?? '';
  if (!isAddress(owner)) return refused('The owner is not an EVM address.');
  if (data.account !== undefined && !isAddress(data.account.toLowerCase()))
    return refused('The account is not an EVM address.');
  if (txs.length === 0) return refused('There are no transactions to sponsor.');
  const calls = policy.calls.filter((call) => call.chainId === chainId);
  if (calls.length === 0) return refused('Gas is not sponsored on this chain.');
  for (const [at, transaction] of txs.entries()) {
    const reason = refuse(calls, policy.maxValueWei, transaction);
    if (reason !== undefined) return refused(`Transaction ${at + 1} ${reason}.`);
  }
  return { kind: 'fits', owner, transactions: txs.length };
}

function refuse(calls: PaymasterPolicy['calls'], maxValueWei: bigint, { to, value, data }: Transaction) {
  const amount = value ?? '0';
  if (!/^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(amount)) return 'has an invalid value';
  if (BigInt(amount) > maxValueWei) return 'sends more than allowed';
  const input = (data ?? '0x').toLowerCase();
  if (!/^0x([0-9a-f]{2})*$/.test(input)) return 'has data that is not hexadecimal';
  const ofContract = calls.filter(({ address }) => address === to?.toLowerCase());
  if (ofContract.length === 0) return 'calls a contract that is not sponsored';
  const selector = input.slice(0, 10);
  const fits = ofContract.some((call) => call.selector === undefined || call.selector === selector);
  return fits ? undefined : 'calls a method that is not sponsored';
}

function refused(reason: string): Evaluation {
  return { kind: 'refused', reason };
}

function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/.test(text);
}

type PolicyContext = Pick<Context, 'clock' | 'db' | 'settings'>;

const daySeconds = 24 * 60 * 60;

/** Decides for a paymaster whether it pays for a user's transactions, and why. An approval is counted at once. */
export async function verifyPolicies(
  ctx: PolicyContext,
  { body: { data = {} } }: { body: PaymasterRequest },
): Promise<Record<string, unknown>> {
  const policy = authenticate(ctx, data.authToken);
  const evaluation = checkPolicy(policy, data);
  if (evaluation.kind === 'refused') return answer(false, evaluation.reason);
  const { owner, transactions } = evaluation;
  const now = ctx.clock();
  return ctx.db.transaction('system', async (tx) => {
    await lockGrants(tx);
    const { ofOwner, total } = await countGranted(tx, owner, addSeconds(now, -daySeconds));
    if (ofOwner + transactions > policy.transactionsPerDay)
      return answer(
        false,
        `Gas is sponsored for ${policy.transactionsPerDay} transactions per owner per day; ${ofOwner} are used.`,
      );
    // An owner can be any address, and addresses are free.
    if (total + transactions > policy.totalPerDay)
      return answer(false, `Gas is sponsored for ${policy.totalPerDay} transactions per day; ${total} are used.`);
    await insertGrant(tx, owner, transactions, now);
    return answer(true, 'Every call is sponsored, and the owner is within the daily limit.');
  });
}

// Biconomy reads the misspelled field; its manual documents the other one.
function answer(isVerified: boolean, reason: string): Record<string, unknown> {
  return { arePoliciesVerifed: isVerified, arePoliciesVerified: isVerified, reason };
}

function authenticate({ settings }: Pick<Context, 'settings'>, token: string | undefined): PaymasterPolicy {
  const policy = settings.partners?.paymaster;
  if (policy === undefined || policy.secrets.length === 0) throw notSetUp('No paymaster is configured on this server.');
  if (token === undefined)
    throw new AppError('AUTHENTICATION_REQUIRED', 'Send the secret of the paymaster as authToken.');
  if (!policy.secrets.map((secret) => equalSecrets(secret, token)).includes(true))
    throw new AppError('INVALID_CREDENTIAL', 'The authToken does not match the paymaster secret.');
  return policy;
}

/** Callers that know the secret this server shares with the paymaster. */
const knowsSecret: Access = { roles: [], scopes: [] };
const yesOrNo = (description: string) => shape(T.Boolean({ description }));

export const waitingList = resource('waiting-list', 'Places on a waiting list in a contract.', [
  op(
    'POST /telefrens/biconomy/paymaster-webhook',
    {
      id: 'verifyPolicies',
      sdk: 'TelefrensPaymasterWebhookController.verifyPolicies',
      summary: 'Check whether gas is sponsored',
      description:
        'Biconomy’s paymaster calls this before it pays. Every transaction must call a contract and a method that the operator’s policy allows, send no more than it allows, and the owner must be within the daily limit. The response includes the reason.',
      access: knowsSecret,
      body: PaymasterRequest,
      returns: OpenObject,
      errors: ['AUTHENTICATION_REQUIRED', 'INVALID_CREDENTIAL', 'UNAVAILABLE'],
    },
    verifyPolicies,
  ),
  op(
    'GET /telefrens/waiting-list/metadata',
    {
      id: 'getWaitingListMetadata',
      sdk: 'TelefrensWaitListController.getMetadata',
      summary: 'Get the waiting list’s contracts',
      description:
        'Returns the contracts of the list, the price of a place, the address whose quotes they trust, and what exactly is signed.',
      access: anyone,
      returns: OpenObject,
    },
    getWaitingListMetadata,
  ),
  op(
    'POST /telefrens/waiting-list/quotes',
    {
      id: 'getQuote',
      sdk: 'TelefrensWaitListController.getQuote',
      summary: 'Request a quote for a place',
      description:
        'Returns a signed offer that the caller’s wallet passes to the contract together with the price. It is valid for this caller, this contract and this chain until it expires, and the contract accepts it once.',
      access: user('telefrens:waiting-list'),
      params: {
        chainId: T.Optional(
          T.Number({ description: 'The chain to register on. Defaults to the first one.', minimum: 1, multipleOf: 1 }),
        ),
      },
      returns: GetQuoteResponse,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    getQuote,
  ),
  op(
    'POST /telefrens/waiting-list/register-kol',
    {
      id: 'registerKol',
      sdk: 'TelefrensWaitListController.verifyVipKol',
      summary: 'Accept an invitation',
      description:
        'Adds the caller to the list without a quote, if the operator has invited them. Returns whether they are invited.',
      access: user('telefrens:waiting-list'),
      returns: yesOrNo('Whether the caller was invited, and is on the list now.'),
    },
    registerKol,
  ),
  op(
    'GET /telefrens/waiting-list/registered',
    {
      id: 'isRegistered',
      sdk: 'TelefrensWaitListController.isRegistered',
      summary: 'Check your place on the list',
      description: 'Returns whether the caller is on the list, by invitation or according to the contracts.',
      access: user('telefrens:waiting-list'),
      returns: yesOrNo('Whether the caller is on the list.'),
      errors: ['UNAVAILABLE'],
    },
    isRegistered,
  ),
]);

type QuoteContext = SecretContext & Pick<Context, 'actor' | 'settings' | 'tx' | 'waitingList'>;

/** Offers the caller a place, signed so that the contract of the chain accepts it. */
export async function getQuote(
  ctx: QuoteContext,
  { chainId }: { chainId?: number | undefined },
): Promise<GetQuoteResponse> {
  const { contracts, priceWei, quoteTtlSeconds } = configured(ctx);
  const contract = chainId === undefined ? contracts[0] : contracts.find((one) => one.chainId === chainId);
  if (contract === undefined)
    throw new AppError('INVALID_PARAMETER_VALUE', 'The waiting list is not on this chain; see its metadata.');
  const userId = principalId(ctx.actor);
  if (await ctx.tx((tx) => isMember(tx, userId)))
    throw new AppError('STATE_CONFLICT', 'You are already on the waiting list.');
  const terms = {
    chainId: contract.chainId,
    contractAddress: contract.address,
    userIdHash: await hashUserId(ctx, userId),
    priceWei,
    expiresAtSeconds: Math.floor(ctx.clock().getTime() / 1000) + quoteTtlSeconds,
  };
  return {
    userIdHash: terms.userIdHash,
    price: priceWei.toString(),
    expiresAt: terms.expiresAtSeconds,
    signature: await ctx.waitingList.signQuote(await signerKey(ctx), terms),
    chainId: terms.chainId,
    contractAddress: terms.contractAddress,
  };
}

type ReadContext = SecretContext & Pick<Context, 'settings' | 'waitingList'>;

/** Returns what a page needs to offer places on the list, and what the contracts must trust. */
export async function getWaitingListMetadata(ctx: ReadContext): Promise<Record<string, unknown>> {
  const list = ctx.settings.partners?.waitingList;
  if (list === undefined || list.contracts.length === 0) return { isOpen: false, contracts: [] };
  return {
    isOpen: true,
    price: list.priceWei.toString(),
    quoteTtlSeconds: list.quoteTtlSeconds,
    signer: ctx.waitingList.signerAddress(await signerKey(ctx)),
    contracts: list.contracts.map(({ chainId, address }) => ({ chainId, contractAddress: address })),
    typedData: ctx.waitingList.quoteFormat,
  };
}

/** Returns the address that the contracts must trust; a new key is used as soon as they do. */
export async function waitingListSigner(ctx: ReadContext, change: { isReplaced: boolean }): Promise<string> {
  if (change.isReplaced) await replaceSecret(ctx, 'waiting-list.signer');
  return ctx.waitingList.signerAddress(await signerKey(ctx));
}

/** Adds the caller to the list without a quote, if the operator invited them. */
export async function registerKol(ctx: Pick<Context, 'actor' | 'clock' | 'tx'>): Promise<boolean> {
  const userId = principalId(ctx.actor);
  return ctx.tx(async (tx) => {
    if (!(await isGuest(tx, userId))) return false;
    await insertMember(tx, userId, 'guest', ctx.clock());
    return true;
  });
}

/** Whether the caller is on the list. Members found on the chain are stored, since the chain never removes them. */
export async function isRegistered(
  ctx: SecretContext & Pick<Context, 'actor' | 'settings' | 'tx' | 'waitingList'>,
): Promise<boolean> {
  const userId = principalId(ctx.actor);
  if (await ctx.tx((tx) => isMember(tx, userId))) return true;
  const { contracts } = configured(ctx);
  const userIdHash = await hashUserId(ctx, userId);
  const answers = await Promise.all(
    contracts.map(({ chainId, address }) =>
      ctx.waitingList.readRegistered({ chainId, contractAddress: address, userIdHash }),
    ),
  );
  if (answers.some((answer) => answer.kind === 'read' && answer.isRegistered)) {
    await ctx.tx((tx) => insertMember(tx, userId, 'chain', ctx.clock()));
    return true;
  }
  const unknown = answers.find((answer) => answer.kind === 'unknown');
  if (unknown !== undefined) throw new AppError('UNAVAILABLE', unknown.reason, { retryAfterSeconds: 10 });
  return false;
}

/** Invites a user, or withdraws the invitation. Users who are already on the list stay there. */
export async function inviteToWaitingList(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  { userId, isInvited }: { userId: string; isInvited: boolean },
): Promise<void> {
  if (ctx.actor.kind !== 'admin') throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator can invite people.');
  if (isInvited) await insertGuest(ctx.db.system, userId, ctx.clock());
  else await deleteGuest(ctx.db.system, userId);
}
