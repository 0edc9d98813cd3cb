import { createHash } from 'node:crypto';

export type StripeInterval = 'month' | 'year';

export interface StripeProduct {
  id: string;
  name: string;
  active: boolean;
  metadata: Record<string, string>;
}

export interface StripePrice {
  id: string;
  product: string;
  amount: number;
  currency: string;
  interval: StripeInterval | null;
  lookupKey: string | null;
  metadata: Record<string, string>;
}

export interface StripeSession {
  id: string;
  mode: 'payment' | 'subscription';
  status: 'open' | 'complete' | 'expired';
  price: StripePrice;
  customer: string | null;
  metadata: Record<string, string>;
  subscriptionMetadata: Record<string, string>;
  clientReferenceId: string | null;
  successUrl: string;
  cancelUrl: string;
  message: string | null;
  title: string;
  created: number;
  expiresAt: number;
  isPaid: boolean;
  subscription: string | null;
  paymentIntent: string | null;
}

export interface StripeSubscription {
  id: string;
  customer: string;
  price: StripePrice;
  metadata: Record<string, string>;
  status: 'active' | 'past_due' | 'canceled' | 'unpaid' | 'incomplete';
  startDate: number;
  periodEnd: number;
  cancelAt: number | null;
  cancelsAtPeriodEnd: boolean;
  endedAt: number | null;
  latestInvoice: string | null;
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
  paymentIntent: string;
}

export interface StripeRefund {
  id: string;
  charge: string;
  amount: number;
  currency: string;
  created: number;
}

export interface StripeDispute {
  id: string;
  charge: string;
  amount: number;
  currency: string;
  status: 'warning_needs_response' | 'needs_response' | 'won' | 'lost';
  movements: { id: string; amount: number; currency: string; created: number }[];
}

export interface StripePortalConfiguration {
  id: string;
  metadata: Record<string, string>;
  /** The prices that customers may switch to. */
  prices: string[];
}

export interface StripePortalSession {
  id: string;
  customer: string;
  returnUrl: string;
  change: { subscription: string; price: string; doneUrl: string } | null;
}

export interface StripeEvent {
  id: string;
  type: string;
  created: number;
  object: unknown;
}

export interface StripeCustomer {
  id: string;
  deleted: boolean;
  created: number;
  balance: number;
  email: string | null;
}

/** The state of the emulator. Ids are derived from the seed and the order of calls, so that runs are repeatable. */
export class StripeState {
  readonly customers = new Map<string, StripeCustomer>();
  readonly products = new Map<string, StripeProduct>();
  readonly prices = new Map<string, StripePrice>();
  readonly sessions = new Map<string, StripeSession>();
  readonly subscriptions = new Map<string, StripeSubscription>();
  readonly invoices = new Map<string, StripeInvoice>();
  readonly refunds: StripeRefund[] = [];
  readonly disputes: StripeDispute[] = [];
  readonly portalConfigurations: StripePortalConfiguration[] = [];
  readonly portalSessions = new Map<string, StripePortalSession>();
  readonly events: StripeEvent[] = [];
  /** Responses to requests with an idempotency key, with a digest of the request. */
  readonly answered = new Map<string, { digest: string; body: unknown }>();
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly #seed: string;
  #count = 0;

  constructor(now: () => number, seed = '') {
    this.now = now;
    this.#seed = seed;
  }

  newCustomer(): StripeCustomer {
    const customer = { id: this.nextId('cus'), deleted: false, created: this.now(), balance: 0, email: null };
    this.customers.set(customer.id, customer);
    return customer;
  }

  nextId(prefix: string): string {
    const digest = createHash('sha256')
      .update(`${this.#seed}${prefix}:${this.#count++}`)
      .digest('base64url');
    return `${prefix}_${digest.replace(/[^A-Za-z0-9]/g, '').slice(0, 24)}`;
  }

  note(type: string, object: unknown): void {
    this.events.push({ id: this.nextId('evt'), type, created: this.now(), object });
  }
}
