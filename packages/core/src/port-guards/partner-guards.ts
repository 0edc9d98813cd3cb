import {
  type CardPayments,
  DeskFailed,
  type Egress,
  EgressFailed,
  EgressRefused,
  type Helpdesk,
  type Mailer,
  MailFailed,
  type Marketplace,
  PaymentsFailed,
  PaymentsRefused,
  type SnapshotHub,
  type Tokenproof,
} from '../ports/index.ts';
import { asyncMethod, type MethodGuard, type PortGuard, syncMethod } from './guard.ts';
import {
  answer,
  anything,
  bytes,
  flag,
  listOf,
  maybe,
  oneOf,
  record,
  type Shape,
  text,
  time,
  whole,
} from './shapes.ts';

const why = { reason: text };

export const egressGuard: PortGuard<Egress> = {
  send: asyncMethod({
    accepts: record({ status: whole, headers: record({}), body: bytes }),
    throws: (error) => error instanceof EgressRefused || error instanceof EgressFailed,
    failed: (reason) => {
      throw new EgressFailed('protocol', `The address could not be reached. ${reason}`);
    },
    limit: 'batchMs',
  }),
};

export const mailerGuard: PortGuard<Mailer> = {
  tryOut: asyncMethod({
    accepts: anything,
    throws: (error) => error instanceof MailFailed,
    failed: (reason) => {
      throw new MailFailed(`The mail server could not be reached. ${reason}`, { retryable: true });
    },
    limit: 'questionMs',
  }),
  send: asyncMethod({
    accepts: anything,
    throws: (error) => error instanceof MailFailed,
    failed: (reason) => {
      throw new MailFailed(`The mail could not be sent. ${reason}`, { retryable: true });
    },
    limit: 'batchMs',
  }),
};

export const marketplaceGuard: PortGuard<Marketplace> = {
  readProfile: asyncMethod({
    accepts: answer({ read: { text }, none: {}, unknown: why }),
    failed: (reason) => ({ kind: 'unknown', reason }),
  }),
};

export const tokenproofGuard: PortGuard<Tokenproof> = {
  appLink: syncMethod(text),
  readReply: asyncMethod({
    accepts: answer({ replied: { reply: record({ nonce: text, status: text }) }, waiting: {}, unknown: why }),
    failed: (reason) => ({ kind: 'unknown', reason }),
  }),
};

const space = record({ id: text, name: text });
const proposal = record({ id: text, title: text, choices: listOf(text), isFlagged: flag, space });

export const snapshotGuard: PortGuard<SnapshotHub> = {
  readSpace: asyncMethod({
    accepts: answer({ found: { found: space }, missing: {}, unknown: why }),
    failed: (reason) => ({ kind: 'unknown', reason }),
  }),
  readProposal: asyncMethod({
    accepts: answer({ found: { found: proposal }, missing: {}, unknown: why }),
    failed: (reason) => ({ kind: 'unknown', reason }),
  }),
};

function desk<Args extends unknown[], Given>(shape: Shape): MethodGuard<Args, Promise<Given>> {
  return asyncMethod({
    accepts: shape,
    throws: (error) => error instanceof DeskFailed,
    failed: (reason) => {
      throw new DeskFailed('unavailable', `The help desk could not be reached. ${reason}`);
    },
  });
}

const ticket = record({ id: whole });

export const helpdeskGuard: PortGuard<Helpdesk> = { create: desk(ticket), list: desk(listOf(ticket)) };

function cards<Args extends unknown[], Given>(shape: Shape): MethodGuard<Args, Promise<Given>> {
  return asyncMethod({
    accepts: shape,
    throws: (error) => error instanceof PaymentsFailed || error instanceof PaymentsRefused,
    failed: (reason) => {
      throw new PaymentsFailed(`The payment provider could not be reached. ${reason}`);
    },
  });
}

const money = { amount: whole, currency: text };
const payment = record({ ...money, id: text, at: time });
const page = record({ url: text });

export const cardsGuard: PortGuard<CardPayments> = {
  createCustomer: cards(text),
  forgetCustomer: cards(anything),
  mailboxOf: cards(maybe(text)),
  priceOf: cards(text),
  begin: cards(record({ sessionId: text, url: text })),
  expire: cards(oneOf('closed', 'done')),
  change: cards(page),
  portal: cards(page),
  cancel: cards(anything),
  resume: cards(anything),
  end: cards(anything),
  subscription: cards(
    maybe(
      record({
        id: text,
        customerId: text,
        status: text,
        paymentState: oneOf('paid', 'late', 'ended'),
        price: record({ ...money, id: text }),
        beganAt: time,
        paidUntil: time,
        cancelOn: maybe(time),
      }),
    ),
  ),
  checkout: cards(maybe(record({ state: oneOf('open', 'pending', 'paid', 'expired'), payment: maybe(payment) }))),
  invoice: cards(maybe(record({ subscriptionId: maybe(text), payment: maybe(payment) }))),
  charge: cards(
    maybe(record({ id: text, isRefunded: flag, refunds: listOf(payment), disputes: listOf(record(money)) })),
  ),
  readEvent: syncMethod(maybe(record({ id: text, type: text, at: time }))),
};
