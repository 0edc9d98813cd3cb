import type { RuleSetApi } from './api.ts';
import { runApply } from './commands/apply.ts';
import { runDrift } from './commands/drift.ts';
import { runExplain } from './commands/explain.ts';
import { runFmt } from './commands/fmt.ts';
import type { Options } from './commands/open.ts';
import { runPlan } from './commands/plan.ts';
import { runPull } from './commands/pull.ts';
import { runReview } from './commands/review.ts';
import { runTest } from './commands/test.ts';
import { UsageError } from './problems.ts';
import type { Terminal } from './terminal.ts';

export type { RuleSetApi } from './api.ts';
export { BadFiles, UsageError } from './problems.ts';
export { restApi } from './rest-api.ts';
export type { Terminal } from './terminal.ts';

/** What the commands do, in the order in which people need them. */
export const ruleCommands = {
  pull: { usage: 'pull [community…]', meaning: 'write communities as they are into the file; comments stay' },
  fmt: { usage: 'fmt [--check]', meaning: 'write the files in one style; comments stay' },
  test: { usage: 'test [--json]', meaning: 'run the tests in the files, without a server' },
  explain: {
    usage: 'explain [rule|test]',
    meaning: 'say in words what rules require, or why a test decides as it does',
  },
  plan: {
    usage: 'plan [--members] [--json] [--out plan.json]',
    meaning: 'show what apply would change; returns 0 for nothing, 2 for something, 1 if it cannot be applied',
  },
  apply: {
    usage: 'apply [plan.json] [--wait] [--reviewed] [--json]',
    meaning:
      'make the communities as the files say; with --reviewed, only if the merged pull request showed these changes',
  },
  drift: { usage: 'drift [--json]', meaning: 'name what is not as the files say; returns 2 if anything' },
  review: {
    usage: 'review [--members] [--out plan.json]',
    meaning: 'run fmt --check, test and plan, and comment the result on the pull request of this job',
  },
} as const;

type Verb = keyof typeof ruleCommands;

/** Options of the commands, and whether they have a value. */
export const ruleOptions = {
  file: 'The file or folder. Defaults to latchkey.yaml.',
  community: 'Only this community, as the file names it.',
  var: 'A variable as NAME=value. Separate several by commas. LATCHKEY_VAR_NAME in the environment does the same.',
  out: 'Where plan saves the plan.',
  'wait-minutes': 'How long apply --wait waits for each community. Defaults to 30; then it returns 1.',
} as const;
export const ruleFlags = ['members', 'json', 'wait', 'check', 'reviewed'] as const;

/**
 * Runs a command: `words` are the verb and what follows it. Returns the exit code. Throws UsageError or BadFiles, whose messages are
 * for people.
 */
export async function runRules(
  terminal: Terminal,
  openApi: () => RuleSetApi,
  words: readonly string[],
  given: Readonly<Record<string, string | boolean | undefined>>,
): Promise<number> {
  const [verb, ...rest] = words;
  if (verb === undefined || !Object.hasOwn(ruleCommands, verb))
    throw new UsageError(
      `${verb === undefined ? 'A command is missing.' : `Unknown command: ${verb.slice(0, 64)}.`}\nUse one of: ${Object.keys(ruleCommands).join(', ')}.`,
    );
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  const options: Options = {
    file: text('file') ?? 'latchkey.yaml',
    community: text('community'),
    variables: readVariables(text('var')),
    out: text('out'),
    json: given.json === true,
    members: given.members === true,
    wait: given.wait === true,
    waitMinutes: readMinutes(text('wait-minutes')),
    check: given.check === true,
    reviewed: given.reviewed === true,
  };
  const shown = terminal.environment.GITHUB_ACTIONS === 'true' ? withoutCommands(terminal) : terminal;
  return runVerb(verb as Verb, { terminal: shown, openApi, options, rest });
}

interface Run {
  terminal: Terminal;
  openApi: () => RuleSetApi;
  options: Options;
  rest: readonly string[];
}

async function runVerb(verb: Verb, { terminal, openApi, options, rest }: Run): Promise<number> {
  switch (verb) {
    case 'pull':
      return runPull(terminal, openApi(), options, rest);
    case 'fmt':
      return runFmt(terminal, options);
    case 'test':
      return runTest(terminal, options);
    case 'explain':
      return runExplain(terminal, options, rest);
    case 'plan':
      return runPlan(terminal, openApi(), options);
    case 'apply':
      return runApply(terminal, openApi(), options, rest[0]);
    case 'drift':
      return runDrift(terminal, openApi(), options);
    case 'review':
      return runReview(terminal, openApi, options);
  }
}

/** GitHub Actions takes lines that begin with two colons for commands, and a name of a rule could contain one. */
function withoutCommands(terminal: Terminal): Terminal {
  const plain = (text: string) => text.replaceAll(/^(\s*)(::|##\[)/gm, '$1\u200b$2');
  return {
    ...terminal,
    print: (text) => terminal.print(plain(text)),
    printError: (text) => terminal.printError(plain(text)),
  };
}

function readMinutes(text = '30'): number {
  if (!/^\d{1,4}$/.test(text)) throw new UsageError('--wait-minutes takes a number of minutes.');
  return Number(text);
}

function readVariables(text: string | undefined): Record<string, string> {
  if (text === undefined || text === '') return {};
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError('--var takes NAME=value, and several separated by commas.');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
