import { OpenObject, pageParams, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { communityIdField } from '../../shared/community-id.ts';

const community = communityIdField('The community, by its qualified id or the platform’s own one.');
const userId = text('The member, by its qualified id or the platform’s own one.', { minLength: 1, maxLength: 128 });

export const RoleCheckRequest = record('RoleCheckRequest', 'Whose roles are to be checked, where, and when.', {
  communityId: community,
  userId: T.Optional(
    text('The member, by its qualified id or the platform’s own one; * means every member.', {
      minLength: 1,
      maxLength: 128,
    }),
  ),
  delay: T.Optional(
    T.Number({ description: 'For scheduled checks: how many seconds to wait first, at most a day.', minimum: 0 }),
  ),
});
export type RoleCheckRequest = ValueOf<typeof RoleCheckRequest>;

/** The maximum number of results in one response. */
export const mostResults = 1_000;

export const CommunityRoleCheckRequest = record(
  'CommunityRoleCheckRequest',
  'Whose roles are to be checked: those of one member, or those of all, page by page.',
  {
    communityId: community,
    userId: T.Optional(
      text('The member, by its qualified id or the platform’s own one. Defaults to *, every member.', {
        minLength: 1,
        maxLength: 128,
      }),
    ),
    delay: T.Optional(T.Number({ description: 'Not read: this check runs at once.', minimum: 0 })),
    limit: T.Optional(
      T.Number({
        description: `How many members to check. Defaults to ${mostResults}.`,
        minimum: 1,
        maximum: mostResults,
        multipleOf: 1,
      }),
    ),
    paginationToken: pageParams.paginationToken,
  },
);
export type CommunityRoleCheckRequest = ValueOf<typeof CommunityRoleCheckRequest>;

const UserRoleAssignment = record('UserRoleAssignment', 'One role of a member: actual and expected state.', {
  id: text('The platform’s id of the role.'),
  name: T.Optional(text('What the role is called.')),
  current: T.Boolean({ description: 'Whether the member has it.' }),
  expected: T.Optional(
    T.Boolean({ description: 'Whether the rules give it; absent if that could not be determined.' }),
  ),
});

const CommunityMemberInfo = record('CommunityMemberInfo', 'Who a result is about.', {
  communityId: text('The qualified id of the community.'),
  userId: text('The qualified id of the member.'),
  memberId: T.Optional(text('The platform’s own id of the member.')),
  guildId: T.Optional(text('The platform’s own id of the community.')),
  communityName: T.Optional(text('What the community is called.')),
  communityIcon: T.Optional(text('The address of its picture.')),
});

const TokenGrantedRole = record('TokenGrantedRole', 'A rule that gives a role, in the form of version 2.', {
  id: T.Optional(text('The id of the rule, unique within its community.')),
  createdTime: T.Optional(text('When it was made, in ISO 8601 form.')),
  pk: T.Optional(text('The qualified id of the community.')),
  sk: T.Optional(text('The id of the rule.')),
  classifier: T.Optional(text('Always TPC.')),
  classifierGroup: T.Optional(text('Always TPC.')),
  name: T.Optional(text('The name of the rule.')),
  description: T.Optional(text('What the rule is for.', { maxLength: 2000 })),
  scheme: T.Optional(text('The kind of rule.')),
  roleId: T.Optional(text('The role that it gives.')),
  asset: T.Optional(text('The asset in CAIP form.', { format: 'Asset' })),
  query: T.Optional(text('A JSONata expression over what an account holds.', { maxLength: 8000 })),
  variables: T.Optional(OpenObject),
  requiresMetadata: T.Optional(T.Boolean({ description: 'Whether the metadata of tokens is read.' })),
});
export type TokenGrantedRole = ValueOf<typeof TokenGrantedRole>;

const UserRoleAssignments = record('UserRoleAssignments', 'The result of checking one member.', {
  consistent: T.Boolean({ description: 'Whether the member has exactly the roles it qualifies for, as far as known.' }),
  user: CommunityMemberInfo,
  roles: T.Array(UserRoleAssignment, { description: 'Every role that a rule names.', maxItems: 1000 }),
  errors: texts('What could not be determined, in sentences, followed by notes on truncated lists.'),
  rolesFailed: texts('The roles that could not be evaluated.'),
  accounts: texts(
    'The linked wallets that were read, as namespace:address. Only the member and the operator see addresses; others see the namespace.',
  ),
  assets: T.Array(OpenObject, { description: 'What was read of each account.', maxItems: 1000 }),
  rules: T.Array(TokenGrantedRole, { description: 'The rules that decide.', maxItems: 1000 }),
  currentRoles: texts('Every role the member has, governed or not.'),
  rolesToApply: OpenObject,
  resultsByRule: OpenObject,
});
export type UserRoleAssignments = ValueOf<typeof UserRoleAssignments>;

const checked = {
  communityId: T.Optional(text('The community, as requested.')),
  userId: T.Optional(text('The member, as requested.')),
  results: T.Optional(
    T.Array(UserRoleAssignments, {
      description: 'One result for each member, those whose roles differ first.',
      maxItems: mostResults,
    }),
  ),
};

export const CheckUserRolesResponse = record(
  'CheckUserRolesResponse',
  'The result of a check; nothing was changed.',
  checked,
);
export type CheckUserRolesResponse = ValueOf<typeof CheckUserRolesResponse>;

export const CheckCommunityRolesResponse = record(
  'CheckCommunityRolesResponse',
  'The result of checking a page of members; nothing was changed.',
  {
    ...checked,
    paginationToken: T.Optional(
      T.String({ description: 'Send this to check the next members; absent after the last ones.', maxLength: 1024 }),
    ),
  },
);
export type CheckCommunityRolesResponse = ValueOf<typeof CheckCommunityRolesResponse>;

const CommunityUserRoles = record('CommunityUserRoles', 'The roles of a user in one community.', {
  communityId: text('The platform’s own id of the community.'),
  roles: texts('Every role the member has now.'),
});

export const UpdateUserRolesResponse = record('UpdateUserRolesResponse', 'The roles of a user after a check.', {
  userId: T.Optional(text('The qualified id of the user.')),
  roles: T.Array(CommunityUserRoles, { description: 'One entry for each community that was checked.', maxItems: 100 }),
});
export type UpdateUserRolesResponse = ValueOf<typeof UpdateUserRolesResponse>;

/** The community and the member, for operations that take them from the query string. */
export const roleParams = { communityId: T.Optional(community), userId: T.Optional(userId) };
