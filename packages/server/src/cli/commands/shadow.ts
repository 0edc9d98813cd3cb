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
import { onRecord } from '../on-record.ts';
import { print, printTable } from '../print.ts';

export const shadow: Command = {
  usage:
    'shadow <community> | differences <community> [--day 2026-01-31] [--limit 20] | start|take-over|undo <community> [--reason "…"]',
  meaning: 'compare roles with the rules beside another bot without writing any; take over from it; undo the takeover',
  words: 2,
  options: { day: option.short('A day such as 2026-01-31.'), limit: option.limit, reason: option.reason },
  run: async (ctx, [verb, community], { day, limit, reason }) => {
    const communityId = () => need(community, 'the id of the community');
    const decide = (action: Action, work: (ctx: Context, input: Input) => Promise<ShadowMode>) => {
      const input = { communityId: communityId() };
      return onRecord(ctx, { action, target: input.communityId, reason, ...input }, () => work(ctx, input));
    };
    switch (need(verb, 'the id of the community')) {
      case 'differences':
        return showDifferences(ctx, communityId(), readDay(day), numberOf(limit, 20, 'limit'));
      case 'start':
        await decide('shadow-mode.start', startShadowMode);
        return print('Shadow mode is on. No role is written in the community.');
      case 'take-over':
        await decide('shadow-mode.take-over', takeOverFromShadow);
        return print(
          `A worker checks every member, then takes over: latchkey shadow ${communityId()} shows how far it is.`,
        );
      case 'undo': {
        const { changeSetId } = await decide('shadow-mode.return', returnToShadow);
        if (changeSetId === undefined) return print('Shadow mode is on again. There was no role to put back.');
        return print(`Shadow mode is on again. A worker puts the roles back: latchkey change sets show ${changeSetId}`);
      }
      default:
        return show(await getShadowMode(ctx, { communityId: need(verb, 'the id of the community') }));
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
  if (!isDay) throw new UsageError('Say a day such as 2026-01-31 with --day.');
  return day;
}

function show({ isOn, startedTime, takenOverTime, takeOver, changeSetId, days }: ShadowMode): void {
  if (isOn) print(`Shadow mode is on since ${startedTime}. No role is written.`);
  else if (takenOverTime !== undefined) print(`Latchkey took over at ${takenOverTime}.`);
  else print('Shadow mode is off.');
  if (takeOver !== undefined) print(formatProgress(takeOver));
  if (changeSetId !== undefined)
    print(`${isOn ? 'Roles are put back by' : 'Its role changes are'} change set ${changeSetId}.`);
  if (days.length === 0) return;
  print('');
  printTable([
    ['DAY', 'GIVES', 'TAKES', 'MEMBERS'],
    ...days.map(({ day, grants, revokes, members }) => [day, String(grants), String(revokes), String(members)]),
  ]);
}

function formatProgress({
  askedTime,
  checkedMembers,
  members,
  problem = '',
}: NonNullable<ShadowMode['takeOver']>): string {
  if (askedTime === undefined) return `The takeover was stopped: ${problem}`;
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
