import { titleOf } from '../commands/open.ts';
import type { SavedPlan } from '../commands/plan.ts';
import { changesSomething, describeChange } from '../print-plan.ts';
import { writeDigests } from './digests.ts';

/** What a review found. */
export interface Review {
  /** The commands that ran, with what they printed. */
  checks: readonly { title: string; hasPassed: boolean; lines: readonly string[] }[];
  plan: SavedPlan | undefined;
  /** Why there is no plan. */
  problem?: string | undefined;
  /** What identifies the planned changes; empty if they cannot be applied as they are. */
  digests: readonly string[];
}

type Planned = SavedPlan['communities'][number];

/** How much of a review is shown: lines of each part, and members of each community. */
interface Room {
  lines: number;
  members: number;
}

const rooms: readonly Room[] = [
  { lines: 2_000, members: 1_000 },
  { lines: 1_000, members: 200 },
  { lines: 300, members: 50 },
  { lines: 100, members: 0 },
  { lines: 20, members: 0 },
  { lines: 3, members: 0 },
  // A line for each community.
  { lines: 0, members: 0 },
];

/** A review in Markdown, at most this long. Texts of people are in code, where they mention nobody and format nothing. */
export function writeComment(
  review: Review,
  marker: string,
  { members, mostLetters }: { members: boolean; mostLetters: number },
): string {
  const head = `${marker}\n${writeDigests(review.digests)}\n## Latchkey rules: ${headline(review)}\n`;
  for (const room of rooms) {
    const body = [
      head,
      ...review.checks.flatMap((check) => writeCheck(check, room)),
      ...writePlan(review, { ...room, ...(!members && { members: 0 }) }, members),
    ].join('\n');
    if (body.length <= mostLetters) return body;
  }
  return `${head}\nThe result is too long for a comment. The log of the job has it.\n`;
}

function headline({ checks, plan, digests }: Review): string {
  if (checks.some(({ hasPassed }) => !hasPassed)) return 'the checks failed';
  if (plan === undefined) return 'no plan';
  if (plan.communities.some((one) => one.plan.problems.length > 0)) return 'cannot be applied';
  if (digests.length === 0) return 'no changes';
  const changes = plan.communities.flatMap((one) => one.plan.changes).filter(({ kind }) => kind !== 'unlisted').length;
  return changes === 1 ? '1 change' : `${changes} changes`;
}

function writeCheck({ title, hasPassed, lines }: Review['checks'][number], room: Room): string[] {
  if (hasPassed) return [`- ${code(title)}: passed${lines.length === 1 ? `. ${code(lines[0] ?? '')}` : ''}`];
  return [`- ${code(title)}: **failed**`, ...fence('text', lines, room)];
}

function writePlan({ plan, problem }: Review, room: Room, members: boolean): string[] {
  if (plan === undefined) return ['', `There is no plan: ${code(problem ?? '')}`, ''];
  return plan.communities.flatMap((one) => writeCommunity(one, room, members));
}

function writeCommunity(planned: Planned, room: Room, members: boolean): string[] {
  const { plan } = planned;
  const { changes, problems, warnings, proofs, roleFaults, roleFaultsProblem, readsBefore, readsAfter } = plan;
  if (room.lines === 0) return [summaryOf(planned)];
  const unlisted = changes.filter(({ kind }) => kind === 'unlisted').length;
  const titled = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', `**${title}**`, ...fence('text', lines, room)];
  return [
    '',
    `### ${code(titleOf(planned))}`,
    ...(changes.length === 0 ? ['', 'No changes.'] : fence('diff', changes.flatMap(describeChange).map(asDiff), room)),
    ...(unlisted > 0
      ? [
          '',
          `${unlisted} not in the file stay as they are. To delete what is not in the file: ${code('unlisted: delete')}`,
        ]
      : []),
    ...titled(
      'It cannot be applied',
      problems.map(({ message }) => message),
    ),
    ...titled('Warnings', warnings),
    ...titled('Roles that cannot be given or removed', roleFaults),
    ...(roleFaultsProblem === undefined ? [] : titled('The roles were not checked', [roleFaultsProblem])),
    ...(changesSomething(plan) ? titled('What this allows', proofs) : []),
    ...(changesSomething(plan) && readsBefore !== readsAfter
      ? ['', `Reads per check of a member: ${readsBefore} now, ${readsAfter} then.`]
      : []),
    ...writeEffects(planned, room, members),
  ];
}

