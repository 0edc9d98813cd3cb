/** Amounts are integers in the smallest unit of their currency. */
export interface Money {
  amount: number;
  currency: string;
}

export type BillingPeriod = 'monthly' | 'yearly';

/** What a plan costs in one billing period. */
export interface PlanPrice extends Money {
  billingPeriod: BillingPeriod;
  /** The id of a price that the operator created at the provider; without it, one is created there. */
  priceId?: string | undefined;
}

export interface CheckoutRequest {
  /** Our id; the same id again gives the same checkout. */
  id: string;
  customerId?: string;
  /** A recurring price at the provider, or an amount that is due once or every month. */
  item: { priceId: string } | (Money & { title: string; isMonthly: boolean });
  confirmationMessage?: string;
  successUrl: string;
  cancelUrl: string;
  expiresAt: Date;
}

/** The state of a checkout. `pending` means that the buyer has completed it, but the payment has not arrived yet. */
export interface CheckoutState {
  state: 'open' | 'pending' | 'paid' | 'expired';
  checkoutId: string | undefined;
  subscriptionId?: string;
  payment?: Payment;
}

/** A subscription as the provider knows it now. */
export interface PaidSubscription {
  id: string;
  /** The checkout that created it. */
  checkoutId: string | undefined;
  customerId: string;
  /** In the provider's words, for people to see. */
  status: string;
  /** `late` if a payment failed and is still being retried. */
  paymentState: 'paid' | 'late' | 'ended';
  price: Money & { id: string; planId: string | undefined; billingPeriod: BillingPeriod | undefined };
  /** The invoice of the current period. */
  latestInvoiceId: string | undefined;
  beganAt: Date;
  paidUntil: Date;
  cancelOn: Date | undefined;
}

/** A movement of money: positive towards the operator. */
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
  /** What the bank withdrew and returned. */
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

/** What a change at the provider concerns. */
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
 * A card payment provider. Every call throws `PaymentsFailed` if the provider cannot be reached, and `PaymentsRefused`
 * if a retry would not help.
 */
export interface CardPayments {
  /** Creates a customer for a payer. The same key again gives the same customer. */
  createCustomer(key: string): Promise<string>;
  forgetCustomer(customerId: string): Promise<void>;
  /** A customer's email address at the provider; undefined if they gave none. */
  mailboxOf(customerId: string): Promise<string | undefined>;
  /** The id of the price at the provider, which is created there unless it exists. */
  priceOf(plan: { id: string; name: string; price: PlanPrice }): Promise<string>;
  begin(request: CheckoutRequest): Promise<{ sessionId: string; url: string }>;
  /** Closes a checkout that is still open. `done` if the buyer has already completed it. */
  expire(sessionId: string): Promise<'closed' | 'done'>;
  /**
   * A page where the customer confirms a different price for a subscription, with the amount due for the current
   * period.
   */
  change(request: {
    subscriptionId: string;
    priceId: string;
    doneUrl: string;
    returnUrl: string;
  }): Promise<{ url: string }>;
  /** A page where a customer sees and changes everything they pay for. */
  portal(customerId: string, returnUrl: string): Promise<{ url: string }>;
  /** Ends a subscription at a time, or at the end of the paid period if that is later. */
  cancel(subscriptionId: string, on: Date): Promise<void>;
  /** Resumes a subscription that is due to end. */
  resume(subscriptionId: string): Promise<void>;
  /**
   * Ends a subscription immediately. With `isCredited`, the payment for the remaining time is credited to the
   * customer's next invoice.
   */
  end(subscriptionId: string, options?: { isCredited?: boolean }): Promise<void>;
  subscription(id: string): Promise<PaidSubscription | undefined>;
  checkout(sessionId: string): Promise<CheckoutState | undefined>;
  /** The payment for an invoice, and the subscription it belongs to. */
  invoice(id: string): Promise<{ subscriptionId?: string; payment?: Payment } | undefined>;
  charge(id: string): Promise<Charge | undefined>;
  /** Parses a message from the provider; undefined if the signature is not valid, or it is not recent. */
  readEvent(body: Uint8Array, signature: string, now: Date): PaymentEvent | undefined;
}

/** The provider cannot be reached right now. */
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

/** The provider refuses this server's credentials. */
export class PaymentsNotAllowed extends PaymentsRefused {
  override readonly name = 'PaymentsNotAllowed';
}

export interface LockAddress {
  address: string;
  chainId: number;
}

/** Memberships sold by contracts: a key of a lock is valid until a given time. */
export interface Locks {
  /**
   * The URL where a key of one of the locks can be bought. The buyer signs the message and returns to `redirectUri`.
   */
  checkoutUrl(request: {
    locks: readonly (LockAddress & { skipRecipient: boolean })[];
    title: string;
    message: string;
    redirectUri: string;
  }): string;
  /** Until when an account has a valid key; undefined if it has none. Throws if the chain cannot be reached. */
  keyUntil(request: { lock: string; chainId: number; account: string }): Promise<Date | undefined>;
}
