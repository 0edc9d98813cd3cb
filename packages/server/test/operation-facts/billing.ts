import type { OperationFacts } from './index.ts';

export const billingFacts: Readonly<Record<string, OperationFacts>> = {
  generateDonationLink: {
    needsNoKey: 'Calls the payment provider; an unused checkout expires after a day.',
    senderDecides: 'price recurring confirmationMessage redirectUri',
  },
  unsubscribe: { idsOfNobody: { planId: 'The plans are the same for everyone.' } },
  generateStripeCheckoutUrl: {
    needsNoKey: 'Calls the payment provider; an unused checkout expires after a day.',
    senderDecides: 'state organizationId redirectUri',
    idsOfNobody: { planId: 'The plans are the same for everyone.' },
  },
  stripeWebhook: {
    needsNoKey: 'A message counts once, by its id.',
    freeBody: 'Signed by the payment provider.',
  },
  generateUnlockCheckoutUrl: {
    needsNoKey: 'An unused checkout expires after a day.',
    senderDecides: 'state organizationId redirectUri',
    idsOfNobody: { planId: 'The plans are the same for everyone.' },
  },
  checkUserReceivedOrSentKudos: {
    idsOfNobody: {
      type: 'A kind of kudos.',
      userId: 'Shows only kudos that the caller gave, received, or sees as an admin.',
    },
  },
  createPlanCheckout: {
    needsNoKey: 'Calls the payment provider; a newer checkout closes an older one.',
    senderDecides: 'state subscriberId redirectUri billingPeriod currency',
    idsOfNobody: { planId: 'The plans are the same for everyone.' },
  },
  createBillingPortal: { needsNoKey: 'Opens a page; nothing is stored here.' },
  deployTreasury: { needsNoKey: 'A Safe is deployed once, however often it is requested.' },
  proposeTransfer: {
    needsNoKey: 'It transfers nothing, and each proposal is approved separately.',
    senderDecides: 'to standard amount token tokenId',
    idsOfNobody: { tokenId: 'A token of the contract.' },
  },
  proposeHandoff: {
    needsNoKey: 'It transfers nothing, and each proposal is approved separately.',
    senderDecides: 'newOwner',
  },
  approveTreasuryAction: {
    needsNoKey: 'An action is approved once.',
    senderDecides: 'otp',
    idsOfNobody: { actionId: 'An action of the wallet that admits the caller.' },
  },
};
