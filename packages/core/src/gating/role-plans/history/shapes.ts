import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';
import { RoleLedgerEntry, reasonForPeople } from '../api/shapes.ts';

export const MemberRolesAt = record('MemberRolesAt', 'Which roles a member had at a time, by the ledger.', {
  userId: text('The qualified id of the member, for example DIS#USER#123.'),
  userName: T.Optional(text('What the platform calls the member; absent where that is not known.')),
  time: text('The time in question, in ISO 8601.'),
  roles: T.Array(
    record('MemberRoleAt', 'One role that Latchkey had given or taken by then.', {
      roleId: text('The id of the role on the platform.'),
      roleName: T.Optional(text('What the role is called now; absent where the platform does not tell.')),
      had: T.Boolean({ description: 'Whether the member had it.' }),
      entry: RoleLedgerEntry,
    }),
    {
      description:
        'Every role that Latchkey had given or taken by then. A role that is not in it may have been given by hand.',
      maxItems: 1000,
    },
  ),
});
export type MemberRolesAt = ValueOf<typeof MemberRolesAt>;

export const TimelineEntry = record('TimelineEntry', 'Something that happened to a member.', {
  id: text('Names the entry within the timeline.'),
  time: text('When it was, in ISO 8601.'),
  kind: choice(
    'role-given and role-taken: by Latchkey. wallet-linked, guest-pass and guest-pass-ended. action: a use of power over the member or by them.',
    ['role-given', 'role-taken', 'wallet-linked', 'guest-pass', 'guest-pass-ended', 'action'] as const,
  ),
  text: text('What happened, in words.', { maxLength: 4096 }),
  by: T.Optional(text('Who decided it; absent when Latchkey did by itself, or the member.')),
  planId: T.Optional(text('The plan that it belongs to.')),
  ...reasonForPeople,
  blocks: T.Optional(
    T.Array(
      record('ChainBlock', 'The block that holdings were read at.', {
        chain: text('The chain, for example evm:1.'),
        block: text('The block.'),
      }),
      { description: 'The blocks that were read.', maxItems: 100 },
    ),
  ),
});
export type TimelineEntry = ValueOf<typeof TimelineEntry>;
