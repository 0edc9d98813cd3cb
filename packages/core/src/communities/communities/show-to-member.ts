import type { TokenPermissionedChat } from './rule.ts';
import type { RuleVisibility } from './rule-queries.ts';

/**
 * A rule as members are shown it; undefined for a hidden one. Of a secret rule they learn that it is there and which role
 * it gives, of a secret condition in a tree that there is one. The id of a rule names its contract, so it goes too.
 */
export function showToMember(
  rule: TokenPermissionedChat,
  visibility: RuleVisibility,
): TokenPermissionedChat | undefined {
  if (visibility === 'hidden') return undefined;
  if (visibility === 'public') return { ...rule, ...(rule.variables && { variables: withoutSecrets(rule.variables) }) };
  const { pk, classifier, classifierGroup, createdTime, roleId, roleName, roleColor, platform } = rule;
  return { pk, classifier, classifierGroup, createdTime, roleId, roleName, roleColor, platform };
}

function withoutSecrets(variables: Record<string, unknown>): Record<string, unknown> {
  return 'rule' in variables ? { ...variables, rule: visibleTree(variables.rule) } : variables;
}

function visibleTree(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(visibleTree);
  if (typeof node !== 'object' || node === null) return node;
  if ('visibility' in node && node.visibility !== 'public') return { visibility: 'secret' };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visibleTree(value)]));
}
