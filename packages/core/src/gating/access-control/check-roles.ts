import { enqueue } from '@latchkey/db';
import { AppError, addSeconds, principalId } from '@latchkey/kernel';
import { LRUCache } from 'lru-cache';
import { walletsOfUsers } from '../../identity/wallets/index.ts';
import type { HoldingsReader } from '../../ports/index.ts';
import { findWebhookSecrets } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  type EvaluationContext,
  evaluateWallets,
  openAccount,
  openRequestedRules,
  readableRules,
  UnreadableAccount,
} from '../evaluation/index.ts';
import { assetLeavesOf, costBound, costOf, type Rule, type RuleWallet } from '../rules/index.ts';
import { decideCheck } from './jobs.ts';
import { insertCheck } from './queries.ts';
import { toAnswer } from './to-answer.ts';
import type { RoleAnswer, TokenGatingRequest, TokenGatingResponse } from './token-gating.ts';

export const checkTtlSeconds = 24 * 60 * 60;
export const maxReads = 2_000;

type CheckContext = EvaluationContext & Pick<Context, 'actor' | 'keyring' | 'names' | 'random' | 'tx' | 'wallets'>;

/** Checks rules for an account: immediately, or in the background with `async` or a `callbackUrl`. */
export async function checkRoles(
  ctx: CheckContext,
  { body }: { body: TokenGatingRequest },
): Promise<TokenGatingResponse> {
  const { account, rules = [], async: isLater = false, callbackUrl } = body;
  const isAtOnce = !isLater && callbackUrl === undefined;
  const known = isAtOnce ? findKept(ctx, body) : undefined;
  if (known !== undefined) return known;
  const opened = await openRequestedRules(rules, '/rules');
  const wallets = await walletsOfAccount(ctx, account, readableRules(opened));
  refuseExpensive(readableRules(opened), wallets);
  if (!isAtOnce) return { requestId: await askLater(ctx, body, wallets) };
  const subject = { requestedBy: principalId(ctx.actor), wallets };
  const { verdicts, freshForMs } = await evaluateWallets(ctx, opened, subject, { from: 'memory' });
  const answer = toAnswer(verdicts);
  keepAnswer(ctx, body, answer, freshForMs);
  return answer;
}

function refuseExpensive(rules: readonly Rule[], wallets: readonly RuleWallet[]): void {
  // Nearly every request is far below the limit, and counting exactly costs as much as evaluating.
  if (rules.reduce((sum, rule) => sum + costBound(rule, wallets), 0) <= maxReads) return;
  const reads = rules.reduce((sum, rule) => sum + costOf(rule, wallets), 0);
  if (reads <= maxReads) return;
  const message = `these rules need up to ${reads} reads; the limit per request is ${maxReads}.`;
  throw new AppError('VALIDATION_FAILED', `The body at /rules cannot be used: ${message}`, {
    details: [{ path: '/rules', code: 'cost', message }],
  });
}

async function askLater(
  ctx: CheckContext,
  { rules = [], callbackUrl }: TokenGatingRequest,
  wallets: readonly RuleWallet[],
): Promise<string> {
  const clientId = ctx.actor.client?.id;
  if (callbackUrl !== undefined) await refuseCallback(ctx, callbackUrl, clientId);
  const createdAt = ctx.clock();
  const id = ctx.random.id();
  await ctx.tx(async (tx) => {
    await insertCheck(tx, {
      id,
      owner_id: principalId(ctx.actor),
      client_id: clientId ?? null,
      wallets: JSON.stringify(wallets),
      rules: JSON.stringify(rules),
      callback_url: callbackUrl ?? null,
      answer: null,
      created_at: createdAt,
      expires_at: addSeconds(createdAt, checkTtlSeconds),
    });
    await enqueue(tx, decideCheck, { requestId: id }, { group: principalId(ctx.actor) });
  });
  return id;
}

// The receiver must be able to verify the callback, so it requires a signing secret.
async function refuseCallback(ctx: CheckContext, url: string, clientId: string | undefined): Promise<void> {
  const message = isWebAddress(url)
    ? clientId === undefined
      ? 'The result is signed with a client application’s webhook secret: call with a client application’s API key or token.'
      : `The result is signed with the application’s webhook secret, and it has none yet: create one with POST /latchkey/client-apps/${clientId}/webhook-secret.`
    : 'Use an http or https URL without a username.';
  const secrets = clientId === undefined ? [] : await findWebhookSecrets(ctx, clientId);
  if (isWebAddress(url) && secrets.length > 0) return;
  throw new AppError('VALIDATION_FAILED', `The body at /callbackUrl cannot be used. ${message}`, {
    details: [{ path: '/callbackUrl', code: 'callbackUrl', message }],
  });
}

function isWebAddress(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false;
  return parsed.protocol === 'https:' || parsed.protocol === 'http:';
}

/** The wallets of the account in a request. Without an account, the caller's linked wallets count. */
async function walletsOfAccount(
  ctx: Pick<Context, 'actor' | 'db' | 'names' | 'wallets'>,
  account: string | undefined,
  rules: readonly Rule[],
): Promise<readonly RuleWallet[]> {
  if (account !== undefined && account !== '') {
    const chains = rules.flatMap(assetLeavesOf).map(({ asset }) => asset.chain);
    return openAccount(ctx, account, chains).catch((error: unknown) => {
      throw error instanceof UnreadableAccount ? refused(error.message) : error;
    });
  }
  if (ctx.actor.kind !== 'user') throw refused('Name the account to check.');
  return (await walletsOfUsers(ctx.db.system, [ctx.actor.userId])).get(ctx.actor.userId) ?? [];
}

function refused(message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at /account cannot be used. ${message}`, {
    details: [{ path: '/account', code: 'account', message }],
  });
}

type KeptContext = Pick<Context, 'clock' | 'holdings'>;
type Cache = LRUCache<string, RoleAnswer>;

const maxAnswers = 10_000;
const maxLetters = 20_000_000;

// Per reader rather than per module, because one process may serve several platforms.
const caches = new WeakMap<HoldingsReader, Cache>();

/** Returns the cached result for the same rules and account, if everything it is based on is still cached. */
function findKept(ctx: KeptContext, request: TokenGatingRequest): RoleAnswer | undefined {
  const key = keyOf(request);
  return key === undefined ? undefined : cacheFor(ctx).get(key);
}

/** Caches a result for a time. Results with undecided roles are not cached. */
function keepAnswer(ctx: KeptContext, request: TokenGatingRequest, answer: RoleAnswer, ms: number): void {
  const key = keyOf(request);
  if (key !== undefined && ms > 0 && answer.errors.length === 0) cacheFor(ctx).set(key, answer, { ttl: ms });
}

// Accounts that can change are not cached: linked wallets, and names, which can be reassigned.
function keyOf({ account = '', rules }: TokenGatingRequest): string | undefined {
  if (account === '' || /\.eth\s*$/i.test(account)) return undefined;
  return `${account} ${JSON.stringify(rules)}`;
}

function cacheFor({ holdings, clock }: KeptContext): Cache {
  const present = caches.get(holdings);
  if (present !== undefined) return present;
  const cache: Cache = new LRUCache({
    max: maxAnswers,
    maxSize: maxLetters,
    sizeCalculation: (_answer, key) => key.length,
    ttl: 1,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  });
  caches.set(holdings, cache);
  return cache;
}
