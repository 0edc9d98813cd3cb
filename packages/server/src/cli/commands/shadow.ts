import {
  type Context,
  getShadowMode,
  listShadowDifferences,
  returnToShadow,
  type ShadowMode,
  startShadowMode,
  takeOverFromShadow,
} from '@latchkey/core';
import { type Command, need, numberOf, UsageError } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

export const shadow: Command = {
  usage:
    'shadow <community> | differences <community> [--day 2026-01-31] [--limit 20] | start|take-over|undo <community> [--reason "…"]',
  meaning: 'run alongside another bot without writing roles, and compare; take over from it; undo the takeover',
  words: 2,
  options: { day: option.short('A date such as 2026-01-31.'), limit: option.limit, reason: option.reason },
  run: async (ctx, [verb, community], { day, limit, reason }) => {
    const communityId = () => need(community, 'community id');
    const decide = (action: Action, work: (ctx: Context, input: Input) => Promise<ShadowMode>) => {
      const input = { communityId: communityId() };
      return runAudited(ctx, { action, target: input.communityId, reason, ...input }, () => work(ctx, input));
    };
    switch (need(verb, 'community id')) {
      case 'differences':
        return showDifferences(ctx, communityId(), readDay(day), numberOf(limit, 20, 'limit'));
      case 'start':
        await decide('shadow-mode.start', startShadowMode);
        return print('Shadow mode is on. No roles are written in the community.');
      case 'take-over':
        await decide('shadow-mode.take-over', takeOverFromShadow);
        return print(
          `A worker checks every member, then takes over. To see the progress: latchkey shadow ${communityId()}`,
        );
      case 'undo': {
        const { changeSetId, undoWaits } = await decide('shadow-mode.return', returnToShadow);
        if (changeSetId === undefined) return print('Shadow mode is on again. There were no roles to restore.');
        if (undoWaits)
          return print(
            `Shadow mode is on again. Restoring the roles needs approval: latchkey change-sets show ${changeSetId}`,
          );
        return print(
          `Shadow mode is on again. A worker is restoring the roles: latchkey change-sets show ${changeSetId}`,
        );
      }
      default:
        return show(await getShadowMode(ctx, { communityId: need(verb, 'community id') }));
    }
  },
};

type Action = 'shadow-mode.start' | 'shadow-mode.take-over' | 'shadow-mode.return';
interface Input {
  communityId: string;
}

function readDay(day: string | undefined): string | undefined {
  if (day === undefined) return undefined;
  const isDay = /^[1-9]\d{3}-\d\d-\d\d$/.test(day) && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;
  if (!isDay) throw new UsageError('--day must be a date such as 2026-01-31.');
  return day;
}

function show({ isOn, startedTime, takenOverTime, takeOver, changeSetId, days }: ShadowMode): void {
  if (isOn) print(`Shadow mode has been on since ${startedTime}. No roles are written.`);
  else if (takenOverTime !== undefined) print(`Latchkey took over at ${takenOverTime}.`);
  else print('Shadow mode is off.');
  if (takeOver !== undefined) print(formatProgress(takeOver));
  if (changeSetId !== undefined)
    print(`${isOn ? 'Roles are restored by' : 'Its role changes are in'} change set ${changeSetId}.`);
  if (days.length === 0) return;
  print('');
  printTable([
    ['DAY', 'GIVES', 'TAKES', 'MEMBERS'],
    ...days.map(({ day, grants, revokes, members }) => [day, String(grants), String(revokes), String(members)]),
  ]);
}

function formatProgress({
  requestedTime,
  checkedMembers,
  members,
  problem = '',
}: NonNullable<ShadowMode['takeOver']>): string {
  if (requestedTime === undefined) return `The takeover was stopped: ${problem}`;
  return `Taking over: ${checkedMembers} of ${members ?? 'all'} members checked. ${problem}`.trimEnd();
}

async function showDifferences(
  ctx: Context,
  communityId: string,
  day: string | undefined,
  limit: number,
): Promise<void> {
  const page = await listShadowDifferences(ctx, { communityId, limit, ...(day !== undefined && { day }) });
  printTable([
    ['MEMBER', 'ROLE', 'CHANGE', 'WHY'],
    ...page.items.map(({ userId, userName, roleId, roleName, action, words }) => [
      userName ?? userId,
      roleName ?? roleId,
      action,
      words.join(' '),
    ]),
  ]);
  if (page.paginationToken !== undefined) print('… and more; --limit shows up to 100.');
}
