import type { RuleKind } from './rule-facts.ts';

/** The values of the form, all as text. */
export interface Choice {
  chainId: string;
  /** The contract, collection, symbol or event, depending on the kind. */
  name: string;
  tokenId: string;
  minToken: string;
  maxToken: string;
  roleId: string;
}

export const emptyChoice: Choice = { chainId: '', name: '', tokenId: '', minToken: '', maxToken: '', roleId: '' };

/** Returns the rule of a form. Empty fields have their defaults and are left out. */
export function composeRule(kind: RuleKind, choice: Choice): Record<string, string | number> {
  const [nameField] = kind.namedBy;
  const text = (value: string) => value.trim();
  const chainId = typeof kind.place === 'string' ? '' : text(choice.chainId) || String(kind.place.chainId ?? '');
  return {
    type: kind.name,
    ...(chainId !== '' && { chainId: /^\d+$/.test(chainId) ? Number(chainId) : chainId }),
    ...(nameField !== undefined && text(choice.name) !== '' && { [nameField]: text(choice.name) }),
    ...(kind.tokenIds !== 'none' && text(choice.tokenId) !== '' && { tokenId: text(choice.tokenId) }),
    ...(text(choice.minToken) !== '' && { minToken: text(choice.minToken) }),
    ...(text(choice.maxToken) !== '' && { maxToken: text(choice.maxToken) }),
    ...(text(choice.roleId) !== '' && { roleId: text(choice.roleId) }),
  };
}
