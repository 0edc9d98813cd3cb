import { observed } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/communities/index.ts';
import type { Result, WrittenItem } from './settle.ts';

/** Counts what came of writes. Only changes that this writer confirmed are counted as such, and each once. */
export function tellChanges(
  { platform }: Pick<CommunityRow, 'platform'>,
  results: readonly Result[],
  confirmed: readonly WrittenItem[],
  now: Date,
): void {
  for (const item of confirmed)
    observed.roleChange.tell({ platform, action: item.action, outcome: 'confirmed', ...waitOf(item, now) });
  for (const { forbidden = [], failed = [] } of results) {
    for (const { items } of forbidden)
      for (const { action } of items) observed.roleChange.tell({ platform, action, outcome: 'refused' });
    for (const { items } of failed)
      for (const { action } of items) observed.roleChange.tell({ platform, action, outcome: 'failed' });
  }
}

/** How long the check that led to a change was due. What an admin decided waited for the admin. */
function waitOf({ is_automatic, touched_at, cause }: WrittenItem, now: Date): { cause?: string; seconds?: number } {
  if (!is_automatic || touched_at === null) return {};
  const seconds = Math.max(0, (now.getTime() - touched_at.getTime()) / 1000);
  return { cause: cause.includes(',') ? 'several' : cause, seconds };
}
