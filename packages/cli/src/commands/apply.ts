import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { RuleSetProgress } from '@latchkey/core/rule-files';
import type { RuleSetApi } from '../api.ts';
import { changesSomething, describeChange } from '../print-plan.ts';
import { UsageError } from '../problems.ts';
import { readSource } from '../source.ts';
import type { Terminal } from '../terminal.ts';
import { type Options, titleOf } from './open.ts';
import { makePlan, printPlan, refuseProblems, type SavedPlan } from './plan.ts';
import { refuseUnreviewed } from './review.ts';

/**
 * Applies a saved plan, or plans and applies. A plan that no longer fits is refused. What was applied before a failure stays, and
 * the next apply goes on from there.
 */
export async function runApply(
  terminal: Terminal,
  api: RuleSetApi,
  options: Options,
  planFile: string | undefined,
): Promise<number> {
  if (planFile !== undefined && options.community !== undefined)
    throw new UsageError('A saved plan is applied as a whole. Leave out --community, or make a plan with it.');
  const saved = planFile === undefined ? await makePlan(terminal, api, options) : await readPlan(terminal, planFile);
  if (planFile === undefined && !options.json) printPlan(terminal, saved, options);
  refuseProblems(saved);
  if (options.reviewed) await refuseUnreviewed(terminal, saved, options);
  const results: Applied[] = [];
  for (const community of saved.communities) results.push(await applyOne(terminal, api, community, options));
  if (options.json) terminal.print(JSON.stringify({ communities: results }, undefined, 2));
  return results.every(({ isDone }) => isDone) ? 0 : 1;
}

async function readPlan(terminal: Terminal, path: string): Promise<SavedPlan> {
  const text = await readFile(resolve(terminal.folder, path), 'utf8').catch(() => {
    throw new UsageError(`There is no file ${path}. “latchkey rules plan --out ${path}” writes one.`);
  });
  try {
    const saved = JSON.parse(text) as Partial<SavedPlan>;
    if (saved.format === 'latchkey-plan-2' && Array.isArray(saved.communities)) return saved as SavedPlan;
  } catch {
    // Not even JSON.
  }
  throw new UsageError(`${path} is not a plan of this version. Make a new one.`);
}

interface Applied {
  communityId: string;
  /** How many differences were written. */
  changes: number;
  /** Whether nothing is left to wait for, as far as it was asked to wait. */
  isDone: boolean;
  /** With --wait: role changes that were made, members to be checked again, and what needs an approval. */
  roleChanges?: number;
  postponed?: number;
  held?: { changeSetId: string; planned: number }[];
}

async function applyOne(
  terminal: Terminal,
  api: RuleSetApi,
  { communityId, communityName, wanted, plan }: SavedPlan['communities'][number],
  options: Options,
): Promise<Applied> {
  const say = (text: string) => options.json || terminal.print(text);
  const { brakes, checksMembers: _checksMembers, ...rest } = wanted;
  const result: Applied = { communityId, changes: 0, isDone: true };
  if (!changesSomething(plan)) {
    say(`${titleOf({ communityId, communityName })}: nothing to change.`);
    return result;
  }
  const { version, brakesVersion, changes } = plan;
  // Brakes first: they are there to hold what the rules do.
  if (brakes !== undefined && changes.some(({ part }) => part === 'brakes')) {
    const applied = await api.applyBrakes(communityId, { version: brakesVersion, brakes });
    result.changes += applied.changes.length;
    for (const change of applied.changes) for (const line of describeChange(change)) say(line);
  }
  let firstRuleChangeId: string | undefined;
  if (changes.some(({ part, kind }) => part !== 'brakes' && kind !== 'unlisted')) {
    const source = await readSource(terminal, options);
    const applied = await api.applyRuleSet(communityId, { ...rest, version, source });
    result.changes += applied.changes.length;
    firstRuleChangeId = applied.firstRuleChangeId;
  }
  say(
    `${titleOf({ communityId, communityName })}: applied ${result.changes} ${result.changes === 1 ? 'change' : 'changes'}.`,
  );
  if (!options.wait || result.changes === 0) return result;
  const progress = await waitForRoles(terminal, api, { communityId, firstRuleChangeId, minutes: options.waitMinutes });
  const held = progress.changeSets.filter(({ status }) => status === 'held');
  for (const { id, planned } of held) say(`  ${planned} role changes need an admin’s approval: change set ${id}.`);
  if (progress.postponed > 0)
    say(`  ${progress.postponed} members could not be checked yet. They keep their roles, and are checked again.`);
  const isDone = !workLeft(progress);
  say(`  ${isDone ? 'Done' : 'So far'}: ${sum(progress, 'written')} role changes.`);
  if (!isDone)
    terminal.printError(`Still waiting for ${describeLeft(progress)}. The work goes on without this command.`);
  return {
    ...result,
    isDone,
    roleChanges: sum(progress, 'written'),
    postponed: progress.postponed,
    held: held.map(({ id, planned }) => ({ changeSetId: id, planned })),
  };
}

const pauseMs = 2_000;
const minuteMs = 60_000;

/**
 * Waits until the members were checked and their roles written, except for changes that need an approval, or until the time is over.
 * Returns the last progress.
 */
async function waitForRoles(
  terminal: Terminal,
  api: RuleSetApi,
  {
    communityId,
    firstRuleChangeId,
    minutes,
  }: { communityId: string; firstRuleChangeId: string | undefined; minutes: number },
): Promise<RuleSetProgress> {
  for (let waited = 0; ; waited += pauseMs) {
    const progress = await api.getProgress(communityId, firstRuleChangeId);
    const isOver = !workLeft(progress) || waited >= minutes * minuteMs;
    terminal.showProgress(isOver ? '' : describeProgress(progress));
    if (isOver) return progress;
    await terminal.wait(pauseMs);
  }
}

function describeLeft({ isListing, waiting, changeSets }: RuleSetProgress): string {
  const open = changeSets.filter(({ status }) => status === 'approved' || status === 'applying').length;
  return [
    ...(isListing ? ['the list of members'] : []),
    ...(waiting > 0 ? [`${waiting} members to check`] : []),
    ...(open > 0 ? [`${open} change sets to write`] : []),
  ].join(', ');
}

function workLeft({ isListing, waiting, changeSets }: RuleSetProgress): boolean {
  return isListing || waiting > 0 || changeSets.some(({ status }) => status === 'approved' || status === 'applying');
}

const barLength = 24;

function describeProgress(progress: RuleSetProgress): string {
  const [planned, written] = [sum(progress, 'planned'), sum(progress, 'written')];
  const filled = planned === 0 ? 0 : Math.round((written / planned) * barLength);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(barLength - filled)}]`;
  const members = progress.isListing ? 'listing members' : `${progress.waiting} members to check`;
  return `${bar} ${written} of ${planned} role changes, ${members}`;
}

function sum({ changeSets }: RuleSetProgress, field: 'planned' | 'written'): number {
  return changeSets.reduce((total, changeSet) => total + changeSet[field], 0);
}