function summaryOf(planned: Planned): string {
  const { changes, problems, effects } = planned.plan;
  const moved = (effects?.changed ?? []).reduce((sum, { gains, loses }) => sum + gains + loses, 0);
  const made = changes.filter(({ kind }) => kind !== 'unlisted').length;
  const state = problems.length > 0 ? '**cannot be applied**' : `${made} changes, ${moved} roles gained or lost`;
  return `- ${code(titleOf(planned))}: ${state}`;
}

/** The lines of a plan as a diff, which code hosts color: `!` is something that changes. */
function asDiff(line: string): string {
  const text = line.startsWith('  ') ? line.slice(2) : line;
  return text.replace(/^~/, '!').replace(/^\?/, '#');
}

function writeEffects({ plan }: Planned, room: Room, showsMembers: boolean): string[] {
  const { effects, effectsProblem } = plan;
  if (effectsProblem !== undefined) return ['', `Members were not checked: ${code(effectsProblem)}`];
  if (effects === undefined) return [];
  const { checked, isWhole, changed, outOfSync, members } = effects;
  const moved = changed.filter(({ gains, loses, unknown }) => gains + loses + unknown > 0);
  const others = outOfSync.filter(({ gains, loses, unknown }) => gains + loses + unknown > 0);
  const names = new Map([...changed, ...outOfSync].map(({ roleId, roleName }) => [roleId, roleName ?? roleId]));
  const row = ({ roleId, roleName, gains, loses, unknown, isHeld }: (typeof changed)[number]) =>
    `| ${code(roleName ?? roleId)} | ${gains} | ${loses}${isHeld ? ', which need an admin’s approval' : ''} | ${unknown} |`;
  const table = (rows: typeof changed) => [
    '',
    '| Role | Gain it | Lose it | Could not be checked |',
    '|---|---|---|---|',
    ...rows.slice(0, room.lines).map(row),
    ...(rows.length > room.lines ? ['', `${rows.length - room.lines} more roles are in the log of the job.`] : []),
  ];
  const concerned = new Set([...moved, ...others].map(({ roleId }) => roleId));
  const listed = members.filter(({ roleId }) => concerned.has(roleId));
  return [
    '',
    `Members checked: ${checked}${isWhole ? '' : ', which are not all'}.`,
    ...(moved.length === 0 ? ['Nobody gains or loses a role by the changes.'] : table(moved)),
    ...(others.length === 0 ? [] : ['', 'Roles that members have or lack against the rules:', ...table(others)]),
    ...(showsMembers && listed.length > 0
      ? [
          '',
          `<details><summary>Members (${listed.length}${members.length === 1_000 ? ' or more' : ''})</summary>`,
          ...fence(
            'text',
            listed.map(
              ({ userId, userName, roleId, outcome }) =>
                `${userName ?? userId} (${userId}): ${outcome} ${names.get(roleId)}`,
            ),
            { ...room, lines: room.members },
          ),
          '',
          '</details>',
        ]
      : []),
  ];
}

/** A block of code that its content cannot end. */
function fence(language: string, lines: readonly string[], { lines: most }: Room): string[] {
  const shown = lines.slice(0, most).map(oneLine);
  const left = lines.length - shown.length;
  const longest = Math.max(2, ...shown.map(longestTicks));
  const mark = '`'.repeat(longest + 1);
  return [
    '',
    ...(shown.length === 0 ? [] : [`${mark}${language}`, ...shown, mark]),
    ...(left > 0 ? ['', `${left} more ${left === 1 ? 'line is' : 'lines are'} in the log of the job.`] : []),
  ];
}

const longestLine = 2_000;

function oneLine(text: string): string {
  const flat = text.replaceAll(/\p{Cc}+|[\u2028\u2029]+/gu, ' ');
  return flat.length > longestLine ? `${flat.slice(0, longestLine)} …` : flat;
}

/** Code within a sentence or a cell of a table. */
function code(text: string): string {
  const flat = oneLine(text).replaceAll('|', '\\|');
  const mark = '`'.repeat(longestTicks(flat) + 1);
  return mark.length > 1 || flat === '' ? `${mark} ${flat} ${mark}` : `${mark}${flat}${mark}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
