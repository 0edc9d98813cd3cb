import type { Sealed } from '@latchkey/db';
import { AppError, type EventType } from '@latchkey/kernel';
import { type Egress, EgressFailed, EgressRefused } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { oldSecretPlace, secretPlace } from './queries.ts';
import { sampleData } from './sample-data.ts';
import { type SignedMessage, signWebhook } from './sign.ts';

interface Receiver {
  url: string;
  /** Newest first; two while a secret is being replaced. */
  secrets: readonly string[];
}

export interface DeliveryResult {
  /** `disable`: the receiver asked for no more messages. */
  outcome: 'delivered' | 'retry' | 'disable';
  /** The receiver's HTTP status, if it responded. */
  status?: number;
  /** A sentence for the owner of the endpoint. */
  reason: string;
}

const timeoutMs = 15_000;

/**
 * Attempts to deliver a message. Only the status counts, never the body of the response. A blocked address is retried
 * like a receiver that is down, since its name may resolve to another one later.
 */
export async function attemptDelivery(
  egress: Egress,
  receiver: Receiver,
  message: SignedMessage,
  signal?: AbortSignal,
): Promise<DeliveryResult> {
  const headers = { 'content-type': 'application/json', ...signWebhook(message, receiver.secrets) };
  const request = { method: 'POST' as const, url: receiver.url, headers, body: message.body, timeoutMs };
  try {
    const { status } = await egress.send(signal ? { ...request, signal } : request);
    return resultOf(status);
  } catch (error) {
    if (error instanceof EgressRefused || error instanceof EgressFailed) {
      return { outcome: 'retry', reason: error.message };
    }
    throw error;
  }
}

function resultOf(status: number): DeliveryResult {
  if (status >= 200 && status < 300)
    return { outcome: 'delivered', status, reason: `The receiver returned ${status}.` };
  if (status === 410) return { outcome: 'disable', status, reason: 'The receiver returned 410 Gone.' };
  if (status >= 300 && status < 400) {
    return { outcome: 'retry', status, reason: `The receiver returned ${status}; redirects are not followed.` };
  }
  return { outcome: 'retry', status, reason: `The receiver returned ${status} instead of a 2xx status.` };
}

interface TestEvent extends DeliveryResult {
  body: string;
  tookMs: number;
}

/**
 * Sends a test event to a URL that need not be saved yet, signed like all others. Receivers recognize it by `isTest`.
 * It is attempted once and not logged.
 */
export async function sendTestEvent(
  ctx: Pick<Context, 'clock' | 'db' | 'egress' | 'keyring' | 'random'>,
  { clientId, url, type }: { clientId: string; url: string; type: EventType },
): Promise<TestEvent> {
  const secrets = await findWebhookSecrets(ctx, clientId);
  if (secrets.length === 0)
    throw new AppError('STATE_CONFLICT', 'The application has no webhook secret yet. Rotate it once to get one.');
  const startedAt = ctx.clock();
  const data = { ...sampleData(type, clientId), isTest: true };
  const body = JSON.stringify({ type, timestamp: startedAt.toISOString(), data });
  const message = { id: `msg_test_${ctx.random.id()}`, timestamp: startedAt, body };
  const result = await attemptDelivery(ctx.egress, { url, secrets }, message);
  return { ...result, body, tookMs: Math.max(0, ctx.clock().getTime() - startedAt.getTime()) };
}

interface SealedSecrets {
  clientId: string;
  secret: Sealed;
  oldSecret: Sealed | null;
  oldSecretEndsAt: Date | null;
}

/** Returns the current signing secrets, newest first. */
export function openSecrets(
  { clock, keyring }: Pick<Context, 'clock' | 'keyring'>,
  { clientId, secret, oldSecret, oldSecretEndsAt }: SealedSecrets,
): string[] {
  const newest = keyring.openText(secretPlace(clientId), secret);
  if (oldSecret === null || oldSecretEndsAt === null || oldSecretEndsAt <= clock()) return [newest];
  return [newest, keyring.openText(oldSecretPlace(clientId), oldSecret)];
}

/** Returns the secrets that sign calls to an application, newest first; empty if it has none. */
export async function findWebhookSecrets(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  clientId: string,
): Promise<string[]> {
  const row = await ctx.db.system
    .selectFrom('webhook_endpoints')
    .select(['secret', 'old_secret as oldSecret', 'old_secret_ends_at as oldSecretEndsAt'])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row === undefined ? [] : openSecrets(ctx, { clientId, ...row });
}
