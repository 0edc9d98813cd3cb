import type { RuleSetPlan } from '@latchkey/core/rule-files';
import type { RuleSetApi } from '../api.ts';
import { compileCommunity, type FindRole, platformRoles } from '../file/compile.ts';
import type { CommunityInFile } from '../file/read-communities.ts';
import { describeChange } from '../print-plan.ts';
import type { Terminal } from '../terminal.ts';
import { type Options, openCommunities, titleOf } from './open.ts';

interface Drift {
  communityId: string;
  communityName: string;
  /** Roles that the file names and the community does not have. */
  roles: string[];
  plan: RuleSetPlan;
}

/**
 * Names everything about a community that is not as its file says. Returns 2 if something is not, 1 if nothing was found but not
 * everything could be checked, and 0 otherwise.
 */
export async function runDrift(terminal: Terminal, api: RuleSetApi, options: Options): Promise<number> {
  const found: Drift[] = [];
  for (const community of await openCommunities(terminal, options)) found.push(await findDrift(api, community));
  if (options.json) terminal.print(JSON.stringify({ communities: found }, undefined, 2));
  else for (const drift of found) for (const line of describeDrift(drift)) terminal.print(line);
  if (found.some(hasDrifted)) return 2;
  return found.some(isUnchecked) ? 1 : 0;
}

async function findDrift(api: RuleSetApi, community: CommunityInFile): Promise<Drift> {
  const ruleSet = await api.getRuleSet(String(community.value.community));
  const roles: string[] = [];
  const find = platformRoles(ruleSet, community.value);
  // A role that is gone is what this command looks for, so it does not end here.
  const findOrNote: FindRole = (name) => {
    const role = find(name);
    if ('id' in role) return role;
    roles.push(role.problem);
    return { id: name };
  };
  const { wanted } = compileCommunity(community, findOrNote);
  const plan = await api.planRuleSet(ruleSet.communityId, wanted);
  const { communityId, communityName } = ruleSet;
  return { communityId, communityName, roles: [...new Set(roles)], plan };
}

function hasDrifted({ roles, plan }: Drift): boolean {
  return roles.length + plan.changes.length + plan.roleFaults.length + rolesOutOfSync(plan).length > 0;
}

/** Whether something could not be read, so that there may be differences that were not found. */
function isUnchecked({ plan }: Drift): boolean {
  const { roleFaultsProblem, effects, effectsProblem } = plan;
  const isPart = effects?.isWhole === false || rolesUnread(plan).length > 0;
  return isPart || roleFaultsProblem !== undefined || effectsProblem !== undefined;
}

function rolesOutOfSync({ effects }: RuleSetPlan) {
  return (effects?.outOfSync ?? []).filter(({ gains, loses }) => gains + loses > 0);
}

function rolesUnread({ effects }: RuleSetPlan) {
  return [...(effects?.changed ?? []), ...(effects?.outOfSync ?? [])].filter(({ unknown }) => unknown > 0);
}

function describeDrift({ roles, plan, ...community }: Drift): string[] {
  const lines = [
    ...roles.map((problem) => `  ! ${problem}`),
    ...plan.roleFaults.map((advice) => `  ! ${advice}`),
    ...plan.changes.flatMap((change) => describeDifference(change)),
    ...rolesOutOfSync(plan).map(
      ({ roleId, roleName, gains, loses }) =>
        `  ! ${roleName ?? roleId}: ${loses} members have it against the rules, ${gains} lack it.`,
    ),
    ...rolesUnread(plan).map(
      ({ roleId, roleName, unknown }) => `  ? ${roleName ?? roleId}: ${unknown} members could not be checked.`,
    ),
    ...(plan.effects?.isWhole === false ? [`  ? Only ${plan.effects.checked} members were checked.`] : []),
    ...(plan.roleFaultsProblem === undefined ? [] : [`  ? The roles were not checked: ${plan.roleFaultsProblem}`]),
    ...(plan.effectsProblem === undefined ? [] : [`  ? The roles of members were not checked: ${plan.effectsProblem}`]),
  ];
  return [titleOf(community), ...(lines.length === 0 ? ['  As in the file.'] : lines), ''];
}

/** The same differences as a plan’s, from the other side: what happened in the community. */
function describeDifference(change: RuleSetPlan['changes'][number]): string[] {
  const { kind } = change;
  const [first = '', ...rest] = describeChange(change);
  const what = first.trim().slice(2);
  if (kind === 'unlisted' || kind === 'delete')
    return [`  + ${what} is in the community, but not in the file`, ...rest];
  if (kind === 'create') return [`  - ${what} is in the file, but not in the community`];
  return [`  ~ ${what} differs from the file`, ...rest];
}
