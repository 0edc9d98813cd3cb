import type { OperationFacts } from './index.ts';

export const surfacesFacts: Readonly<Record<string, OperationFacts>> = {
  addWalletAddress: {
    needsNoKey: 'A signed message works once by itself.',
    senderDecides: 'chainId address message signedMessage',
    idsOfNobody: { chainId: 'A chain.' },
  },
  addCommunityConfig: {
    needsNoKey: 'Asks Reddit; a repetition puts a token where one was.',
    senderDecides: 'communityName botToken',
  },
  createWalletConnectionSession: { needsNoKey: 'A session too many is forgotten after 15 minutes.' },
  getRolesPie: {
    needsNoKey: 'Only reads.',
    senderDecides: 'color id name',
    idsOfNobody: { id: 'A role, looked for in the community that admits the caller.' },
  },
  getRolesAdded: {
    needsNoKey: 'Only reads.',
    senderDecides: 'color id name',
    idsOfNobody: { id: 'A role, looked for in the community that admits the caller.' },
  },
  handleEvent: { needsNoKey: 'Changes nothing.', freeBody: 'What this server itself has signed.' },
  handleInteraction: { needsNoKey: 'Changes nothing.', freeBody: 'What this server itself has signed.' },
  startMemberExport: {
    needsNoKey: 'One export too many is deleted after a week.',
    senderDecides: 'search roleIds roleMatch hasWallet hasGuestPass order',
  },
  watchCommunity: { samples: { seconds: '0' } },
  watchAccount: { samples: { seconds: '0' } },
  watchServer: { samples: { seconds: '0' } },
  beginLinkedRoles: { needsNoKey: 'Each attempt has a state of its own; unused ones expire.' },
  connectLinkedRoles: { needsNoKey: 'It asks Discord; its state and code work once.', senderDecides: 'state code' },
  beginRedditConsent: { needsNoKey: 'Each attempt has a state of its own; unused ones expire.' },
  finishRedditConsent: { needsNoKey: 'It asks Reddit; its state and code work once.', senderDecides: 'state code' },
  linkConsentedSubreddit: { needsNoKey: 'It asks Reddit; the permission is used once.', senderDecides: 'name' },
  openConsoleSession: { needsNoKey: 'A second sign-in replaces the first.' },
  postJoinMessage: {
    needsNoKey: 'A repetition finds the channel and the message that exist.',
    senderDecides: 'channelName createsAdminChannel',
    idsOfNobody: { channelId: 'A channel, looked for in the community that admits the caller.' },
  },
  startMyRoleCheck: { needsNoKey: 'Asked again, it stays one check.' },
  erasePerson: {
    needsNoKey: 'An account that was erased stays erased.',
    senderDecides: 'reason',
    samples: { userId: 'DIS#USER#999999999999' },
  },
};
