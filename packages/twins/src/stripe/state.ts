import { createHash } from 'node:crypto';

export interface StripeSession {
  id: string;
  mode: 'payment' | 'subscription';
  amount: number;
  currency: string;
  metadata: Record<string, string>;
  subscriptionMetadata: Record<string, string>;
  clientReferenceId: string | null;
  successUrl: string;
  cancelUrl: string;
  message: string | null;
  title: string;
  created: number;
  expiresAt: number;
  paid: { customer: string; subscription: string | null; paymentIntent: string | null } | undefined;
}

export interface StripeSubscription {
  id: string;
  customer: string;
  amount: number;
  currency: string;
  metadata: Record<string, string>;
  status: 'active' | 'past_due' | 'canceled' | 'unpaid';
  startDate: number;
  periodEnd: number;
  cancelAt: number | null;
  endedAt: number | null;
}

export interface StripeInvoice {
  id: string;
  subscription: string;
  customer: string;
  amount: number;
  amountPaid: number;
  currency: string;
  paidAt: number | null;
  charge: string;
}

export interface StripeRefund {
  id: string;
  charge: string;
  amount: number;
  currency: string;
  created: number;
}

export interface StripeEvent {
  id: string;
  type: string;
  created: number;
  object: unknown;
}

/** Everything that the twin remembers. Ids follow from the order of things, so that runs repeat. */
export class StripeState {
  readonly sessions = new Map<string, StripeSession>();
  readonly subscriptions = new Map<string, StripeSubscription>();
  readonly invoices = new Map<string, StripeInvoice>();
  readonly refunds: StripeRefund[] = [];
  readonly events: StripeEvent[] = [];
  /** Answers to requests that carried an idempotency key, with a digest of what was asked. */
  readonly answered = new Map<string, { digest: string; body: unknown }>();
  /** Seconds since 1970. */
  readonly now: () => number;
  #count = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  nextId(prefix: string): string {
    const digest = createHash('sha256')
      .update(`${prefix}:${this.#count++}`)
      .digest('base64url');
    return `${prefix}_${digest.replace(/[^A-Za-z0-9]/g, '').slice(0, 24)}`;
  }

  note(type: string, object: unknown): void {
    this.events.push({ id: this.nextId('evt'), type, created: this.now(), object });
  }
}
