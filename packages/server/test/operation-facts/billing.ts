import type { OperationFacts } from './index.ts';

export const billingFacts: Readonly<Record<string, OperationFacts>> = {
  generateDonationLink: {
    needsNoKey: 'Asks the payment provider; a checkout too many is forgotten after a day.',
    senderDecides: 'price recurring confirmationMessage redirectUri',
  },
  unsubscribe: { idsOfNobody: { planId: 'The plans are the same for everyone.' } },
  generateStripeCheckoutUrl: {
    needsNoKey: 'Asks the payment provider; a checkout too many is forgotten after a day.',
    senderDecides: 'state organizationId redirectUri',
    idsOfNobody: { planId: 'The plans are the same for everyone.' },
  },
  stripeWebhook: {
    needsNoKey: 'A message counts once by its own id.',
    freeBody: 'What the payment provider has signed.',
  },
  generateUnlockCheckoutUrl: {
    needsNoKey: 'A checkout too many is forgotten after a day.',
    senderDecides: 'state organizationId redirectUri',
    idsOfNobody: { planId: 'The plans are the same for everyone.' },
  },
  checkUserReceivedOrSentKudos: {
    idsOfNobody: {
      type: 'A kind of kudos.',
      userId: 'Only kudos are shown that the caller gave, got, or sees as an admin.',
    },
  },
  createPlanCheckout: {
    needsNoKey: 'Asks the payment provider; an older checkout is closed by a newer one.',
    senderDecides: 'state subscriberId redirectUri billingPeriod currency',
    idsOfNobody: { planId: 'The plans are the same for everyone.' },
  },
  createBillingPortal: { needsNoKey: 'Opens a page; nothing is kept here.' },
  deployTreasury: { needsNoKey: 'A Safe is deployed once, however often it is asked for.' },
  proposeTransfer: {
    needsNoKey: 'It moves nothing, and each proposal is approved by itself.',
    senderDecides: 'to standard amount token tokenId',
    idsOfNobody: { tokenId: 'A token of the contract.' },
  },
  proposeHandoff: {
    needsNoKey: 'It moves nothing, and each proposal is approved by itself.',
    senderDecides: 'newOwner',
  },
  approveTreasuryAction: {
    needsNoKey: 'An action is approved once.',
    senderDecides: 'otp',
    idsOfNobody: { actionId: 'An action of the wallet that admits the caller.' },
  },
};
