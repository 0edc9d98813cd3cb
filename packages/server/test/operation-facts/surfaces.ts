import type { OperationFacts } from './index.ts';

export const surfacesFacts: Readonly<Record<string, OperationFacts>> = {
  openPlayground: { needsNoKey: 'Each has its own key and ends after half an hour.' },
  getPlayground: { needsNoKey: 'It only reads.', senderDecides: 'key' },
  actInPlayground: {
    needsNoKey: 'A repetition finds nothing to do, or does the same.',
    senderDecides: 'key action rule',
  },
  addWalletAddress: {
    needsNoKey: 'A signed message works only once.',
    senderDecides: 'chainId address message signedMessage',
    idsOfNobody: { chainId: 'A chain.' },
  },
  addCommunityConfig: {
    needsNoKey: 'Calls Reddit; a repetition replaces the token.',
    senderDecides: 'communityName botToken',
  },
  createWalletConnectionSession: { needsNoKey: 'An unused session expires after 15 minutes.' },
  getRolesPie: {
    needsNoKey: 'Only reads.',
    senderDecides: 'color id name',
    idsOfNobody: { id: 'A role, looked up in the community that admits the caller.' },
  },
  getRolesAdded: {
    needsNoKey: 'Only reads.',
    senderDecides: 'color id name',
    idsOfNobody: { id: 'A role, looked up in the community that admits the caller.' },
  },
  handleEvent: { needsNoKey: 'Changes nothing.', freeBody: 'Signed by this server itself.' },
  handleInteraction: { needsNoKey: 'Changes nothing.', freeBody: 'Signed by this server itself.' },
  startMemberExport: {
    needsNoKey: 'An unused export is deleted after a week.',
    senderDecides: 'search roleIds roleMatch hasWallet hasGuestPass order',
  },
  openJoinPage: {
    needsNoKey: 'Changes nothing; what Telegram signed is accepted for five minutes.',
    senderDecides: 'initData',
  },
  checkJoinRequest: {
    needsNoKey: 'A request is approved once; a repetition returns the same.',
    idsOfNobody: { slug: 'A request of the caller; one of another person is refused like a missing one.' },
  },
  revokeGateBypass: {
    needsNoKey: 'It calls Telegram; a revoked link stays revoked.',
    idsOfNobody: { bypassId: 'Looked up in the community that admits the caller.' },
  },
  setGateSettings: { senderDecides: 'revokesMisused' },
  setTagOrder: { senderDecides: 'roleIds' },
  checkBackDoors: { needsNoKey: 'It reads Discord again each time.' },
  closeBackDoor: {
    needsNoKey: 'It calls Discord; what is closed stays closed.',
    idsOfNobody: { backDoorId: 'Looked up in the community that admits the caller.' },
  },
  expectBackDoor: {
    senderDecides: 'reason',
    idsOfNobody: { backDoorId: 'Looked up in the community that admits the caller.' },
  },
  unexpectBackDoor: { idsOfNobody: { backDoorId: 'Looked up in the community that admits the caller.' } },
  getRoleInvites: { idsOfNobody: { channelId: 'A channel, looked for in the community that admits the caller.' } },
  turnOnRoleInvites: {
    senderDecides: 'channelId',
    idsOfNobody: { channelId: 'A channel, looked for in the community that admits the caller.' },
  },
  getMyRoleInvite: {
    idsOfNobody: { communityId: 'A server that invites anyone who qualifies; others are not found.' },
  },
  createMyRoleInvite: {
    needsNoKey: 'It calls Discord; a repetition returns the same invite.',
    idsOfNobody: { communityId: 'A server that invites anyone who qualifies; others are not found.' },
  },
  watchCommunity: { samples: { seconds: '0' } },
  watchAccount: { samples: { seconds: '0' } },
  watchServer: { samples: { seconds: '0' } },
  beginLinkedRoles: { needsNoKey: 'Each attempt has its own state; unused ones expire.' },
  connectLinkedRoles: { needsNoKey: 'It calls Discord; its state and code work once.', senderDecides: 'state code' },
  beginRedditConsent: { needsNoKey: 'Each attempt has its own state; unused ones expire.' },
  finishRedditConsent: { needsNoKey: 'It calls Reddit; its state and code work once.', senderDecides: 'state code' },
  linkConsentedSubreddit: { needsNoKey: 'It calls Reddit; the permission is used once.', senderDecides: 'name' },
  pairDevvitApp: { needsNoKey: 'A repetition replaces the code, which is shown once.' },
  syncDevvitApp: { needsNoKey: 'A call that was sent before is refused.', senderDecides: 'message proof' },
  openConsoleSession: { needsNoKey: 'A second sign-in replaces the first.' },
  postJoinMessage: {
    needsNoKey: 'A repetition finds the channel and the message that exist.',
    senderDecides: 'channelName createsAdminChannel',
    idsOfNobody: { channelId: 'A channel, looked for in the community that admits the caller.' },
  },
  startMyRoleCheck: { needsNoKey: 'A repetition stays one check.' },
  erasePerson: {
    needsNoKey: 'An account that was erased stays erased.',
    senderDecides: 'reason',
    samples: { userId: 'DIS#USER#999999999999' },
  },
};
