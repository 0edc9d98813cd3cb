import { after, before, describe } from 'node:test';
import { testBilling } from './payments-billing.ts';
import { testEvents } from './payments-events.ts';
import { testLocks } from './payments-locks.ts';
import { testMails } from './payments-mails.ts';
import { paymentsWorld } from './payments-world.ts';

describe('payments', () => {
  const world = paymentsWorld();
  before(world.open);
  after(world.close);
  testEvents(world);
  testBilling(world);
  testMails(world);
  testLocks(world);
});
