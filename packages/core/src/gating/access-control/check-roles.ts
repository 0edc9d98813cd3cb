import { enqueue } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { findWebhookSecrets } from '../../developers/webhooks/index.ts';
import { type JudgeContext, judgeWallets, openAskedRules, readableRules } from '../judging/index.ts';
import { costBound, costOf, type Rule, type RuleWallet } from '../rules/index.ts';
import { walletsOfAccount } from './account.ts';
import { decideCheck } from './jobs.ts';
import { findKept, keepAnswer } from './kept-answers.ts';
import { insertCheck } from './queries.ts';
import { toAnswer } from './to-answer.ts';
import type { TokenGatingRequest, TokenGatingResponse } from './token-gating.ts';

export const checkTtlSeconds = 24 * 60 * 60;
export const maxReads = 2_000;

type CheckContext = JudgeContext & Pick<Context, 'actor' | 'keyring' | 'names' | 'random' | 'tx' | 'wallets'>;

/** Holds rules against an account, at once or, with `async` or a `callbackUrl`, soon. */
export async function checkRoles(
  ctx: CheckContext,
  { body }: { body: TokenGatingRequest },
): Promise<TokenGatingResponse> {
  const { account, rules = [], async: isLater = false, callbackUrl } = body;
  const isAtOnce = !isLater && callbackUrl === undefined;
  const known = isAtOnce ? findKept(ctx, body) : undefined;
  if (known !== undefined) return known;
  const opened = await openAskedRules(rules, '/rules');
  const wallets = await walletsOfAccount(ctx, account, readableRules(opened));
  refuseExpensive(readableRules(opened), wallets);
  if (!isAtOnce) return { requestId: await askLater(ctx, body, wallets) };
  const subject = { askedBy: principalId(ctx.actor), wallets };
  const { verdicts, freshForMs } = await judgeWallets(ctx, opened, subject, { from: 'memory' });
  const answer = toAnswer(verdicts);
  keepAnswer(ctx, body, answer, freshForMs);
  return answer;
}

function refuseExpensive(rules: readonly Rule[], wallets: readonly RuleWallet[]): void {
  // Nearly every request is far from the limit, and counting exactly costs as much as deciding.
  if (rules.reduce((sum, rule) => sum + costBound(rule, wallets), 0) <= maxReads) return;
  const reads = rules.reduce((sum, rule) => sum + costOf(rule, wallets), 0);
  if (reads <= maxReads) return;
  const message = `these rules take up to ${reads} reads; one request may take ${maxReads}.`;
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
      expires_at: new Date(createdAt.getTime() + checkTtlSeconds * 1000),
    });
    await enqueue(tx, decideCheck, { requestId: id }, { group: principalId(ctx.actor) });
  });
  return id;
}

// The receiver must be able to tell our call from anybody else's, so without a secret to sign with there is no call.
async function refuseCallback(ctx: CheckContext, url: string, clientId: string | undefined): Promise<void> {
  const message = isWebAddress(url)
    ? clientId === undefined
      ? 'The result is signed with the webhook secret of a client application: ask with the API key or a token of one.'
      : `The result is signed with the webhook secret of the application, which has none yet: make one with POST /latchkey/client-apps/${clientId}/webhook-secret.`
    : 'Use an http or https address without a user name.';
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
