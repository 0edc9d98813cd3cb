/** Amounts are whole numbers in the smallest unit of their currency. */
export interface Money {
  amount: number;
  currency: string;
}

export interface CheckoutRequest {
  /** Ours; the same id again gives the same checkout. */
  id: string;
  /** What is bought, for the page and the receipt. */
  title: string;
  price: Money;
  /** The id of a price that the operator made at the provider, instead of `price`. */
  priceId?: string;
  /** Due every month, or once. */
  recurring: boolean;
  confirmationMessage?: string;
  successUrl: string;
  cancelUrl: string;
  expiresAt: Date;
}

/** A subscription as the provider knows it now. */
export interface PaidSubscription {
  id: string;
  /** The checkout it came from. */
  checkoutId: string | undefined;
  customerId: string;
  /** True while what was bought is due to the buyer, a late payment that is still tried for included. */
  isActive: boolean;
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

/** A provider of card payments. Every call throws `PaymentsFailed` when the provider cannot be asked. */
export interface CardPayments {
  begin(request: CheckoutRequest): Promise<{ sessionId: string; url: string }>;
  /** Ends a subscription at a time, and answers where its buyer sees that. */
  cancel(subscriptionId: string, on: Date, returnUrl: string): Promise<{ url: string }>;
  subscription(id: string): Promise<PaidSubscription | undefined>;
  /** What a checkout led to, once it is paid. */
  checkout(sessionId: string): Promise<{ checkoutId: string; subscriptionId?: string; payment?: Payment } | undefined>;
  /** What was paid for an invoice, and the subscription it is for. */
  invoice(id: string): Promise<{ subscriptionId?: string; payment?: Payment } | undefined>;
  /** The refunds of a charge, as negative amounts. */
  refunds(chargeId: string): Promise<readonly Payment[]>;
  /** Reads a message of the provider; undefined when it was not signed by it, or not about now. */
  readEvent(body: Uint8Array, signature: string, now: Date): PaymentEvent | undefined;
}

export class PaymentsFailed extends Error {
  override readonly name = 'PaymentsFailed';
}

/** Memberships that are sold by contracts: a key of a lock is good until a time. */
export interface Locks {
  /** Where a key of the lock is bought. The buyer signs the message and comes back to `redirectUri`. */
  checkoutUrl(request: {
    lock: string;
    chainId: number;
    title: string;
    message: string;
    redirectUri: string;
    skipRecipient: boolean;
  }): string;
  /** Until when an account has a good key; undefined for none. Throws when the chain cannot be asked. */
  keyUntil(request: { lock: string; chainId: number; account: string }): Promise<Date | undefined>;
}
