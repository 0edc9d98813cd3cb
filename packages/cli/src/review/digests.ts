import { createHash } from 'node:crypto';
import { isObject } from '@latchkey/kernel';
import type { SavedPlan } from '../commands/plan.ts';

type PlannedCommunity = SavedPlan['communities'][number];

/**
 * What identifies the planned changes: the wanted rules and brakes, and the version of each that they were planned for. The two are
 * applied one after the other, so each has a digest of its own, and a job that was killed in between can be run again. A part
 * without changes needs no review.
 */
export function digestsOf({ communityId, wanted, plan }: PlannedCommunity): string[] {
  const { brakes, checksMembers: _checksMembers, ...rules } = wanted;
  const { version, brakesVersion, changes } = plan;
  const ofBrakes = changes.some(({ part }) => part === 'brakes');
  const ofRules = changes.some(({ part, kind }) => part !== 'brakes' && kind !== 'unlisted');
  return [
    ...(ofRules ? [digest(['rules', communityId, rules, version])] : []),
    ...(ofBrakes ? [digest(['brakes', communityId, brakes, brakesVersion])] : []),
  ];
}

function digest(value: unknown): string {
  const text = JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** By this line the comment of a file is found again. A repository can have several files, each with a comment of its own. */
export function markerOf(file: string, community: string | undefined): string {
  return `<!-- latchkey-rules ${encodeURIComponent(file)} ${encodeURIComponent(community ?? '')} -->`;
}

export function writeDigests(digests: readonly string[]): string {
  return `<!-- latchkey-reviewed ${digests.join(' ')} -->`;
}

/** The digests that a comment shows; none if what it shows could not be applied. */
export function readDigests(body: string): Set<string> {
  // Only the line below the marker: everything further down may quote what people wrote.
  const line = body.split('\n')[1] ?? '';
  const [, listed = ''] = /^<!-- latchkey-reviewed ([0-9a-f ]*) ?-->$/.exec(line.trimEnd()) ?? [];
  return new Set(listed.split(' ').filter((one) => one !== ''));
}
