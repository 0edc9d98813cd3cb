import { assetOf, type Reason } from '@latchkey/core/rule-files';
import { isObject } from '@latchkey/kernel';
import type { CommunityInFile } from './read-communities.ts';

export const outcomeOf = { true: 'yes', false: 'no', unknown: 'cannot be decided' } as const;
const groupOf = { and: 'all of', or: 'any of', not: 'none of', 'at-least': 'at least' } as const;

type Names = ReturnType<typeof namesIn>;

/** A reason as lines of text, indented by its depth. */
export function reasonLines(reason: Reason, names: Names, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (reason.kind !== 'leaf') {
    const count = reason.kind === 'at-least' ? ` ${reason.count} of` : '';
    return [
      `${indent}${outcomeOf[reason.truth]}: ${groupOf[reason.kind]}${count}`,
      ...reason.parts.flatMap((part) => reasonLines(part, names, depth + 1)),
    ];
  }
  const token = reason.asset === undefined ? '' : ` ${names.token(reason.asset)}`;
  const found = reason.readings.flatMap(({ value, note }) => value ?? note ?? []);
  const why = reason.sum ?? (found.length > 0 ? found.join(', ') : (reason.note ?? ''));
  return [`${indent}${outcomeOf[reason.truth]}: ${reason.needed}${token}${why === '' ? '' : `; found: ${why}`}`];
}

/** The names that the file uses. */
export function namesIn({ tokens, value }: CommunityInFile) {
  const byAsset = new Map(
    [...tokens].flatMap(([name, fields]): [string, string][] => {
      try {
        const asset = assetOf(fields);
        return asset === undefined ? [] : [[`${asset.chain}/${asset.standard.toUpperCase()}:${asset.reference}`, name]];
      } catch {
        return [];
      }
    }),
  );
  const pins = Object.entries(isObject(value.roles) ? value.roles : {});
  return {
    role: (roleId: string) => pins.find(([, id]) => id === roleId)?.[0] ?? roleId,
    token: (asset: string) => byAsset.get(asset) ?? asset,
  };
}
