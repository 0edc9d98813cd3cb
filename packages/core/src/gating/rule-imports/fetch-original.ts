import { AppError, isObject } from '@latchkey/kernel';
import { EgressFailed, EgressRefused, type EgressResponse } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { textOf } from './found-rule.ts';

/** The URL of the original's API, and an API key for it. The key is used for these requests only and never stored. */
export interface OriginalAccess {
  baseUrl: string;
  apiKey: string;
  communityId: string;
}

const timeoutMs = 10_000;
const maxResponseBytes = 2_000_000;
const pageSize = 100;
/** Enough pages for the maximum number of rules in a community. */
const mostPages = 20;

/** Reads all rules of a community from the original's published API. */
export async function fetchOriginal(ctx: Pick<Context, 'egress'>, access: OriginalAccess): Promise<unknown[]> {
  const rules: unknown[] = [];
  let paginationToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await readPage(ctx, access, paginationToken);
    rules.push(...answer.items);
    if (answer.paginationToken === undefined) return rules;
    paginationToken = answer.paginationToken;
  }
  throw unavailable('The original sent more pages than a community can have rules.');
}

async function readPage(
  { egress }: Pick<Context, 'egress'>,
  { baseUrl, apiKey, communityId }: OriginalAccess,
  paginationToken: string | undefined,
): Promise<{ items: unknown[]; paginationToken?: string | undefined }> {
  const url = addressOf(baseUrl, communityId, paginationToken);
  let response: EgressResponse;
  try {
    const headers = { accept: 'application/json', 'x-api-key': apiKey };
    response = await egress.send({ method: 'GET', url, headers, timeoutMs, maxResponseBytes });
  } catch (error) {
    if (error instanceof EgressRefused) throw refused('/original/baseUrl', error.message);
    if (error instanceof EgressFailed) throw unavailable(error.message);
    throw error;
  }
  refuseStatus(response.status);
  const body = readJson(response.body);
  if (!isObject(body) || !Array.isArray(body.items))
    throw refused('/original/baseUrl', 'This URL does not look like the original’s API.');
  return { items: body.items, paginationToken: textOf(body.paginationToken) };
}

function addressOf(baseUrl: string, communityId: string, paginationToken: string | undefined): string {
  if (!URL.canParse(baseUrl)) throw refused('/original/baseUrl', 'The address must be a URL, for example https://….');
  const base = new URL(baseUrl);
  base.search = '';
  base.hash = '';
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const url = new URL(`communities/${encodeURIComponent(communityId)}/tpcs`, base);
  url.searchParams.set('limit', String(pageSize));
  if (paginationToken !== undefined) url.searchParams.set('paginationToken', paginationToken);
  return url.href;
}

function refuseStatus(status: number): void {
  if (status === 200) return;
  if (status === 401 || status === 403)
    throw refused('/original/apiKey', 'The original does not let this API key read the rules of the community.');
  if (status === 404) throw refused('/original/communityId', 'Community not found on the original.');
  if (status === 429 || status >= 500) throw unavailable(`The original responded with status ${status}.`);
  throw refused('/original/baseUrl', `The original responded with status ${status}.`);
}

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

export function refused(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', message, { details: [{ path, code: 'import', message }] });
}

function unavailable(reason: string): AppError {
  return new AppError('UNAVAILABLE', `${reason} Try again shortly, or import a file instead.`, {
    retryAfterSeconds: 30,
  });
}
