import { compositionOf, type Rule, unreadReason } from '../rules/index.ts';
import { needInWords } from './need-in-words.ts';
import type { ReasonNames } from './reason-names.ts';

/** Describes a rule in one sentence, in the same words that bots use for reasons. */
export function ruleInWords(rule: Rule, names: Pick<ReasonNames, 'role' | 'token'>): string {
  const composition = compositionOf(rule);
  if (composition === undefined)
    return `To get ${names.role(rule.roleId)}, a member needs ${needInWords(unreadReason(rule.condition), names)}.`;
  const { action, condition, operator } = composition;
  const wanted = Object.entries(condition).map(([id, isHeld]) => `${isHeld ? 'with' : 'without'} ${names.role(id)}`);
  const role = names.role(composition.roleId);
  const who = `Members ${wanted.join(` ${operator} `)}`;
  switch (action) {
    case 'add':
      return `${who} get ${role}.`;
    case 'remove':
      return `${who} lose ${role}.`;
    case 'addOrRemove':
      return `${who} get ${role}, and all others lose it.`;
    default:
      return `${who} lose ${role}, and all others get it.`;
  }
}
