import { choice, OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';
import { undoOutcomes } from '../review/undo-queries.ts';
import { type ChangeSetStatus, dropReasons, type ItemState } from '../tables.ts';

export const changeSetStatuses: readonly ChangeSetStatus[] = [
  'previewed',
  'held',
  'approved',
  'applying',
  'done',
  'dropped',
  'failed',
  'undone',
  'rejected',
];
const states: readonly ItemState[] = ['planned', 'pending', 'sent', 'confirmed', 'failed', 'gone', 'dropped'];

const count = (description: string) => T.Number({ description, minimum: 0 });

const who = {
  userId: text('The qualified id of the member, for example DIS#USER#123.'),
  userName: T.Optional(text('The member’s display name on the platform; absent if unknown.')),
};
const what = {
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
};
const ReasonLine = record('ReasonLine', 'One condition of a reason.', {
  depth: count('Its depth in the tree; 0 is the top.'),
  outcome: choice('Whether it is met, is not met, or could not be checked.', ['met', 'not-met', 'unknown'] as const),
  text: text('The condition in words.', { maxLength: 4096 }),
  found: T.Optional(text('What was found instead, or why it could not be checked.', { maxLength: 4096 })),
});

/** A reason in a form that people can read. */
export const reasonForPeople = {
  words: T.Array(text('A sentence.', { maxLength: 4096 }), {
    description: 'The reason in a few sentences, with the names of rules and tokens.',
    maxItems: 100,
  }),
  lines: T.Array(ReasonLine, {
    description:
      'The full reason as a flattened tree, one condition per line: children follow their parent, one level deeper.',
    maxItems: 10_000,
  }),
};

const why = {
  reason: T.Unsafe<Record<string, unknown>>({
    ...OpenObject,
    description:
      'Why, as a tree: the result of each rule for the role (true, false or unknown), what it needs and what was read. Wallet addresses are shown to the member and the operator only; others see the namespace.',
  }),
  ...reasonForPeople,
  blocks: T.Unsafe<Record<string, unknown>>({ ...OpenObject, description: 'The blocks that were read, by chain.' }),
};
const action = choice('Whether the role is given or taken.', ['grant', 'revoke'] as const);

const dropReasonMeaning =
  'superseded: a later change set decided otherwise. already-done: the platform already showed it. not-needed: a later check no longer required it. rule-changed: a rule for the role changed first. role-without-rule: no rule names the role any more. cancelled: an admin undid or rejected the change set, or turned on shadow mode. removal-rejected: an admin approved only the grants of the change set.';

export const ChangeSet = record('ChangeSet', 'Role changes of a community that belong together.', {
  id: text('The id of the change set.'),
  communityId: text('The qualified id of the community.'),
  status: choice(
    'previewed: computed only. held: waiting for an admin’s approval. approved and applying: being applied. done: applied. dropped: finished without changing a role, because none of its changes was needed any more. failed, undone and rejected: finished.',
    changeSetStatuses,
  ),
  cause: text('What started the check, for example schedule, wallet, rule, asked, preview or undo.'),
  note: T.Optional(text('Why it is held, or why it ended.', { maxLength: 20_000 })),
  undoes: T.Optional(text('The change set that this one undoes.')),
  ruleChangeIds: T.Array(text('The id of a change to a rule.'), {
    description:
      'The rule changes that led to it, as listed in the history of each rule. For an undo: the changes it made to restore rules.',
    maxItems: 10_000,
  }),
  restoredRuleChangeIds: T.Array(text('The id of a change to a rule.'), {
    description: 'The rule changes by which an admin who rejected it restored the rules to their version before.',
    maxItems: 10_000,
  }),
  grants: count('How many roles it was planned to give.'),
  revokes: count('How many roles it was planned to take.'),
  members: count('How many members it was planned to change.'),
  written: record('WrittenChanges', 'What was written to the platform and recorded in the ledger.', {
    grants: count('How many roles were given.'),
    revokes: count('How many roles were taken.'),
    members: count('How many members were changed.'),
  }),
  waiting: count('How many changes are still waiting for approval or being applied.'),
  dropped: count('How many changes were dropped without being written.'),
  dropReasons: T.Array(
    record('DroppedChanges', 'Changes that were dropped for the same reason.', {
      reason: choice(dropReasonMeaning, dropReasons),
      changes: count('How many changes.'),
    }),
    { description: 'Why changes were dropped, the most frequent reason first.', maxItems: dropReasons.length },
  ),
  failed: count('How many changes the platform rejected.'),
  gone: count('How many changes were for members who have left.'),
  unknowns: count('How many members were left unchanged because something could not be read.'),
  decidedBy: T.Optional(text('Who approved or rejected it, or requested this undo; $admin is the operator.')),
  decidedByName: T.Optional(text('Their display name on the platform; absent if unknown.')),
  decidedTime: T.Optional(text('When that was, in ISO 8601.')),
  createdTime: text('When it was made, in ISO 8601.'),
  finishedTime: T.Optional(text('When it finished, in ISO 8601.')),
});
export type ChangeSet = ValueOf<typeof ChangeSet>;

export const ChangeSetItem = record('ChangeSetItem', 'One role of one member in a change set.', {
  ...who,
  ...what,
  action,
  state: choice(
    'planned: waiting for approval. pending and sent: being applied. confirmed: visible on the platform. failed: rejected by the platform. gone: the member left. dropped: no longer needed.',
    states,
  ),
  error: T.Optional(text('The platform’s error.', { maxLength: 4096 })),
  dropReason: T.Optional(choice(`Why it was dropped. ${dropReasonMeaning}`, dropReasons)),
  ...why,
});
export type ChangeSetItem = ValueOf<typeof ChangeSetItem>;

const ChangeSetShare = record('ChangeSetShare', 'What a change set does to one role.', {
  ...what,
  action,
  members: count('How many members it affects.'),
  waiting: count('For how many of them it is waiting for approval or being applied.'),
  written: count('For how many of them it was written, according to the ledger.'),
});

/** Bounds the rules that are looked up for one change set; an import can change thousands. */
export const mostCausingRules = 20;

const CausingRule = record('CausingRule', 'A rule whose change led to a change set.', {
  ruleId: text('The id of the rule.'),
  ruleName: T.Optional(text('Its name, if it has one.')),
  canRestore: T.Boolean({ description: 'Whether the rule can be restored to its version before that change.' }),
  laterRuleChangeId: T.Optional(
    text('The newest change of the rule since then. Restoring the rule would revert it as well.'),
  ),
});

export const ChangeSetDetails = record('ChangeSetDetails', 'A change set and one page of its changes.', {
  changeSet: ChangeSet,
  approvers: count('How many admins must approve it while it is held.'),
  approvals: T.Array(
    T.Object({
      userId: text('The admin; $admin is the operator.'),
      userName: T.Optional(text('Their display name on the platform; absent if unknown.')),
      time: text('When, in ISO 8601.'),
    }),
    { description: 'Who approved it so far, where two admins must.', maxItems: 10 },
  ),
  rules: T.Array(CausingRule, {
    description: `The rules that ruleChangeIds are about, the first ${mostCausingRules}. Their history shows each change.`,
    maxItems: mostCausingRules,
  }),
  shares: T.Array(ChangeSetShare, {
    description: 'What the whole change set does, role by role, the most members first.',
    maxItems: 2000,
  }),
  items: T.Array(ChangeSetItem, { description: 'The changes of this page, by member and role.', maxItems: 100 }),
  paginationToken: T.Optional(text('Send this to get the next page; absent on the last one.')),
});
export type ChangeSetDetails = ValueOf<typeof ChangeSetDetails>;

const UndoItem = record('UndoItem', 'What an undo does about one change that was written.', {
  ...who,
  ...what,
  action: choice('What the undo does with the role.', ['grant', 'revoke'] as const),
  outcome: choice(
    'revert: the undo changes it back. already-reverted: someone changed it back on the platform; the undo only verifies that. superseded: skipped, because a later change set changed the same role of the same member.',
    undoOutcomes,
  ),
  supersededBy: T.Optional(
    record('LaterChange', 'The later change that the undo leaves in place.', {
      changeSetId: text('The change set that it belongs to.'),
      ledgerEntryId: T.Optional(text('Its entry in the ledger; absent while it is being written.')),
    }),
  ),
  qualifies: T.Optional(
    T.Boolean({
      description:
        'Whether the member qualifies for the role now, by the rules as they are after the undo; absent if that could not be determined.',
    }),
  ),
  isSuppressed: T.Boolean({
    description:
      'Whether checks skip this role of this member afterwards, until you start a check of them or change the rule. If the rules say otherwise, only this keeps the undo in effect.',
  }),
});

const UndoRule = record('UndoRule', 'A rule whose change led to the change set.', {
  ruleId: text('The id of the rule.'),
  ruleName: T.Optional(text('Its name, if it has one.')),
  ruleChangeId: text('The change of the rule that led to it, as listed in its history.'),
  action: choice('What that change did.', ['created', 'changed', 'removed'] as const),
  canRestore: T.Boolean({
    description: 'Whether there is a version before that change. A rule that was new has none: delete it instead.',
  }),
  laterRuleChangeId: T.Optional(
    text('The newest change of the rule since then. Restoring the rule would revert it as well.'),
  ),
});

export const UndoPreview = record('UndoPreview', 'What an undo would do now. Nothing was changed.', {
  changeSetId: text('The change set that would be undone.'),
  grants: count('How many roles the undo gives back.'),
  revokes: count('How many roles the undo takes back.'),
  members: count('How many members it changes.'),
  alreadyReverted: count('How many changes were already changed back on the platform.'),
  superseded: count('How many changes are skipped because of later change sets.'),
  cancelled: count('How many changes are not written yet and are cancelled.'),
  restoresRule: T.Boolean({
    description:
      'Whether the undo also restores the rules to their version before: as requested, or by default if there is such a version and no rule was edited since.',
  }),
  heldBecause: T.Optional(
    text('Why the undo waits for an admin’s approval; absent if it is applied at once.', { maxLength: 20_000 }),
  ),
  rules: T.Array(UndoRule, { description: 'The rules whose changes led to the change set.', maxItems: 1000 }),
  items: T.Array(UndoItem, { description: 'The changes of this page, by member and role.', maxItems: 100 }),
  paginationToken: T.Optional(text('Send this to get the next page; absent on the last one.')),
});
export type UndoPreview = ValueOf<typeof UndoPreview>;

export const RoleLedgerEntry = record(
  'RoleLedgerEntry',
  'One role that was given or taken, as the platform confirmed.',
  {
    id: text('The id of the entry; later entries have larger ids.'),
    time: text('When it was confirmed, in ISO 8601.'),
    ...who,
    ...what,
    action,
    changeSetId: text('The change set that it belongs to.'),
    isAutomatic: T.Boolean({ description: 'Whether it was applied without an admin’s approval.' }),
    ...why,
  },
);
export type RoleLedgerEntry = ValueOf<typeof RoleLedgerEntry>;

export const RoleAtTime = record(
  'RoleAtTime',
  'Whether a member had a role at a given time, according to the ledger.',
  {
    ...who,
    ...what,
    time: text('The time in question, in ISO 8601.'),
    had: T.Optional(
      T.Boolean({
        description:
          'Whether the member had the role. Absent if Latchkey had neither given nor removed it by then: it may have been given manually.',
      }),
    ),
    entry: T.Optional(RoleLedgerEntry),
  },
);
export type RoleAtTime = ValueOf<typeof RoleAtTime>;

export const MemberRoles = record('MemberRoles', 'What the rules say about a member now. Nothing was changed.', {
  ...who,
  roles: T.Array(
    record('MemberRole', 'One role that rules or guest passes name.', {
      ...what,
      has: T.Boolean({ description: 'Whether the member has it.' }),
      qualifies: T.Optional(
        T.Boolean({ description: 'Whether the member qualifies for it; absent if that could not be determined.' }),
      ),
      isSuppressed: T.Boolean({
        description:
          'Whether checks skip it because a change set was undone or rejected. Starting a check of the member ends that.',
      }),
      ...why,
    }),
    { description: 'Every role that a rule, a composition or a guest pass names.', maxItems: 1000 },
  ),
});
export type MemberRoles = ValueOf<typeof MemberRoles>;

export const RoleBreaker = record('RoleBreaker', 'Something that prevents roles from being changed.', {
  roleId: T.Optional(text('The blocked role; absent if every role in the community is blocked.')),
  roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
  advice: text('What to change on the platform.', { maxLength: 4096 }),
  sinceTime: text('Since when, in ISO 8601.'),
});
export type RoleBreaker = ValueOf<typeof RoleBreaker>;

export const RoleCheckStarted = record('RoleCheckStarted', 'A check that a worker will run.', {
  communityId: text('The qualified id of the community.'),
  userIds: T.Optional(
    T.Array(text('The qualified id of a member.'), {
      description: 'Who is checked; absent if every member is.',
      maxItems: 100,
    }),
  ),
});
export type RoleCheckStarted = ValueOf<typeof RoleCheckStarted>;

export const RoleCheckProgress = record('RoleCheckProgress', 'The progress of member checks.', {
  isListing: T.Boolean({
    description: 'Whether members are still being read from the platform for a full check.',
  }),
  waiting: count('How many members are waiting to be checked.'),
  postponed: count('How many will be re-checked later because a chain or service did not respond.'),
});
export type RoleCheckProgress = ValueOf<typeof RoleCheckProgress>;
