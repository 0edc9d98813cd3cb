import type { OperationFacts } from './index.ts';

export const communitiesFacts: Readonly<Record<string, OperationFacts>> = {
  getCommunityPlan: { idsOfNobody: { planId: 'The plans are the same for everyone.' } },
  createCommunity: {
    needsNoKey: 'Calls the chat platform; a repetition is a conflict anyway.',
    senderDecides:
      'name link serverImage welcomeMessage network cashtag tokenAddress iconURL inviteLink disableBkgBalCheck platform communityId pk adminUserId channels quests drops',
    idsOfNobody: {
      id: 'Ignored: the path names the community.',
      pk: 'The platform is asked whether the caller administers it.',
      sk: 'Ignored: the path names the community.',
      communityId: 'The platform is asked whether the caller administers it.',
      ownerId: 'Only used for the operator.',
      createdById: 'Ignored: the path names the community.',
      chainId: 'Ignored: the path names the community.',
      tokenId: 'Ignored: the path names the community.',
      eventId: 'Ignored: the path names the community.',
      roleId: 'Ignored: the path names the community.',
      adminUserId: 'A display name; it grants no rights.',
    },
  },
  replaceCommunity: {
    senderDecides:
      'name link serverImage welcomeMessage network cashtag tokenAddress iconURL inviteLink disableBkgBalCheck status adminUserId channels quests drops',
    idsOfNobody: {
      id: 'Ignored: the path names the community.',
      pk: 'Ignored: the path names the community.',
      sk: 'Ignored: the path names the community.',
      communityId: 'Ignored: the path names the community.',
      ownerId: 'Ignored: the path names the community.',
      createdById: 'Ignored: the path names the community.',
      chainId: 'Ignored: the path names the community.',
      tokenId: 'Ignored: the path names the community.',
      eventId: 'Ignored: the path names the community.',
      roleId: 'Ignored: the path names the community.',
      adminUserId: 'A display name; it grants no rights.',
    },
  },
  updateCommunity: {
    senderDecides:
      'name link serverImage welcomeMessage network cashtag tokenAddress iconURL inviteLink disableBkgBalCheck status adminUserId channels quests drops',
    idsOfNobody: {
      id: 'Ignored: the path names the community.',
      pk: 'Ignored: the path names the community.',
      sk: 'Ignored: the path names the community.',
      communityId: 'Ignored: the path names the community.',
      ownerId: 'Ignored: the path names the community.',
      createdById: 'Ignored: the path names the community.',
      chainId: 'Ignored: the path names the community.',
      tokenId: 'Ignored: the path names the community.',
      eventId: 'Ignored: the path names the community.',
      roleId: 'Ignored: the path names the community.',
      adminUserId: 'A display name; it grants no rights.',
    },
  },
  updateAdmins: { freeBody: 'A list of users, and nothing else.' },
  installMiniApp: {
    freeBody: 'The settings of a mini-app, whose content is up to the app.',
    idsOfNobody: { appId: 'Every community may install every app that admits it.' },
  },
  uninstallMiniApp: { idsOfNobody: { appId: 'The same app may be installed in many communities.' } },
  createDiscordRole: {
    needsNoKey: 'Writes to Discord, which no transaction can roll back.',
    senderDecides: 'name color hoist position mentionable permissions',
  },
  followupInteractionMessage: {
    needsNoKey: 'Writes to Discord, which no transaction can roll back.',
    freeBody: 'A message in Discord’s format.',
  },
  editInteractionMessage: { freeBody: 'A message in Discord’s format.' },
  sendDiscordMessage: {
    needsNoKey: 'Writes to Discord, which no transaction can roll back.',
    freeBody: 'A message in Discord’s format.',
  },
  createGuestPass: {
    senderDecides: 'name description roleSet status period',
    idsOfNobody: {
      id: 'Ignored, and for roles: granted only in the community of the pass.',
      pk: 'Ignored: the path names the community.',
      sk: 'Not read.',
    },
  },
  updateCommunitySettings: { senderDecides: 'checkPeriodSeconds' },
  grantApplicationAccess: {
    idsOfNobody: { clientId: 'An application may have access to many communities, regardless of its owner.' },
    senderDecides: 'scopes',
  },
  revokeApplicationAccess: {
    idsOfNobody: { clientId: 'An application may have access to many communities, regardless of its owner.' },
  },
  changeOwnCommunity: { senderDecides: 'name isPaused' },
  giveGuestPass: { idsOfNobody: { userId: 'Any member may get a pass of the community that admits the caller.' } },
  endGuestPass: { idsOfNobody: { userId: 'Any member may get a pass of the community that admits the caller.' } },
  listMembers: { samples: { roleIds: 'gold' } },
  addCommunityAdmin: {
    idsOfNobody: { userId: 'Any member may become an admin of the community that admits the caller.' },
  },
  removeCommunityAdmin: {
    idsOfNobody: { userId: 'Any member may become an admin of the community that admits the caller.' },
  },
};
