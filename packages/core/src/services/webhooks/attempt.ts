import { type Egress, EgressFailed, EgressRefused } from '../../ports/index.ts';
import { type SignedMessage, signWebhook } from './sign.ts';

export interface Receiver {
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
    return judge(status);
  } catch (error) {
    if (error instanceof EgressRefused || error instanceof EgressFailed) {
      return { outcome: 'retry', reason: error.message };
    }
    throw error;
  }
}

function judge(status: number): DeliveryResult {
  if (status >= 200 && status < 300)
    return { outcome: 'delivered', status, reason: `The receiver returned ${status}.` };
  if (status === 410) return { outcome: 'disable', status, reason: 'The receiver returned 410 Gone.' };
  if (status >= 300 && status < 400) {
    return { outcome: 'retry', status, reason: `The receiver returned ${status}; redirects are not followed.` };
  }
  return { outcome: 'retry', status, reason: `The receiver returned ${status} instead of a 2xx status.` };
}
