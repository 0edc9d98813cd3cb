import { needInWords } from '../evaluation/index.ts';
import { type Condition, formatAsset, unreadReason } from '../rules/index.ts';
import type { Finding } from './find-problems.ts';
import type { Answer, Size } from './prove.ts';
import type { Example } from './replay.ts';

/** Display names of what a finding mentions. */
export interface Names {
  role(roleId: string): string;
  rule(ruleId: string): string;
  token(asset: string): string;
}

/** A finding in one sentence, with an example where there is one. */
export function problemInWords(problem: Finding, names: Names): string {
  switch (problem.kind) {
    case 'impossible':
      return 'No member can meet this rule: its conditions contradict each other.';
    case 'always-met':
      return 'Every member with a linked wallet on these chains meets this rule.';
    case 'redundant':
      return `This rule has no effect: every member who meets it already gets the role by ${listInWords(problem.otherRuleIds.map(names.rule))}.`;
    case 'shadowed':
      return `This rule has no effect: rules about other roles decide ${names.role(problem.roleId)} for every member who meets it.`;
    case 'no-effect':
      return `This condition has no effect, the rule means the same without it: ${conditionInWords(problem.condition, names)}.`;
    case 'contradictory':
      return `One rule about other roles gives ${names.role(problem.roleId)} and another removes it from the same members, for example one ${exampleInWords(problem.example, names)}.`;
    case 'cyclic':
      return `These roles depend on each other, so that none of them is granted: ${listInWords(problem.roleIds.map(names.role))}.`;
    case 'too-large': {
      const what = 'ruleId' in problem ? 'This rule' : `What decides ${names.role(problem.roleId)}`;
      return `${what} is too large to be checked for contradictions: ${sizeInWords(problem.size)}.`;
    }
  }
}

/** Whether an edit lets members in or locks them out: with an example, as a proof, or that it could not be found out. */
export function effectInWords(effect: 'gain' | 'lose', answer: Answer, names: Names): string {
  switch (answer.kind) {
    case 'proven':
      return `With this change no member can ${effect} the role.`;
    case 'disproven':
      return `With this change members can ${effect} the role, for example one ${exampleInWords(answer.example, names)}.`;
    case 'unproven':
      return `Whether members can ${effect} the role by this change could not be proven: ${whyUnproven(answer)}.`;
  }
}

/** Why there is no proof, as the end of a sentence. */
export function whyUnproven(answer: Extract<Answer, { kind: 'unproven' }>): string {
  switch (answer.reason) {
    case 'too-large':
      return `the rules are too large, ${sizeInWords(answer.size)}`;
    case 'no-effort-left':
      return 'what is asked at the same time left too little time for it';
    case 'not-confirmed':
      return 'no example was found that the wallets of a member could hold';
    case 'unreadable-rule':
      return 'another rule of the role cannot be read';
  }
}

function sizeInWords({ conditions, subjects }: Size): string {
  return `${conditions} conditions about ${subjects} tokens and other facts`;
}

/** A member, as the end of a sentence: “one with a wallet that holds …”. */
export function exampleInWords({ wallets, conditions, roles }: Example, names: Names): string {
  const held = wallets
    .map(({ holdings }) => holdings.filter(({ amount }) => amount !== '0'))
    .filter((some) => some.length > 0);
  const parts = [
    ...held.map((some, index) => {
      const amounts = some.map(({ asset, amount }) => `${amount} ${names.token(formatAsset(asset))}`);
      return `${index === 0 ? 'with a wallet that holds' : 'another that holds'} ${listInWords(amounts)}`;
    }),
    ...conditions.map(
      ({ leaf, isMet }) => `who ${isMet ? 'meets' : 'does not meet'} “${conditionInWords(leaf, names)}”`,
    ),
    ...roles.map(({ roleId, isHeld }) => `${isHeld ? 'with' : 'without'} ${names.role(roleId)}`),
  ];
  if (parts.length > 0) return listInWords(parts);
  return wallets.length === 0 ? 'without a linked wallet' : 'whose wallets hold none of these tokens';
}

function conditionInWords(condition: Condition, names: Names): string {
  return needInWords(unreadReason(condition), names);
}

function listInWords(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
