import { AppError, notFound, notSetUp } from '@latchkey/kernel';
import { type Near, NearUnavailable } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';

/** The dependencies of this feature's verbs. */
export type NearContext = Pick<Context, 'actor' | 'clock' | 'db' | 'near' | 'random' | 'tx' | 'log' | 'settings'>;

/** Returns the NEAR client of this server. Throws if the operator has not set it up. */
export function requireNear({ near }: Pick<Context, 'near'>): Near {
  if (near === undefined) throw notSetUp('This server is not set up for NEAR.');
  return near;
}

export function unavailable(reason: string): AppError {
  return new AppError('UNAVAILABLE', `The NEAR network cannot be reached right now: ${reason} Try again later.`, {
    retryAfterSeconds: 5,
  });
}

/** Calls the network; when no node responds, the caller gets a Retry-After. */
export async function withNear<Result>(
  ctx: Pick<Context, 'near'>,
  work: (near: Near) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(requireNear(ctx));
  } catch (error) {
    if (error instanceof NearUnavailable) throw unavailable(sentence(error.message));
    throw error;
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** A network in the request must be this one. */
export function requireNetwork(near: Near, chainId: string | undefined): void {
  if (chainId === undefined || chainId.replace(/^near:/, '') === near.network) return;
  throw invalidField('/chainId', `must be ${near.network}, the network that this server uses`);
}

export function invalidField(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `Invalid body: ${path} ${message}.`, {
    details: [{ path, code: 'invalid', message }],
  });
}

/** Requires a field that the schema leaves optional but this request needs. */
export function needed<Value>(path: string, value: Value | undefined): Value {
  if (value === undefined) throw invalidField(path, 'is required');
  return value;
}

/** Parses an integer that a contract returned. */
export function amountOf(value: unknown): bigint {
  const digits = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof digits === 'string' && /^\d{1,39}$/.test(digits)) return BigInt(digits);
  throw new AppError('STATE_CONFLICT', 'The contract returned an invalid amount.');
}

/** The result of a contract view. A missing contract, or one of another kind, is not found. */
export async function viewOf(
  near: Near,
  { contract, method, args, what }: { contract: string; method: string; args?: Record<string, unknown>; what: string },
): Promise<unknown> {
  if (!near.isAccountId(contract)) throw notFound(what);
  const answer = await near.view(contract, method, args ?? {});
  if (answer.kind === 'value') return answer.value;
  if (answer.kind === 'none') throw notFound(what);
  throw new AppError('STATE_CONFLICT', `The contract call failed: ${answer.reason.replace(/\.$/, '')}.`);
}
