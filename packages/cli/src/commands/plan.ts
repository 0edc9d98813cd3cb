import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { RuleSetPlan, WantedRuleSet } from '@latchkey/core/rule-files';
import type { RuleSetApi } from '../api.ts';
import { changesSomething, describePlan } from '../print-plan.ts';
import { BadFiles, showPlace } from '../problems.ts';
import type { Terminal } from '../terminal.ts';
import { type OpenCommunity, type Options, openCommunities, openOnServer, titleOf } from './open.ts';

/** A plan as --out saves it and apply reads it. */
export interface SavedPlan {
  format: 'latchkey-plan-2';
  communities: { communityId: string; communityName: string; wanted: WantedRuleSet; plan: RuleSetPlan }[];
}

/** Shows what apply would change. Returns 0 if nothing, 2 if something, and 1 if it cannot be applied. */
export async function runPlan(terminal: Terminal, api: RuleSetApi, options: Options): Promise<number> {
  const saved = await makePlan(terminal, api, options);
  await savePlan(terminal, saved, options);
  printPlan(terminal, saved, options);
  return exitCodeOf(saved);
}

/** Writes a plan into the file that --out names. */
export async function savePlan(terminal: Terminal, saved: SavedPlan, { out }: Pick<Options, 'out'>): Promise<void> {
  if (out !== undefined) await writeFile(resolve(terminal.folder, out), `${JSON.stringify(saved, undefined, 2)}\n`);
}

export function exitCodeOf({ communities }: SavedPlan): number {
  if (communities.some(({ plan }) => plan.problems.length > 0)) return 1;
  return communities.some(({ plan }) => changesSomething(plan)) ? 2 : 0;
}

export async function makePlan(terminal: Terminal, api: RuleSetApi, options: Options): Promise<SavedPlan> {
  const saved: SavedPlan = { format: 'latchkey-plan-2', communities: [] };
  for (const community of await openCommunities(terminal, options)) {
    const open = await openOnServer(api, community);
    saved.communities.push(await planOne(api, open));
  }
  return saved;
}

async function planOne(api: RuleSetApi, { ruleSet, wanted, placeOf }: OpenCommunity) {
  const plan = await api.planRuleSet(ruleSet.communityId, wanted);
  // What the server refuses is shown where it is written.
  const problems = plan.problems.map(({ path, message }) => ({
    path,
    message: `${showPlace(placeOf(path))}: ${message}`,
  }));
  const { communityId, communityName } = ruleSet;
  return { communityId, communityName, wanted, plan: { ...plan, problems } };
}

export function printPlan(terminal: Terminal, saved: SavedPlan, options: Pick<Options, 'json' | 'members'>): void {
  if (options.json) {
    terminal.print(JSON.stringify(saved, undefined, 2));
    return;
  }
  for (const { plan, ...community } of saved.communities) {
    terminal.print(`${titleOf(community)}`);
    for (const line of describePlan(plan, options)) terminal.print(line);
    terminal.print('');
  }
}

/** Throws if a plan cannot be applied. */
export function refuseProblems({ communities }: SavedPlan): void {
  const problems = communities.flatMap(({ plan }) => plan.problems);
  if (problems.length === 0) return;
  throw new BadFiles(
    problems.map(({ message }) => {
      const [, file = '', line = '1', column = '1', text = message] = /^(.*?):(\d+):(\d+): (.*)$/s.exec(message) ?? [];
      return { place: { file, line: Number(line), column: Number(column) }, message: text };
    }),
  );
}
