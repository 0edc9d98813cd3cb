import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MailFailed } from '@latchkey/core/ports';
import { alice } from '@latchkey/core/testing';
import { bob, daySeconds, type PaymentsWorld } from './payments-world.ts';

/** Mails to payers. */
export function testMails(world: PaymentsWorld): void {
  const { call, checkout, sessionOf, newOrganization, planOf, deliverAll, lastSubscription } = world;

  /** Bob pays, since the email address of a customer is requested only once. */
  async function buy(email: string) {
    const organizationId = await newOrganization(bob);
    const url = await checkout('generateStripeCheckoutUrl', 'paid', { organizationId }, bob);
    world.stripe.pay(sessionOf(url), { email });
    await deliverAll();
    const { id, customer } = lastSubscription();
    const kept = world.stripe.state.customers.get(customer);
    assert.ok(kept);
    kept.email = email;
    return { organizationId, id, mails: () => world.t.mails.filter(({ to }) => to === email) };
  }

  test('a payer is mailed once that a payment failed, and until when the plan stays', async () => {
    const { organizationId, id, mails } = await buy('late@example.org');
    assert.deepEqual(mails(), [], 'the provider confirms successful payments');
    world.stripe.renew(id, { fails: true });
    await deliverAll();
    world.t.advanceSeconds(daySeconds);
    world.stripe.renew(id, { fails: true });
    await deliverAll();
    const [mail, ...more] = mails();
    assert.deepEqual([mail?.subject, more], ['Latchkey: your payment failed', []]);
    const { past_due_since } = await world.t.services.db.system
      .selectFrom('payment_subscriptions')
      .select('past_due_since')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const lastDay = new Date((past_due_since?.getTime() ?? 0) + 7 * daySeconds * 1000);
    const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(lastDay);
    assert.match(mail?.text ?? '', new RegExp(`payment of \\$17\\.99 for the Paid plan for ${organizationId} failed`));
    assert.ok(mail?.text.includes(`You keep the plan until ${day}.`), mail?.text);
    world.stripe.renew(id);
    await deliverAll();
    world.t.advanceSeconds(40 * daySeconds);
    world.stripe.renew(id, { fails: true });
    await deliverAll();
    assert.equal(mails().length, 2, 'another month is another mail');
  });

  test('a payer is mailed when the subscription is due to end, and when a payment is disputed', async () => {
    const { organizationId, id, mails } = await buy('ending@example.org');
    await call('unsubscribe', bob, { planId: 'paid', subscriberId: organizationId });
    await deliverAll();
    await call('unsubscribe', bob, { planId: 'paid', subscriberId: organizationId });
    await deliverAll();
    assert.deepEqual(
      mails().map(({ subject }) => subject),
      ['Latchkey: your subscription ends'],
    );
    const invoice = [...world.stripe.state.invoices.values()].findLast(({ subscription }) => subscription === id);
    world.stripe.dispute(invoice?.id ?? '', 'needs_response');
    await deliverAll();
    assert.equal(await planOf(organizationId), 'free');
    assert.match(mails()[1]?.text ?? '', /disputed\.\nThe plan is paused until the dispute is resolved/);
    world.stripe.dispute(invoice?.id ?? '', 'won');
    await deliverAll();
    assert.equal(mails().length, 2);
  });

  test('a mail server that is down holds up no payment, and a payer without an address is not mailed', async () => {
    const { organizationId, id, mails } = await buy('patient@example.org');
    const { mailer } = world.t.services;
    let refusals = 0;
    world.t.services.mailer = {
      send: async (mail) => {
        if (refusals++ === 0) throw new MailFailed('down', { retryable: true });
        await mailer.send(mail);
      },
    };
    world.stripe.renew(id, { fails: true });
    await deliverAll();
    world.t.services.mailer = mailer;
    assert.equal(await planOf(organizationId), 'paid');
    assert.equal(mails().length, 1);
    const count = world.t.mails.length;
    const unknown = await world.buyPaid(await newOrganization(alice));
    world.stripe.renew(unknown.id, { fails: true });
    await deliverAll();
    assert.equal(world.t.mails.length, count);
  });
}
