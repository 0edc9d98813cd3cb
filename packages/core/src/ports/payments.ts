/** Amounts are whole numbers in the smallest unit of their currency. */
export interface Money {
  amount: number;
  currency: string;
}

export type BillingPeriod = 'monthly' | 'yearly';

/** What a plan costs in one billing period. */
export interface PlanPrice extends Money {
  billingPeriod: BillingPeriod;
  /** The id of a price that the operator made at the provider; without it one is made there. */
  priceId?: string | undefined;
}

export interface CheckoutRequest {
  /** Ours; the same id again gives the same checkout. */
  id: string;
  customerId?: string;
  /** A price at the provider that recurs, or a sum of money that is due once or every month. */
  item: { priceId: string } | (Money & { title: string; isMonthly: boolean });
  confirmationMessage?: string;
  successUrl: string;
  cancelUrl: string;
  expiresAt: Date;
}

/** What came of a checkout. `pending` is done by the buyer, but not paid yet. */
export interface CheckoutState {
  state: 'open' | 'pending' | 'paid' | 'expired';
  checkoutId: string | undefined;
  subscriptionId?: string;
  payment?: Payment;
}

/** A subscription as the provider knows it now. */
export interface PaidSubscription {
  id: string;
  /** The checkout it came from. */
  checkoutId: string | undefined;
  customerId: string;
  /** In the provider's words, for people to see. */
  status: string;
  /** `late` when a payment failed and is still tried for. */
  paymentState: 'paid' | 'late' | 'ended';
  price: Money & { id: string; planId: string | undefined; billingPeriod: BillingPeriod | undefined };
  /** The invoice of the period that runs. */
  latestInvoiceId: string | undefined;
  beganAt: Date;
  paidUntil: Date;
  cancelOn: Date | undefined;
}

/** Money that moved: positive towards the operator. */
export interface Payment extends Money {
  /** The provider's id of the movement. */
  id: string;
  at: Date;
  checkoutId?: string;
  subscriptionId?: string;
}

/** A payment that the payer disputes at their bank. */
export interface Dispute extends Money {
  id: string;
  /** In the provider's words. */
  status: string;
  outcome: 'open' | 'lost' | 'won';
  /** What the bank took, and gave back. */
  movements: readonly Payment[];
}

/** A card payment, and its refunds. */
export interface Charge {
  id: string;
  isRefunded: boolean;
  invoiceId: string | undefined;
  subscriptionId: string | undefined;
  /** As negative amounts. */
  refunds: readonly Payment[];
  disputes: readonly Dispute[];
}

/** What a change at the provider is about. */
export type PaymentSubject =
  | { kind: 'subscription'; id: string }
  | { kind: 'checkout'; id: string }
  | { kind: 'invoice'; id: string }
  | { kind: 'charge'; id: string };

export interface PaymentEvent {
  id: string;
  type: string;
  at: Date;
  /** Undefined for events that change nothing here. */
  subject: PaymentSubject | undefined;
}

/**
 * A provider of card payments. Every call throws `PaymentsFailed` when the provider cannot be asked, and `PaymentsRefused`
 * when asking again would not help.
 */
export interface CardPayments {
  /** A customer for a payer. The same key again gives the same customer. */
  createCustomer(key: string): Promise<string>;
  forgetCustomer(customerId: string): Promise<void>;
  /** A customer's mail address at the provider; undefined when they gave none. */
  mailboxOf(customerId: string): Promise<string | undefined>;
  /** The id of the price at the provider, which is made there unless it exists. */
  priceOf(plan: { id: string; name: string; price: PlanPrice }): Promise<string>;
  begin(request: CheckoutRequest): Promise<{ sessionId: string; url: string }>;
  /** Closes a checkout that is still open. `done` when the buyer has completed it before. */
  expire(sessionId: string): Promise<'closed' | 'done'>;
  /** A page on which the customer confirms another price for a subscription, with what is due for the running period. */
  change(request: {
    subscriptionId: string;
    priceId: string;
    doneUrl: string;
    returnUrl: string;
  }): Promise<{ url: string }>;
  /** A page on which a customer sees and changes everything they pay for. */
  portal(customerId: string, returnUrl: string): Promise<{ url: string }>;
  /** Ends a subscription at a time; with the paid period when that is not earlier. */
  cancel(subscriptionId: string, on: Date): Promise<void>;
  /** Lets a subscription that is due to end go on. */
  resume(subscriptionId: string): Promise<void>;
  /** Ends a subscription at once. With `isCredited` what was paid for the rest is kept for the customer's next invoice. */
  end(subscriptionId: string, options?: { isCredited?: boolean }): Promise<void>;
  subscription(id: string): Promise<PaidSubscription | undefined>;
  checkout(sessionId: string): Promise<CheckoutState | undefined>;
  /** What was paid for an invoice, and the subscription it is for. */
  invoice(id: string): Promise<{ subscriptionId?: string; payment?: Payment } | undefined>;
  charge(id: string): Promise<Charge | undefined>;
  /** Reads a message of the provider; undefined when it was not signed by it, or not about now. */
  readEvent(body: Uint8Array, signature: string, now: Date): PaymentEvent | undefined;
}

/** The provider cannot be asked at the moment. */
export class PaymentsFailed extends Error {
  override readonly name = 'PaymentsFailed';
}

/** The provider refuses permanently: the message is its reason, without secrets. */
export class PaymentsRefused extends Error {
  override readonly name: string = 'PaymentsRefused';
}

/** The provider does not know the customer (any more). */
export class CustomerGone extends PaymentsRefused {
  override readonly name = 'CustomerGone';
}

/** The provider refuses this server's own credentials. */
export class PaymentsNotAllowed extends PaymentsRefused {
  override readonly name = 'PaymentsNotAllowed';
}

export interface LockAddress {
  address: string;
  chainId: number;
}

/** Memberships that are sold by contracts: a key of a lock is good until a time. */
export interface Locks {
  /** Where a key of one of the locks is bought. The buyer signs the message and comes back to `redirectUri`. */
  checkoutUrl(request: {
    locks: readonly (LockAddress & { skipRecipient: boolean })[];
    title: string;
    message: string;
    redirectUri: string;
  }): string;
  /** Until when an account has a good key; undefined for none. Throws when the chain cannot be asked. */
  keyUntil(request: { lock: string; chainId: number; account: string }): Promise<Date | undefined>;
}
