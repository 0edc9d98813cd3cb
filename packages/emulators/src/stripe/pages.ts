import { escapeHtml, writePage } from '../http/html.ts';
import type { EmulatorReply } from '../http-emulator/index.ts';
import type { StripePrice, StripeState } from './state.ts';

/** The page on which a checkout is paid. */
export function showPayPage(state: StripeState, id: string): EmulatorReply {
  const session = state.sessions.get(id);
  if (session === undefined) return { ...html('No such checkout', ''), status: 404 };
  const note = session.message === null ? '' : `<p>${escapeHtml(session.message)}</p>`;
  return html(
    session.title,
    `<p>${priceInWords(session.price)}</p>${note}` +
      `<form method="post">${askMailbox(state, session.customer)}<button>Pay</button></form><a href="${escapeHtml(session.cancelUrl)}">Cancel</a>`,
  );
}

/** The page on which a customer sees their subscriptions, or confirms a change of one. */
export function showPortalPage(state: StripeState, id: string): EmulatorReply {
  const session = state.portalSessions.get(id);
  if (session === undefined) return { ...html('No such page', ''), status: 404 };
  const own = [...state.subscriptions.values()].filter(({ customer }) => customer === session.customer);
  const rows = own.map(
    ({ id, price, status }) =>
      `<li>${escapeHtml(state.products.get(price.product)?.name ?? 'Donation')}: ${priceInWords(price)}, ${status}` +
      `${status === 'canceled' ? '' : happenings(id)}</li>`,
  );
  const wanted = session.change && state.prices.get(session.change.price);
  const change = wanted
    ? `<form method="post"><p>New price: ${priceInWords(wanted)}</p><button>Confirm</button></form>`
    : '';
  return html(
    'Your subscriptions',
    `<ul>${rows.join('')}</ul>${change}<a href="${escapeHtml(session.returnUrl)}">Back</a>`,
  );
}

function askMailbox(state: StripeState, customer: string | null): string {
  if (customer !== null && state.customers.get(customer)?.email) return '';
  return '<p><label>E-mail <input type="email" name="email" value="payer@example.org"></label></p>';
}

/** Only this emulator has these: at Stripe they take a month or a bank. */
function happenings(id: string): string {
  const button = (verb: string, label: string) =>
    `<button name="happens" value="${verb} ${escapeHtml(id)}">${label}</button>`;
  return (
    '<form method="post"><p>Try what happens if</p>' +
    `${button('renews', 'the next period is paid')} ${button('fails', 'a payment fails')} ` +
    `${button('disputed', 'the last payment is disputed')} ${button('won', 'the dispute is withdrawn')}</form>`
  );
}

function priceInWords({ amount, currency, interval }: StripePrice): string {
  const sum = `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;
  return interval === null ? sum : `${sum} every ${interval}`;
}

function html(title: string, content: string): EmulatorReply {
  return { headers: { 'content-type': 'text/html; charset=utf-8' }, body: writePage(title, content) };
}
