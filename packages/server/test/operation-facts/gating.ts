import type { OperationFacts } from './index.ts';

export const gatingFacts: Readonly<Record<string, OperationFacts>> = {
  checkRoles: {
    needsNoKey: 'Reads chains; a repetition evaluates the same and changes nothing.',
    senderDecides: 'account rules callbackUrl async',
    idsOfNobody: {
      chainId: 'A chain.',
      tokenId: 'A token, public on its chain.',
      eventId: 'A public event.',
      roleId: 'A role, granted only in the community of the rule.',
      id: 'The caller’s own name for a rule.',
    },
  },
  getCommunityUserRoles: { idsOfNobody: { userId: 'A member of the community that admits the caller.' } },
  createTpc: {
    senderDecides:
      'name description roleId minToken maxToken chainId tokenSymbol tokenId collectionName eventId platform contractAddress type scheme query variables asset requiresMetadata version',
    idsOfNobody: {
      chainId: 'A chain.',
      tokenId: 'A token, public on its chain.',
      eventId: 'A public event.',
      roleId: 'A role, granted only in the community of the rule.',
    },
  },
  replaceTpc: {
    senderDecides:
      'name description roleId minToken maxToken chainId tokenSymbol tokenId collectionName eventId platform contractAddress type scheme query variables asset requiresMetadata version',
    idsOfNobody: {
      chainId: 'A chain.',
      tokenId: 'A token, public on its chain.',
      eventId: 'A public event.',
      roleId: 'A role, granted only in the community of the rule.',
      id: 'Ignored: the path names the rule.',
      sk: 'Ignored: the path names the rule.',
    },
  },
  checkCommunityRoles: {
    needsNoKey: 'Only reads.',
    senderDecides: 'communityId userId limit paginationToken',
    idsOfNobody: { userId: 'A member of the community that admits the caller.' },
  },
  checkUserRoles: {
    needsNoKey: 'Only reads.',
    senderDecides: 'communityId userId',
    idsOfNobody: { userId: 'A member of the community that admits the caller.' },
  },
  scheduleRoleCheck: {
    needsNoKey: 'A repetition stays one check.',
    senderDecides: 'communityId userId delay',
    idsOfNobody: { userId: 'A member of the community that admits the caller.' },
  },
  applyRoles: {
    needsNoKey: 'Writes to the chat platform; a repetition finds nothing left to change.',
    idsOfNobody: { userId: 'A member of a community that the caller manages, or the caller.' },
  },
  checkUserRolesByQuery: { idsOfNobody: { userId: 'A member of a community that the caller manages, or the caller.' } },
  getAssets: { idsOfNobody: { account: 'What an address holds is public on its chain.' } },
  getOwnership: { idsOfNobody: { account: 'What an address holds is public on its chain.' } },
  generateAssetVerification: {
    senderDecides: 'socialId openseaUrl mediaUrl account assets',
    idsOfNobody: {
      userId: 'Ignored: a claim is always the caller’s own.',
      socialId: 'A display name; it grants no rights.',
    },
  },
  getNftAttributesSummary: { idsOfNobody: { address: 'A contract, public on its chain.' } },
  createContractMetadata: {
    senderDecides:
      'name description image symbol banner_image featured_image collaborators external_link seller_fee_basis_points fee_recipient',
    idsOfNobody: {
      chainId: 'A chain.',
      address: 'Public on its chain, which shows its owner.',
      pk: 'Ignored: the path names the contract.',
      sk: 'Ignored: the path names the contract.',
    },
  },
  createTokenMetadata: {
    senderDecides:
      'name description image transactionHash decimals properties attributes animation_url external_url image_data background_color youtube_url localization trait_type value display_type max_value order',
    idsOfNobody: {
      chainId: 'A chain.',
      address: 'Public on its chain, which shows its owner.',
      id: 'A token of the contract that admits the caller.',
      pk: 'Ignored: the path names the token.',
      sk: 'Ignored: the path names the token.',
      tokenId: 'Ignored: the path names the token.',
    },
  },
  createCommunityRule: {
    senderDecides: 'rule visibility',
    idsOfNobody: {
      chainId: 'A chain.',
      tokenId: 'A token, public on its chain.',
      eventId: 'A public event.',
      roleId: 'A role, granted only in the community of the rule.',
    },
  },
  changeCommunityRule: {
    senderDecides: 'rule visibility updatedTime',
    idsOfNobody: {
      chainId: 'A chain.',
      tokenId: 'A token, public on its chain.',
      eventId: 'A public event.',
      roleId: 'A role, granted only in the community of the rule.',
    },
  },
  describeRuleDraft: { needsNoKey: 'Changes nothing.', senderDecides: 'rule ruleId' },
  tryRuleDraft: {
    needsNoKey: 'Changes nothing.',
    senderDecides: 'rule account userId',
    idsOfNobody: { userId: 'Looked up among the members of the community that admits the caller.' },
  },
  previewRuleDraft: { needsNoKey: 'Changes nothing.', senderDecides: 'rule ruleId' },
  planRuleSet: {
    needsNoKey: 'Changes nothing.',
    freeBody: 'A rule set is the sender’s description of the whole community.',
    idsOfNobody: {
      id: 'Looked up among the rules of the community that admits the caller.',
      chainId: 'A chain.',
      tokenId: 'A token, public on its chain.',
      eventId: 'A public event.',
      roleId: 'A role of the community in the path.',
    },
  },
  applyRuleSet: {
    freeBody: 'A rule set is the sender’s description of the whole community.',
    idsOfNobody: {
      id: 'Looked up among the rules of the community that admits the caller.',
      chainId: 'A chain.',
      tokenId: 'A token, public on its chain.',
      eventId: 'A public event.',
      roleId: 'A role of the community in the path.',
    },
  },
  applyRuleSetBrakes: {
    freeBody: 'The whole policy of the community.',
    samples: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
    idsOfNobody: { roleId: 'A role of the community in the path.' },
  },
  lockRuleSet: { needsNoKey: 'Locking again changes nothing.' },
  getRuleSetProgress: { idsOfNobody: { firstRuleChangeId: 'A position in the history of the community in the path.' } },
  saveRuleDraft: {
    senderDecides: 'rule visibility ruleId draftId',
    idsOfNobody: {
      ruleId: 'Stored with the draft, without an effect.',
      draftId: 'Looked up in the community that admits the caller.',
    },
  },
  setRuleAssertions: {
    needsNoKey: 'PUT replaces the whole list.',
    senderDecides: 'assertions name never role unless holds',
  },
  findTokens: { idsOfNobody: { chainId: 'A chain.' } },
  getTokenPicture: { idsOfNobody: { chainId: 'A chain.' } },
  describeContract: { idsOfNobody: { chainId: 'A chain.', tokenId: 'A token, public on its chain.' } },
  getContractAbi: { idsOfNobody: { chainId: 'A chain.' } },
  startRuleImport: {
    needsNoKey: 'A second import is a second preview; it creates no rule.',
    senderDecides: 'source content original roles',
    idsOfNobody: {
      communityId: 'A community of another service.',
      roleId: 'A role of the community that admits the caller.',
    },
  },
  applyRuleImport: {
    needsNoKey: 'An entry becomes one rule, however often it is applied.',
    senderDecides: 'positions',
  },
  previewChangeSet: {
    needsNoKey: 'Reads chains and the chat platform; an unused preview expires after a week.',
    senderDecides: 'userIds',
  },
  approveChangeSet: { needsNoKey: 'A change set is decided once.', senderDecides: 'changes' },
  setApprovalPolicy: {
    senderDecides: 'removalPercent removalCount removalsPerDay approvers quietHours roles',
    samples: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
    idsOfNobody: { roleId: 'A role of the community in the path.' },
  },
  rejectChangeSet: { needsNoKey: 'A plan is decided once.' },
  approveGrants: { needsNoKey: 'A change set is decided once.', senderDecides: 'changes' },
  rejectAndRestore: { needsNoKey: 'A change set is decided once.' },
  commentOnChangeSet: { senderDecides: 'text' },
  retryChangeSet: { needsNoKey: 'Only a failed plan can be retried.' },
  undoChangeSet: { needsNoKey: 'A plan is undone once.', senderDecides: 'restoreRule' },
  startRoleCheck: { needsNoKey: 'A repetition stays one check.', senderDecides: 'userIds' },
  getRoleCheckProgress: {
    idsOfNobody: { userId: 'Looked up among the checks of the community that admits the caller.' },
  },
  listRoleLedger: {
    idsOfNobody: {
      userId: 'Looked up in the ledger of the community that admits the caller.',
      roleId: 'Looked up in the ledger of the community that admits the caller.',
    },
  },
  listRoleHolders: { idsOfNobody: { roleId: 'Looked up in the ledger of the community that admits the caller.' } },
  explainRoleAtTime: {
    idsOfNobody: {
      userId: 'Looked up in the ledger of the community that admits the caller.',
      roleId: 'Looked up in the ledger of the community that admits the caller.',
    },
  },
  listMemberRolesAt: {
    idsOfNobody: { userId: 'Looked up in the ledger of the community that admits the caller.' },
  },
  listMemberTimeline: {
    idsOfNobody: { userId: 'Looked up in the records of the community that admits the caller.' },
  },
  getRoleSteps: {
    idsOfNobody: { userId: 'Reconciled for in the records of the community that admits the caller.' },
  },
  takeOverFromShadow: { needsNoKey: 'Shadow mode ends once; a repetition changes nothing, or is refused.' },
  returnToShadow: { needsNoKey: 'A takeover is undone once; a repetition is refused.' },
};
