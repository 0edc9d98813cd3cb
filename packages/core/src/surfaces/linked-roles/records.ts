import type { LinkedRoleRecord } from '../../ports/index.ts';

/** The linked-role values, in the order in which Discord shows them. It accepts five at most. */
export const linkedRoleRecords = [
  {
    key: 'wallets',
    name: 'Wallets linked',
    description: 'How many wallets the member has linked',
    comparison: 'integer-at-least',
  },
  {
    key: 'roles',
    name: 'Roles earned',
    description: 'How many roles the member has from token rules, across all communities',
    comparison: 'integer-at-least',
  },
  {
    key: 'communities',
    name: 'Communities',
    description: 'In how many communities the member has a role from a token rule',
    comparison: 'integer-at-least',
  },
  {
    key: 'holder_since',
    name: 'Days as a holder',
    description: 'Days since the member got the oldest role they still have from a token rule',
    comparison: 'days-since-at-least',
  },
] as const satisfies readonly LinkedRoleRecord[];

export type LinkedRoleKey = (typeof linkedRoleRecords)[number]['key'];

/** The values of one user. A missing key is a value that they do not have. */
export type LinkedRoleValues = Readonly<Partial<Record<LinkedRoleKey, string>>>;

export function areSame(one: LinkedRoleValues, other: LinkedRoleValues): boolean {
  return linkedRoleRecords.every(({ key }) => one[key] === other[key]);
}
