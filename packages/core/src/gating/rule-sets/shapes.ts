import { choice, OpenObject, record, shape, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { leastCheckPeriodSeconds, mostCheckPeriodSeconds } from '../../communities/community/index.ts';
import { maxRules, NewTokenPermissionedChat, ruleVisibilities } from '../../communities/rule-records/index.ts';
import { ApprovalPolicyBody } from '../approval-policies/index.ts';
import { mostAssertions, RuleAssertion } from '../rule-assertions/index.ts';

const longText = (description: string) => text(description, { maxLength: 100_000 });
const count = (description: string) => T.Number({ description, minimum: 0 });
const version = text('Changes with every change to the rules, guest passes, assertions or settings.', {
  minLength: 1,
  maxLength: 64,
});
const brakesVersion = text('Changes with every change to the brakes.', { minLength: 1, maxLength: 64 });
const planned = (field: string) =>
  text(`The ${field} that the changes were planned for.`, { minLength: 1, maxLength: 64 });
const mostPasses = 200;

const visibility = choice(
  'How much members can see. public: everything. secret: only that there is a condition. hidden: nothing.',
  ruleVisibilities,
);

const passFields = {
  name: text('The name of the pass.', { minLength: 1, maxLength: 200 }),
  description: T.Optional(text('What it is for.', { maxLength: 2000 })),
  roleIds: T.Array(text('The id of a role on the platform.', { minLength: 1, maxLength: 64 }), {
    description: 'The roles it grants.',
    minItems: 1,
    maxItems: 50,
  }),
  periodSeconds: T.Number({
    description: 'How long it lasts once it is given to a member, in seconds.',
    minimum: 60,
    maximum: 10 * 365 * 24 * 60 * 60,
    multipleOf: 1,
  }),
  status: choice('Whether it can be given to members.', ['active', 'inactive'] as const),
};

const settingFields = {
  checkPeriodSeconds: T.Optional(
    T.Number({
      description: 'How often every member is re-checked, in seconds. Without it, the period of the plan applies.',
      minimum: leastCheckPeriodSeconds,
      maximum: mostCheckPeriodSeconds,
      multipleOf: 1,
    }),
  ),
};

const RuleSetSettings = record(
  'RuleSetSettings',
  'The settings of a community that a rule set contains.',
  settingFields,
);
export type RuleSetSettings = ValueOf<typeof RuleSetSettings>;

const RuleOfSet = record('RuleOfSet', 'A rule of a community.', {
  id: text('The id of the rule.'),
  rule: T.Unsafe<Record<string, unknown>>({ ...OpenObject, description: 'The rule, with the role that it gives.' }),
  visibility,
});
export type RuleOfSet = ValueOf<typeof RuleOfSet>;

const PassOfSet = record('GuestPassOfSet', 'A guest pass of a community.', {
  id: text('The id of the pass.'),
  ...passFields,
});
export type PassOfSet = ValueOf<typeof PassOfSet>;

const RoleOfSet = record('RoleOfSet', 'A role of the community on its platform.', {
  id: text('The id of the role.'),
  name: text('What the role is called.'),
});

const managed = {
  guestPasses: T.Array(PassOfSet, { description: 'The guest passes, oldest first.', maxItems: mostPasses }),
  assertions: T.Array(RuleAssertion, { description: 'What must stay true of the rules.', maxItems: mostAssertions }),
  settings: RuleSetSettings,
  brakes: ApprovalPolicyBody,
};

export const RuleSet = record('RuleSet', 'Everything about a community that a file of rules can describe.', {
  communityId: text('The qualified id of the community.'),
  communityName: text('What the community is called.'),
  platform: text('Its chat platform.'),
  version,
  brakesVersion,
  rules: T.Array(RuleOfSet, { description: 'The rules in the order in which they apply.', maxItems: maxRules }),
  ...managed,
  roles: T.Optional(
    T.Array(RoleOfSet, {
      description: 'The roles on the platform; absent if the platform did not respond in time.',
      maxItems: 1000,
    }),
  ),
});
export type RuleSet = ValueOf<typeof RuleSet>;

const desired = {
  rules: T.Optional(
    T.Array(
      record('WantedRule', 'A rule as it should be.', {
        id: T.Optional(
          text('The rule that it replaces. Without an id, the rule with the same conditions or name is meant.', {
            minLength: 1,
            maxLength: 700,
          }),
        ),
        rule: NewTokenPermissionedChat,
        visibility: T.Optional(visibility),
      }),
      {
        description: 'The rules in the order in which they apply; without it, rules stay as they are.',
        maxItems: maxRules,
      },
    ),
  ),
  guestPasses: T.Optional(
    T.Array(
      record('WantedGuestPass', 'A guest pass as it should be. The pass with the same name is meant.', passFields),
      { description: 'The guest passes; without it, passes stay as they are.', maxItems: mostPasses },
    ),
  ),
  assertions: T.Optional(
    T.Array(RuleAssertion, {
      description:
        'What must stay true of the rules: applying rules that break an assertion fails. Without it, assertions stay as they are.',
      maxItems: mostAssertions,
    }),
  ),
  settings: T.Optional(RuleSetSettings),
  unlisted: choice(
    'What happens to rules, guest passes and assertions that are not listed. keep: they stay, and are reported. delete: rules are deleted and members keep their roles, unless another rule decides the role; passes end for everyone who has one; assertions are deleted. delete-and-take: also, members who got a role from Latchkey by a deleted rule lose it, unless something else grants it.',
    ['keep', 'delete', 'delete-and-take'] as const,
  ),
};

export const WantedRuleSet = shape(
  T.Object(
    {
      ...desired,
      brakes: T.Optional(ApprovalPolicyBody),
      checksMembers: T.Optional(
        T.Boolean({ description: 'Whether members are checked to see who gains and loses roles. Defaults to true.' }),
      ),
    },
    { description: 'The rule set as it should be.' },
  ),
);
export type WantedRuleSet = ValueOf<typeof WantedRuleSet>;

const sourceFields = {
  file: T.Optional(text('The path of the file.', { minLength: 1, maxLength: 500 })),
  repository: T.Optional(text('The repository that contains it, as a URL.', { minLength: 1, maxLength: 500 })),
  commit: T.Optional(
    T.String({
      description: 'The commit, in hexadecimal; only if the file is as in the commit.',
      pattern: '^[0-9a-fA-F]{7,64}$',
      maxLength: 64,
    }),
  ),
};

export const RuleSetToApply = shape(
  T.Object(
    {
      version: planned('version'),
      ...desired,
      source: T.Optional(T.Object(sourceFields, { description: 'Where the rule set comes from. Shown to admins.' })),
    },
    { description: 'The rule set as it should be. Brakes are set by an operation of their own.' },
  ),
);
export type RuleSetToApply = ValueOf<typeof RuleSetToApply>;

export const BrakesToApply = shape(
  T.Object(
    {
      version: planned('brakesVersion'),
      brakes: ApprovalPolicyBody,
    },
    { description: 'The whole policy.' },
  ),
);
export type BrakesToApply = ValueOf<typeof BrakesToApply>;

export const ruleSetParts = ['rule', 'guest-pass', 'assertion', 'settings', 'brakes', 'order'] as const;
export const changeKinds = ['create', 'change', 'delete', 'unlisted'] as const;

const RuleSetChange = record(
  'RuleSetChange',
  'One difference between a community and the rule set that it should have.',
  {
    part: choice('What differs. order: the order in which rules apply.', ruleSetParts),
    kind: choice('What applying would do. unlisted: nothing, it exists but is not in the rule set.', changeKinds),
    id: T.Optional(text('The id of the existing rule or pass.')),
    index: T.Optional(count('Its position in the request.')),
    name: T.Optional(text('Its name.')),
    roleId: T.Optional(text('The role that a rule gives, or that an assertion is about.')),
    before: T.Optional(longText('What it is now, in a sentence.')),
    after: T.Optional(longText('What it would be, in a sentence.')),
    fields: T.Optional(texts('The fields that differ.')),
  },
);
export type RuleSetChange = ValueOf<typeof RuleSetChange>;

const RoleEffect = record('RoleEffect', 'Who gains and loses a role.', {
  roleId: text('The id of the role.'),
  roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
  gains: count('How many members gain it.'),
  loses: count('How many members lose it.'),
  unknown: count('How many members stay unchanged because something could not be read.'),
  isHeld: T.Boolean({ description: 'Whether the removals would wait for an admin’s approval.' }),
});

const MemberEffect = record('MemberEffect', 'A member who gains or loses a role, or could not be checked.', {
  userId: text('The qualified id of the member.'),
  userName: T.Optional(text('The member’s display name on the platform; absent if unknown.')),
  roleId: text('The id of the role.'),
  outcome: choice('What happens.', ['gains', 'loses', 'unknown'] as const),
});

const RuleSetEffects = record('RuleSetEffects', 'What members gain and lose. Nothing was changed.', {
  checked: count('How many members were checked.'),
  isWhole: T.Boolean({ description: 'Whether every member was checked; in very large communities only some are.' }),
  changed: T.Array(RoleEffect, { description: 'The roles that the changes concern.', maxItems: 1000 }),
  outOfSync: T.Array(RoleEffect, {
    description:
      'Other roles that members have or lack against the rules, for example because they were changed by hand, or of which that could not be checked.',
    maxItems: 1000,
  }),
  members: T.Array(MemberEffect, {
    description: 'The first 1,000 members, those who lose a role first.',
    maxItems: 1000,
  }),
});
export type RuleSetEffects = ValueOf<typeof RuleSetEffects>;

export const RuleSetPlan = record('RuleSetPlan', 'What applying a rule set would change. Nothing was changed.', {
  version,
  brakesVersion,
  changes: T.Array(RuleSetChange, { description: 'Every difference.', maxItems: 4_000 }),
  problems: T.Array(
    record('RuleSetProblem', 'Something that prevents the rule set from being applied.', {
      path: text('Where in the request, as a JSON Pointer.', { maxLength: 4096 }),
      message: longText('What is wrong, and what to do.'),
    }),
    { description: 'Empty when it can be applied.', maxItems: 10_000 },
  ),
  warnings: texts('Rules that can be applied but may not do what you expect.', { maxLength: 4096 }),
  proofs: texts(
    'For the roles that the changes concern: whether members can gain or lose them, proven or with an example. Guest passes are left out.',
    {
      maxLength: 4096,
    },
  ),
  roleFaults: texts('What keeps roles of the rules from being given or removed, and what to change on the platform.'),
  roleFaultsProblem: T.Optional(longText('Why the roles of the rules were not checked on the platform.')),
  readsBefore: count('How many reads of chains and services a check of one member takes now.'),
  readsAfter: count('How many it would take.'),
  effects: T.Optional(RuleSetEffects),
  effectsProblem: T.Optional(longText('Why members were not checked.')),
});
export type RuleSetPlan = ValueOf<typeof RuleSetPlan>;

export const AppliedRuleSet = record('AppliedRuleSet', 'What was changed.', {
  version: text('The version of what was applied: that of the brakes after applying brakes.', {
    minLength: 1,
    maxLength: 64,
  }),
  changes: T.Array(RuleSetChange, {
    description: 'Every change that was made; empty if there was none.',
    maxItems: 4_000,
  }),
  firstRuleChangeId: T.Optional(
    text('The first entry in the rules’ histories. Absent if no rule was changed.', { maxLength: 32 }),
  ),
});
export type AppliedRuleSet = ValueOf<typeof AppliedRuleSet>;

export const RuleSetSource = record('RuleSetSource', 'Which file the rules of a community come from, and its lock.', {
  applied: T.Optional(
    record('AppliedSource', 'The file that was applied last; absent if none was.', {
      ...sourceFields,
      time: text('When, in ISO 8601.'),
      by: text('The application, admin or operator that applied it.'),
      byName: T.Optional(text('Their name; absent if it is not known.')),
      isByKey: T.Boolean({ description: 'Whether an application applied it with its API key.' }),
    }),
  ),
  moved: T.Array(
    choice('rules: the rules, guest passes or settings. brakes: the approval policy.', ['rules', 'brakes']),
    {
      description:
        'What was changed elsewhere since the file was applied, or since the community was locked without one.',
      maxItems: 2,
    },
  ),
  lock: T.Optional(
    record('RuleSetLock', 'Only the file changes the rules of a locked community; absent if it is not locked.', {
      time: text('Since when, in ISO 8601.'),
      by: text('Who locked it.'),
      byName: T.Optional(text('Their name; absent if it is not known.')),
      toName: T.Optional(
        text('The application whose key may apply the file; absent until one applied it, or if it was deleted.'),
      ),
      canUnlock: T.Boolean({ description: 'Whether the caller may unlock it.' }),
    }),
  ),
});
export type RuleSetSource = ValueOf<typeof RuleSetSource>;

export const RuleSetProgress = record(
  'RuleSetProgress',
  'How far the role changes that follow from rule changes are.',
  {
    isListing: T.Boolean({ description: 'Whether the members still have to be listed.' }),
    waiting: count('How many members are waiting for a check.'),
    postponed: count('How many members will be re-checked because something could not be read.'),
    changeSets: T.Array(
      record('ChangeSetProgress', 'A change set that followed.', {
        id: text('The id of the change set.'),
        status: text('Its status; held means that it waits for an admin’s approval.'),
        planned: count('How many role changes it contains.'),
        written: count('How many of them were made.'),
      }),
      { description: 'The newest first, at most 100.', maxItems: 100 },
    ),
  },
);
export type RuleSetProgress = ValueOf<typeof RuleSetProgress>;
