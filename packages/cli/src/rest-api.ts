import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, createClient, eachItem } from '@latchkey/client';
import type { RuleSetApi } from './api.ts';
import { UsageError } from './problems.ts';

/** Checking every member of a large community takes minutes. */
const planTimeoutMs = 10 * 60_000;

/** Calls a server with the API key of a client application. */
export function restApi({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): RuleSetApi {
  const call = createClient({ baseUrl, apiKey });
  const path = '/latchkey/communities/{communityId}/rule-set' as const;
  const inWords = async <Result>(send: () => Promise<Result>): Promise<Result> => {
    try {
      return await withinLimit(send);
    } catch (error) {
      throw toUsageError(error, baseUrl);
    }
  };
  const findId = async (community: string): Promise<string> => {
    if (/^[A-Z]+#COMM#/.test(community)) return community;
    const named: string[] = [];
    for await (const { id, name } of eachItem(call, 'GET /communities')) if (name === community && id) named.push(id);
    if (named.length > 1)
      throw new UsageError(`${named.length} communities are called “${community}”. Use the id: ${named.join(', ')}.`);
    return named[0] ?? community;
  };
  return {
    getRuleSet: (community) =>
      inWords(() => findId(community).then((communityId) => call(`GET ${path}`, { communityId }))),
    planRuleSet: (communityId, body) =>
      inWords(() => call(`POST ${path}/plan`, { communityId, body }, { timeoutMs: planTimeoutMs })),
    applyRuleSet: (communityId, body) =>
      inWords(() => call(`PUT ${path}`, { communityId, body }, { timeoutMs: planTimeoutMs })),
    applyBrakes: (communityId, body) => inWords(() => call(`PUT ${path}/brakes`, { communityId, body })),
    getProgress: (communityId, firstRuleChangeId) =>
      inWords(() =>
        call(`GET ${path}/progress`, { communityId, ...(firstRuleChangeId !== undefined && { firstRuleChangeId }) }),
      ),
  };
}

const mostTries = 6;
const longestWaitSeconds = 60;

/** A call that was refused for the rate limit did nothing, so it is sent again once the limit allows it. */
async function withinLimit<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1)
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || tries === mostTries) throw error;
      await delay(Math.min(error.retryAfterSeconds ?? 1, longestWaitSeconds) * 1_000);
    }
}

/** A refusal, with what to do about it. */
function toUsageError(error: unknown, baseUrl: string): unknown {
  if (error instanceof TypeError) return new UsageError(`Cannot reach ${baseUrl}: ${error.message}`);
  if (!(error instanceof ApiError)) return error;
  const advice: Readonly<Record<string, string>> = {
    ENTITY_NOT_FOUND:
      ' Check the community’s id. An admin grants an application access in the console, under Applications, with rules:plan, with rules:apply to apply, and with rules:brakes to change brakes.',
    AUTHENTICATION_REQUIRED: ' Set LATCHKEY_API_KEY to the API key of a client application.',
  };
  return new UsageError(`${error.message}${advice[error.code ?? ''] ?? ''}`);
}
