import { record, T, text, type ValueOf } from '@latchkey/kernel';

const who = {
  userId: text('The qualified id of the member, for example DIS#USER#123.'),
  platformUserId: text('The platform’s own id of the member.'),
  userName: T.Optional(text('The member’s name on the platform; absent if unknown.', { maxLength: 5000 })),
};

const MemberRoleName = record('MemberRoleName', 'A role that a member has.', {
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('The current name of the role; absent if unknown.')),
});

const roles = T.Array(MemberRoleName, {
  description: 'The roles that the member was last seen with, by name.',
  maxItems: 1000,
});

const times = {
  lastActiveTime: T.Optional(text('When the member was last active, in ISO 8601; absent if never.')),
  checkedTime: T.Optional(text('When the member’s roles were last checked, in ISO 8601; absent if never.')),
};

export const CommunityMember = record('CommunityMember', 'A member of a community.', {
  ...who,
  roles,
  wallets: T.Number({ description: 'How many linked wallets count in this community.', minimum: 0 }),
  hasGuestPass: T.Boolean({ description: 'Whether the member holds a guest pass that has not expired.' }),
  isProtected: T.Boolean({ description: 'Whether the platform prevents Latchkey from changing this member’s roles.' }),
  ...times,
});
export type CommunityMember = ValueOf<typeof CommunityMember>;

export const MemberProfile = record('MemberProfile', 'A current or former member of a community.', {
  ...who,
  roles,
  isBot: T.Boolean({ description: 'Whether it is a bot. Bots are never checked.' }),
  isProtected: T.Boolean({ description: 'Whether the platform prevents Latchkey from changing this member’s roles.' }),
  leftTime: T.Optional(text('When the member was found to have left, in ISO 8601; absent for current members.')),
  seenTime: text('When the platform last showed the member, in ISO 8601.'),
  ...times,
  wallets: T.Array(
    record('MemberWallet', 'A linked wallet that counts in the community.', {
      namespace: text('The family of chains, for example evm or solana.'),
      connectedTime: text('Since when it counts, in ISO 8601.'),
      address: T.Optional(
        text(
          'The address. Shown to the member and the operator only: wallets are proven to this server, not to admins.',
        ),
      ),
    }),
    { description: 'The wallets that count in this community, oldest first.', maxItems: 1000 },
  ),
  guestPasses: T.Array(
    record('MemberGuestPass', 'A guest pass that the member holds.', {
      name: text('The name of the pass.'),
      endsTime: text('When it expires, in ISO 8601.'),
    }),
    { description: 'The guest passes that have not expired.', maxItems: 100 },
  ),
});
export type MemberProfile = ValueOf<typeof MemberProfile>;

export const HeldRole = record('HeldRole', 'A role, and how many members have it.', {
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('The current name of the role; absent if unknown.')),
  members: T.Number({ description: 'How many members were last seen with it, excluding bots.', minimum: 0 }),
});
export type HeldRole = ValueOf<typeof HeldRole>;
