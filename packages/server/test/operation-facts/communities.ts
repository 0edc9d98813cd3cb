import type { OperationFacts } from './index.ts';

export const communitiesFacts: Readonly<Record<string, OperationFacts>> = {
  getCommunityPlan: { idsOfNobody: { planId: 'The plans are the same for everyone.' } },
  createCommunity: {
    needsNoKey: 'Asks the chat platform; a repetition is a conflict by itself.',
    senderDecides:
      'name link serverImage welcomeMessage network cashtag tokenAddress iconURL inviteLink disableBkgBalCheck platform communityId pk adminUserId channels quests drops',
    idsOfNobody: {
      id: 'Not read: the path names the community.',
      pk: 'The platform is asked whether the caller administers it.',
      sk: 'Not read: the path names the community.',
      communityId: 'The platform is asked whether the caller administers it.',
      ownerId: 'Read from the operator only.',
      createdById: 'Not read: the path names the community.',
      chainId: 'Not read: the path names the community.',
      tokenId: 'Not read: the path names the community.',
      eventId: 'Not read: the path names the community.',
      roleId: 'Not read: the path names the community.',
      adminUserId: 'A name to show; it gives no rights.',
    },
  },
  replaceCommunity: {
    senderDecides:
      'name link serverImage welcomeMessage network cashtag tokenAddress iconURL inviteLink disableBkgBalCheck status adminUserId channels quests drops',
    idsOfNobody: {
      id: 'Not read: the path names the community.',
      pk: 'Not read: the path names the community.',
      sk: 'Not read: the path names the community.',
      communityId: 'Not read: the path names the community.',
      ownerId: 'Not read: the path names the community.',
      createdById: 'Not read: the path names the community.',
      chainId: 'Not read: the path names the community.',
      tokenId: 'Not read: the path names the community.',
      eventId: 'Not read: the path names the community.',
      roleId: 'Not read: the path names the community.',
      adminUserId: 'A name to show; it gives no rights.',
    },
  },
  updateCommunity: {
    senderDecides:
      'name link serverImage welcomeMessage network cashtag tokenAddress iconURL inviteLink disableBkgBalCheck status adminUserId channels quests drops',
    idsOfNobody: {
      id: 'Not read: the path names the community.',
      pk: 'Not read: the path names the community.',
      sk: 'Not read: the path names the community.',
      communityId: 'Not read: the path names the community.',
      ownerId: 'Not read: the path names the community.',
      createdById: 'Not read: the path names the community.',
      chainId: 'Not read: the path names the community.',
      tokenId: 'Not read: the path names the community.',
      eventId: 'Not read: the path names the community.',
      roleId: 'Not read: the path names the community.',
      adminUserId: 'A name to show; it gives no rights.',
    },
  },
  updateAdmins: { freeBody: 'A list of users, and nothing else.' },
  installMiniApp: {
    freeBody: 'The settings of a mini-app, which are its own.',
    idsOfNobody: { appId: 'Every community may install every app that admits it.' },
  },
  uninstallMiniApp: { idsOfNobody: { appId: 'The same app may be installed in many communities.' } },
  createDiscordRole: {
    needsNoKey: 'Writes on Discord, which no transaction can take back.',
    senderDecides: 'name color hoist position mentionable permissions',
  },
  followupInteractionMessage: {
    needsNoKey: 'Writes on Discord, which no transaction can take back.',
    freeBody: 'A message, as Discord takes them.',
  },
  editInteractionMessage: { freeBody: 'A message, as Discord takes them.' },
  sendDiscordMessage: {
    needsNoKey: 'Writes on Discord, which no transaction can take back.',
    freeBody: 'A message, as Discord takes them.',
  },
  createGuestPass: {
    senderDecides: 'name description roleSet status period',
    idsOfNobody: {
      id: 'Not read, and of roles: given in the community of the pass only.',
      pk: 'Not read: the path names the community.',
      sk: 'Not read.',
    },
  },
  updateCommunitySettings: { senderDecides: 'checkPeriodSeconds' },
  grantApplicationAccess: {
    idsOfNobody: { clientId: 'An application may be let into many communities, no matter who made it.' },
    senderDecides: 'scopes',
  },
  revokeApplicationAccess: {
    idsOfNobody: { clientId: 'An application may be let into many communities, no matter who made it.' },
  },
  changeOwnCommunity: { senderDecides: 'name isPaused' },
  giveGuestPass: { idsOfNobody: { userId: 'Any member may be given a pass of the community that admits the caller.' } },
  endGuestPass: { idsOfNobody: { userId: 'Any member may be given a pass of the community that admits the caller.' } },
  listMembers: { samples: { roleIds: 'gold' } },
  addCommunityAdmin: {
    idsOfNobody: { userId: 'Any member may become an admin of the community that admits the caller.' },
  },
  removeCommunityAdmin: {
    idsOfNobody: { userId: 'Any member may become an admin of the community that admits the caller.' },
  },
};
