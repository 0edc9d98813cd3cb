import { AppError, type ErrorDetail, isAble } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { passColumns, refuseBadPass } from '../../communities/guest-passes/index.ts';
import type { Context } from '../../shared/context.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { refuse } from '../../shared/refuse.ts';
import { type ApprovalPolicyBody, refuseBadPolicy } from '../approval-policies/index.ts';
import { refuseBadRule } from '../community-rules/index.ts';
import { mostAssertions, type RuleAssertion, toRows } from '../rule-assertions/index.ts';
import type { PassPair, RuleSetDiff } from './diff.ts';

export interface RuleSetProblem {
  path: string;
  message: string;
}

const checksAtOnce = 8;

/**
 * Everything that prevents a rule set from being applied: bad roles, misspelled contracts, rules that can never be decided here.
 * Only what would be written is checked. Asks chains and the platform.
 */
export async function findProblemsOf(
  ctx: Context,
  community: CommunityRow,
  diff: RuleSetDiff,
  { assertions, brakes }: { assertions: readonly RuleAssertion[]; brakes?: ApprovalPolicyBody | undefined },
): Promise<RuleSetProblem[]> {
  const written = diff.rules.filter(({ existing, fields }) => existing === undefined || fields.length > 0);
  const ofRules = await inParallel(written, checksAtOnce, ({ index, wanted }) =>
    collect(`/rules/${index}/rule`, () => refuseBadRule(ctx, { id: community.id, body: wanted.body })),
  );
  const passes = diff.passes.filter(({ existing, fields }) => existing === undefined || fields.length > 0);
  const ofPasses = await inParallel(passes, checksAtOnce, (pass) =>
    collect(`/guestPasses/${pass.index}`, () => refusePass(ctx, community, pass)),
  );
  const ofAssertions = await collect('', async () => {
    if (assertions.length > mostAssertions)
      throw refuse('/assertions', `must be at most ${mostAssertions}, with those that stay though they are not listed`);
    toRows(assertions);
  });
  const ofBrakes = await collect('', async () => {
    if (brakes !== undefined) refuseBadPolicy(brakes, '/brakes');
  });
  return [...findWrongIds(diff), ...ofRules.flat(), ...ofPasses.flat(), ...ofAssertions, ...ofBrakes];
}

async function refusePass(ctx: Context, community: CommunityRow, { wanted }: PassPair): Promise<void> {
  if (!isAble(community.platform, 'guestPasses'))
    throw new AppError('VALIDATION_FAILED', 'Guest passes are only available for Discord servers.');
  const body = toPassRequest(wanted);
  passColumns(body);
  await refuseBadPass(ctx, { guildId: community.id, body });
}

export function toPassRequest({ name, description, roleIds, periodSeconds, status }: PassPair['wanted']) {
  return { name, description, roleSet: roleIds.map((id) => ({ id })), period: periodSeconds, status };
}

/** Two must not claim the same existing rule or pass, and none a rule that is not there: it would silently become another one. */
function findWrongIds({ rules, passes }: RuleSetDiff): RuleSetProblem[] {
  const ids = rules.map(({ id }) => id);
  const ofRules = rules.flatMap(({ id, index, isIdKnown }) => {
    if (id === undefined) return [];
    const path = `/rules/${index}/id`;
    const first = ids.indexOf(id);
    if (first < index) return [{ path, message: `Rules ${first + 1} and ${index + 1} have the same id.` }];
    if (isIdKnown) return [];
    return [{ path, message: `There is no rule with the id ${id}. Leave out the id to create the rule.` }];
  });
  const names = passes.map(({ wanted }) => wanted.name);
  const ofPasses = names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [{ path: `/guestPasses/${index}/name`, message: `Another guest pass is called “${name}” too.` }]
      : [],
  );
  return [...ofRules, ...ofPasses];
}

/** Runs a check; an error that it throws becomes problems below this path. */
async function collect(path: string, check: () => Promise<void>): Promise<RuleSetProblem[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details: readonly ErrorDetail[] = Array.isArray(error.details) ? error.details : [];
    if (details.length === 0) return [{ path, message: error.message }];
    return details.map((detail) => ({ path: `${path}${detail.path}`, message: capital(detail.message) }));
  }
}

function capital(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
