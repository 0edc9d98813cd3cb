import type { OperationFacts } from './index.ts';

export const operatorFacts: Readonly<Record<string, OperationFacts>> = {
  retryDeadJobs: {
    needsNoKey: 'A job that was retried is no longer dead, so a repetition changes nothing.',
    senderDecides: 'ids name',
    samples: { ids: '999999999' },
  },
  createDevelopmentApplication: {
    senderDecides: 'name userId scopes redirectUris clientType reason',
    samples: { name: 'Trial', scopes: 'user:read', redirectUris: 'https://app.example/callback' },
  },
  decideApplication: {
    needsNoKey: 'A repeated decision is refused.',
    senderDecides: 'decision scopes notes',
    samples: { decision: 'approve', scopes: 'user:read' },
  },
  examineApplication: { needsNoKey: 'Changes nothing.' },
  decideMiniApp: {
    needsNoKey: 'A repeated decision is refused.',
    senderDecides: 'decision notes',
    samples: { decision: 'approve' },
  },
  allowSigningDomain: {
    needsNoKey: 'A domain that is already allowed does not change.',
    senderDecides: 'domain notes',
    samples: { domain: 'name:Snapshot' },
  },
  removeSigningDomain: { samples: { domain: 'name:Snapshot' } },
  transferCommunity: { needsNoKey: 'The current owner stays the owner.', senderDecides: 'userId reason' },
  createAdminKey: {
    needsNoKey: 'Each one is audited and can be revoked; its secret is not stored for a repetition.',
    senderDecides: 'name expiresTime allowedIpAddresses reason',
    samples: { name: 'Deputy', expiresTime: '2100-01-31T12:00:00Z', allowedIpAddresses: '192.0.2.0/24' },
  },
  rotateSigningKey: { needsNoKey: 'A second rotation only retires one more key, which stays published.' },
  decideTicket: { needsNoKey: 'The same decision twice changes nothing.', senderDecides: 'decision' },
  inviteWaitingListGuest: { samples: { userId: 'DIS#USER#999999999999' } },
  removeWaitingListGuest: { samples: { userId: 'DIS#USER#999999999999' } },
  replaceWaitingListSigner: { needsNoKey: 'The response contains the current signer, however often it was replaced.' },
};
