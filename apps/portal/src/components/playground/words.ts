import type { ChangeSet, Member, PlaygroundEvent } from './client.ts';

/** The rules to choose from, in the order of the list. */
export const ruleTitles: Readonly<Record<string, string>> = {
  'one-key': 'At least 1 KEY (an NFT)',
  'three-keys': 'At least 3 KEY (an NFT)',
  coins: 'At least 100 COIN (a token)',
  badge: 'Badge 1 (a multi-token)',
  'key-and-more': 'A KEY, and 100 COIN or badge 1 (a logic rule)',
};

const list = new Intl.ListFormat('en');

/** Who has which role, in one sentence for each role. */
export function describeRoles(members: readonly Pick<Member, 'name' | 'roles'>[]): string {
  return ['Holder', 'Collector']
    .map((role) => {
      const names = members.filter(({ roles }) => roles.includes(role)).map(({ name }) => name);
      return `${role}: ${names.length === 0 ? 'no member' : list.format(names)}.`;
    })
    .join(' ');
}

export function describeHoldings({ keys, coins, badges }: Pick<Member, 'keys' | 'coins' | 'badges'>): string {
  const parts = [
    ...(keys > 0 ? [`${keys} KEY`] : []),
    ...(coins === '0' ? [] : [`${coins} COIN`]),
    ...(badges > 0 ? ['badge 1'] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

export function describeEvent({ type, member = 'A member', role, reasons = [] }: PlaygroundEvent): string {
  const why = reasons.length === 0 ? '' : ` ${reasons.join(' ')}`;
  switch (type) {
    case 'member.role-granted':
      return `${member} got ${role}.${why}`;
    case 'member.role-revoked':
      return `${member} lost ${role}.${why}`;
    case 'member.wallet-linked':
      return `${member} linked a wallet.`;
    case 'rule.created':
      return `The rule for ${role} was created.`;
    case 'rule.changed':
      return `The rule for ${role} was changed.`;
    case 'change-set.held':
      return 'The change set removes a role from many members, so it waits for approval.';
    case 'change-set.decided':
      return 'The change set that waited was decided.';
    default:
      return type;
  }
}

/** What an admin can decide now. */
export function describeWaiting(changeSets: readonly ChangeSet[]): string {
  const held = changeSets.find(({ status }) => status === 'held');
  if (held !== undefined)
    return `${count(held.revokes, 'removal')} waiting for your approval. No member has lost the role yet.`;
  const undoable = changeSets.find(({ canUndo }) => canUndo);
  if (undoable !== undefined)
    return `You approved ${count(undoable.revokes + undoable.grants, 'change')}. Undo restores the roles, and the rule.`;
  return 'No change set waits for approval.';
}

/** The roles after a recorded step, and what waits. */
export function describeStep(members: readonly Pick<Member, 'name' | 'roles'>[], waiting: number): string {
  const held = waiting === 0 ? '' : ` ${count(waiting, 'removal')} waiting for approval.`;
  return `${describeRoles(members)}${held}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
