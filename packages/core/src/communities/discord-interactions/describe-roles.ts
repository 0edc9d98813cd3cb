import type { RoleReason, RoleVerdict } from '../../gating/judging/index.ts';
import type { LookedMember } from '../../gating/role-plans/index.ts';
import type { LeafReason, Reason } from '../../gating/rules/index.ts';

/** What a member has and could have, and why, in lines. */
export function describeRoles({
  roleIds,
  verdicts,
  wallets,
}: Pick<LookedMember, 'roleIds' | 'verdicts' | 'wallets'>): string {
  if (verdicts.length === 0) return 'No rule of this server gives roles yet.';
  const head =
    wallets.length === 0
      ? 'You have no wallet connected: use /latchkey join.'
      : `Connected wallets: ${wallets.length}.`;
  return [head, ...verdicts.map((verdict) => `• ${describeRole(verdict, roleIds.includes(verdict.roleId))}`)].join(
    '\n',
  );
}

function describeRole({ roleId, truth, reason }: RoleVerdict, isHeld: boolean): string {
  const role = `<@&${roleId}>`;
  if (truth === 'unknown')
    return `${role}: could not be checked just now, so nothing changes. ${why(reason, 'unknown')}`;
  if (truth === 'true')
    return isHeld ? `${role}: you have it.` : `${role}: you deserve it; /latchkey check gives it to you.`;
  return `${role}: ${isHeld ? 'you have it, but no longer meet its rules' : 'not yours yet'}. ${why(reason, 'false')}`;
}

// Reasons are kept as JSON beside every change; here they come straight from the decision.
function why(reason: unknown, truth: 'false' | 'unknown'): string {
  const { rules } = reason as RoleReason;
  const leaf = rules
    .flatMap((rule) => (rule.reason === undefined ? [] : leavesOf(rule.reason)))
    .find((one) => one.truth === truth);
  if (leaf === undefined) return rules.find((rule) => rule.problem !== undefined)?.problem ?? '';
  const found = leaf.sum ?? leaf.readings.find(({ value }) => value !== undefined)?.value;
  return `Needed: ${leaf.needed} (${leaf.rule})${found === undefined ? '' : `; found: ${found}`}.`;
}

function leavesOf(reason: Reason): LeafReason[] {
  return reason.kind === 'leaf' ? [reason] : reason.parts.flatMap(leavesOf);
}
