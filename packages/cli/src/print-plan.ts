import type { RuleSetChange, RuleSetPlan } from '@latchkey/core/rule-files';

const signs = { create: '+', change: '~', delete: '-', unlisted: '?' } as const;

/** A plan in words, a line each. */
export function describePlan(plan: RuleSetPlan, { members }: { members: boolean }): string[] {
  const { changes, problems, warnings, proofs, roleFaults, roleFaultsProblem, readsBefore, readsAfter } = plan;
  const lines = changes.flatMap(describeChange);
  if (changes.length === 0) lines.push('  No changes.');
  const unlisted = changes.filter(({ kind }) => kind === 'unlisted').length;
  if (unlisted > 0)
    lines.push(
      '',
      `  ? ${unlisted} not in the file stay as they are. To delete what is not in the file: unlisted: delete`,
    );
  lines.push(...section('Warnings', warnings), ...section('Roles that cannot be given or removed', roleFaults));
  if (roleFaultsProblem !== undefined) lines.push('', `  The roles were not checked: ${roleFaultsProblem}`);
  if (changesSomething(plan)) {
    lines.push(...section('What this allows', proofs));
    if (readsBefore !== readsAfter)
      lines.push('', `  Reads per check of a member: ${readsBefore} now, ${readsAfter} then.`);
  }
  lines.push(...describeEffects(plan, members));
  if (problems.length > 0)
    lines.push('', '  It cannot be applied:', ...problems.map(({ message }) => `    ${message}`));
  return lines;
}

/** Whether applying would write anything. */
export function changesSomething({ changes }: Pick<RuleSetPlan, 'changes'>): boolean {
  return changes.some(({ kind }) => kind !== 'unlisted');
}

function section(title: string, sentences: readonly string[]): string[] {
  return sentences.length === 0 ? [] : ['', `  ${title}:`, ...sentences.map((sentence) => `    ${sentence}`)];
}

export function describeChange({ part, kind, id, name, before, after, fields = [] }: RuleSetChange): string[] {
  const called = name === undefined ? (id ?? '') : `“${name}”`;
  const differing = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
  switch (part) {
    case 'order':
      return ['  ~ The order of the rules'];
    case 'settings':
      return [`  ~ Settings${differing}`];
    case 'brakes':
      return [`  ~ Brakes${differing}`];
    case 'guest-pass':
      return [`  ${signs[kind]} Guest pass ${called}${differing}`];
    case 'assertion':
      // One without a name is what it says.
      if (name === undefined) return [`  ${signs[kind]} Never: ${after ?? before ?? ''}`];
      return [`  ${signs[kind]} Never: ${called}${differing}`, `      ${after ?? before ?? ''}`];
    case 'rule':
      return [
        `  ${signs[kind]} Rule ${called}${differing}`,
        ...(after === undefined ? [] : [`      ${after}`]),
        ...(before === undefined || before === after ? [] : [`      ${kind === 'change' ? 'Now: ' : ''}${before}`]),
      ];
  }
}

function describeEffects({ effects, effectsProblem }: RuleSetPlan, showsMembers: boolean): string[] {
  if (effectsProblem !== undefined) return ['', `  Members were not checked: ${effectsProblem}`];
  if (effects === undefined) return [];
  const { checked, isWhole, changed, members } = effects;
  const outOfSync = effects.outOfSync.filter(({ gains, loses }) => gains + loses > 0);
  const unread = effects.outOfSync.filter(({ gains, loses, unknown }) => gains + loses === 0 && unknown > 0);
  const concerns = new Set([...changed, ...outOfSync].map(({ roleId }) => roleId));
  const names = new Map([...changed, ...outOfSync].map(({ roleId, roleName }) => [roleId, roleName ?? roleId]));
  const shown = changed.filter(({ gains, loses, unknown }) => gains + loses + unknown > 0);
  return [
    '',
    `  Members checked: ${checked}${isWhole ? '' : ', which are not all'}.`,
    ...(shown.length === 0 && changed.length > 0 ? ['  Nobody gains or loses a role.'] : []),
    ...shown.map(describeRole),
    ...(outOfSync.length === 0
      ? []
      : ['', '  Roles that members have or lack against the rules:', ...outOfSync.map(describeRole)]),
    ...unread.map(
      ({ roleId, roleName, unknown }) => `  ${roleName ?? roleId}: ${unknown} members could not be checked.`,
    ),
    ...(showsMembers
      ? members
          .filter(({ roleId }) => concerns.has(roleId))
          .map(
            ({ userId, userName, roleId, outcome }) =>
              `    ${userName ?? userId} (${userId}): ${outcome} ${names.get(roleId)}`,
          )
      : []),
  ];
}

function describeRole({
  roleId,
  roleName,
  gains,
  loses,
  unknown,
  isHeld,
}: NonNullable<RuleSetPlan['effects']>['changed'][number]): string {
  const held = isHeld ? '; the removals need an admin’s approval' : '';
  const unread = unknown === 0 ? '' : `, ${unknown} could not be checked and stay as they are`;
  return `  ${roleName ?? roleId}: ${gains} gain it, ${loses} lose it${unread}${held}.`;
}
