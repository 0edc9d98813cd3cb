import { BadFiles, type RuleSetApi, UsageError as RulesUsageError, runRules } from '@latchkey/cli';
import {
  applyBrakes,
  applyRuleSet,
  type Context,
  getRuleSet,
  getRuleSetProgress,
  planRuleSet,
  searchCommunities,
  selectCommunity,
} from '@latchkey/core';
import { type Command, UsageError } from '../command.ts';
import { option } from '../input.ts';
import { print, printError } from '../print.ts';
import { runAudited } from '../run-audited.ts';

/** The commands of the published command line, on this server’s own database instead of its API. */
export const rules: Command = {
  usage:
    'rules pull [<community>…] | fmt [--check] | test | explain [<rule or test>] | plan [--members] [--out <file>] | apply [<plan>] [--wait] [--reason "…"] | drift | review [--members]',
  meaning:
    'keep the rules of communities in a file, latchkey.yaml: write it, check it, show what a change does, apply it, and find what was changed elsewhere',
  words: 100,
  options: {
    file: option.path('The file or folder. Defaults to latchkey.yaml.'),
    community: option.short('Only this community, as the file names it.', 256),
    var: option.long('Variables as NAME=value, separated by commas.'),
    out: option.path('Where plan saves the plan.'),
    'wait-minutes': option.short('How long apply --wait waits for each community. Defaults to 30.', 4),
    reason: option.reason,
  },
  flags: ['members', 'json', 'wait', 'check'],
  run: async (ctx, words, { reason, ...options }, _config, flags = []) => {
    const terminal = {
      folder: process.cwd(),
      // A server’s settings are no variables of a file.
      environment: {},
      print,
      printError,
      showProgress: () => {},
      wait: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
    };
    try {
      const given = { ...options, ...Object.fromEntries(flags.map((flag) => [flag, true])) };
      return await runRules(terminal, () => ownApi(ctx, reason), words, given);
    } catch (error) {
      if (error instanceof RulesUsageError) throw new UsageError(error.message);
      if (error instanceof BadFiles) throw new Error(error.message);
      throw error;
    }
  },
};

function ownApi(ctx: Context, reason: string | undefined): RuleSetApi {
  return {
    getRuleSet: async (community) => getRuleSet(ctx, { communityId: await findId(ctx, community) }),
    planRuleSet: (communityId, body) => planRuleSet(ctx, { communityId, body }),
    applyRuleSet: (communityId, body) =>
      runAudited(
        ctx,
        { action: 'rule-set.apply', target: communityId, communityId, reason, details: { unlisted: body.unlisted } },
        () => applyRuleSet(ctx, { communityId, body }),
      ),
    applyBrakes: (communityId, body) =>
      runAudited(ctx, { action: 'approval-policy.change', target: communityId, communityId, reason }, () =>
        applyBrakes(ctx, { communityId, body }),
      ),
    getProgress: (communityId, firstRuleChangeId) =>
      getRuleSetProgress(ctx, { communityId, ...(firstRuleChangeId !== undefined && { firstRuleChangeId }) }),
  };
}

/** A community by its id or its whole name. */
async function findId({ db }: Pick<Context, 'db'>, community: string): Promise<string> {
  const known = await selectCommunity(db.system, community);
  if (known !== undefined) return known.id;
  const named = (await searchCommunities(db.system, { search: community }, undefined, 1_000)).filter(
    ({ name }) => name === community,
  );
  const [first, ...others] = named;
  if (first === undefined) throw new RulesUsageError(`There is no community ${community}.`);
  if (others.length > 0) throw new RulesUsageError(`${named.length} communities are called “${community}”. Use an id.`);
  return first.id;
}
