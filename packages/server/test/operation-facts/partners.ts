import type { OperationFacts } from './index.ts';

export const partnersFacts: Readonly<Record<string, OperationFacts>> = {
  updateSubscribedChannels: { senderDecides: 'channels' },
  subscribeSpace: { needsNoKey: 'A repetition sets the same channels again.', senderDecides: 'channels space' },
  snapshotWebhook: {
    needsNoKey: 'An event counts once by its own id.',
    senderDecides: 'id event space token secret expire',
  },
  createTicket: {
    needsNoKey: 'Asks the help desk, which no transaction can take back; nobody can open many.',
    senderDecides:
      'subject description communityId type priority parent_id status requester_id responder_id custom_fields group_id product_id email tags cc_emails',
    idsOfNobody: {
      parent_id: 'A number of the help desk, which shows nothing of it to the caller.',
      requester_id: 'Read from the operator only.',
      responder_id: 'A number of the help desk, which shows nothing of it to the caller.',
      group_id: 'A number of the help desk, which shows nothing of it to the caller.',
      product_id: 'A number of the help desk, which shows nothing of it to the caller.',
    },
  },
  listTickets: {
    idsOfNobody: { companyId: 'Narrows the tickets of the caller.', requesterId: 'Narrows the tickets of the caller.' },
  },
  verifyPolicies: { needsNoKey: 'The paymaster asks again for what it pays again.', senderDecides: 'data' },
  getQuote: { needsNoKey: 'The contract takes one of all quotes.', idsOfNobody: { chainId: 'A chain.' } },
  registerKol: { needsNoKey: 'Who is on the list stays on it.' },
};
