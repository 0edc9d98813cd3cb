import type { RoleVerdict, RuleVerdict } from '../evaluation/index.ts';
import type { Reason } from '../rules/index.ts';
import type { RoleAnswer } from './token-gating.ts';

/** Converts verdicts to the API's form: the decided roles, and why others could not be decided. */
export function toAnswer(verdicts: readonly RoleVerdict[]): RoleAnswer {
  const roles: RoleAnswer['roles'] = [];
  const errors: RoleAnswer['errors'] = [];
  for (const { roleId, truth, reason } of verdicts) {
    if (truth !== 'unknown') roles.push({ id: roleId, granted: truth === 'true' });
    else errors.push(...describeOpen(roleId, reason.rules));
  }
  return { roles, errors };
}

function describeOpen(roleId: string, rules: readonly RuleVerdict[]): RoleAnswer['errors'] {
  const open = rules.filter(({ truth }) => truth === 'unknown');
  if (open.length === 0)
    return [{ roleId, code: 'UNDECIDED', message: 'It depends on a role that could not be evaluated.' }];
  return open.map(({ id, reason, problem }) => ({
    roleId,
    ...(id !== '' && { ruleId: id }),
    code: problem === undefined ? 'UNDECIDED' : 'UNREADABLE_RULE',
    message: problem ?? (reason && firstDoubt(reason)) ?? 'The rule could not be evaluated.',
    ...(reason !== undefined && { reason }),
  }));
}

/** The first thing that could not be read, in words. */
function firstDoubt(reason: Reason): string | undefined {
  if (reason.truth !== 'unknown') return undefined;
  if (reason.kind !== 'leaf') return reason.parts.map(firstDoubt).find((text) => text !== undefined);
  return reason.readings.find(({ truth }) => truth === 'unknown')?.note ?? reason.note;
}
