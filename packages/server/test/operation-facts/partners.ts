import type { OperationFacts } from './index.ts';

export const partnersFacts: Readonly<Record<string, OperationFacts>> = {
  updateSubscribedChannels: { senderDecides: 'channels' },
  subscribeSpace: { needsNoKey: 'A repetition sets the same channels again.', senderDecides: 'channels space' },
  snapshotWebhook: {
    needsNoKey: 'An event counts once, by its id.',
    senderDecides: 'id event space token secret expire',
  },
  createTicket: {
    needsNoKey: 'Calls the help desk, which no transaction can roll back; the number per user is limited.',
    senderDecides:
      'subject description communityId type priority parent_id status requester_id responder_id custom_fields group_id product_id email tags cc_emails',
    idsOfNobody: {
      parent_id: 'An id at the help desk, which shows nothing of it to the caller.',
      requester_id: 'Only used for the operator.',
      responder_id: 'An id at the help desk, which shows nothing of it to the caller.',
      group_id: 'An id at the help desk, which shows nothing of it to the caller.',
      product_id: 'An id at the help desk, which shows nothing of it to the caller.',
    },
  },
  listTickets: {
    idsOfNobody: { companyId: 'Narrows the tickets of the caller.', requesterId: 'Narrows the tickets of the caller.' },
  },
  verifyPolicies: { needsNoKey: 'The paymaster asks again whenever it pays again.', senderDecides: 'data' },
  getQuote: { needsNoKey: 'The contract accepts only one of all quotes.', idsOfNobody: { chainId: 'A chain.' } },
  registerKol: { needsNoKey: 'A user on the list stays on it.' },
};
