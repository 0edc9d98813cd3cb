import type { RuleSetApi } from '../api.ts';
import { BadFiles, UsageError } from '../problems.ts';
import {
  type CodeHost,
  digestsOf,
  markerOf,
  openCodeHost,
  type Review,
  readDigests,
  writeComment,
} from '../review/index.ts';
import type { Terminal } from '../terminal.ts';
import { runFmt } from './fmt.ts';
import type { Options } from './open.ts';
import { exitCodeOf, makePlan, printPlan, type SavedPlan, savePlan } from './plan.ts';
import { runTest } from './test.ts';

/**
 * For the job of a pull request: runs fmt --check, test and plan, and writes the result into one comment, which later runs change.
 * Elsewhere it prints the comment. Returns 0 if the changes can be merged, and 1 otherwise.
 */
export async function runReview(terminal: Terminal, openApi: () => RuleSetApi, options: Options): Promise<number> {
  const host = openCodeHost(terminal.environment);
  const proposal = await host?.findProposal();
  // The comment contains what the commands print.
  const shown = host === undefined ? { ...terminal, print: () => {}, printError: () => {} } : terminal;
  const review = await makeReview(shown, openApi, options, proposal?.isFromFork === true ? host : undefined);
  const marker = markerOf(options.file, options.community);
  const { members } = options;
  const body = writeComment(review, marker, { members, mostLetters: host?.mostLetters ?? Number.POSITIVE_INFINITY });
  await host?.showSummary(body);
  if (host === undefined) terminal.print(body);
  else if (proposal === undefined) terminal.print(`This job is not one of a ${host.word}, so there is no comment.`);
  // The token of a fork’s job can only read.
  else if (!proposal.isFromFork) await putComment(host, proposal.number, marker, body);
  const isFine = review.checks.every(({ hasPassed }) => hasPassed);
  if (review.plan === undefined) return isFine && proposal?.isFromFork === true ? 0 : 1;
  return isFine && exitCodeOf(review.plan) !== 1 ? 0 : 1;
}

async function makeReview(
  terminal: Terminal,
  openApi: () => RuleSetApi,
  options: Options,
  fork: CodeHost | undefined,
): Promise<Review> {
  const checks = [
    await runCheck(terminal, 'latchkey rules fmt --check', (own) => runFmt(own, { ...options, check: true })),
    await runCheck(terminal, 'latchkey rules test', (own) => runTest(own, { ...options, json: false })),
  ];
  const arePassed = checks.every(({ hasPassed }) => hasPassed);
  if (fork !== undefined)
    return {
      checks,
      plan: undefined,
      problem: `This ${fork.word} comes from a fork, whose jobs get no API key.`,
      digests: [],
    };
  try {
    const plan = await makePlan(terminal, openApi(), options);
    await savePlan(terminal, plan, options);
    printPlan(terminal, plan, { ...options, json: false });
    const digests = arePassed && exitCodeOf(plan) !== 1 ? plan.communities.flatMap(digestsOf) : [];
    return { checks, plan, digests };
  } catch (error) {
    const problem = messageOf(error);
    terminal.printError(problem);
    return { checks, plan: undefined, problem, digests: [] };
  }
}

async function runCheck(
  terminal: Terminal,
  title: string,
  run: (terminal: Terminal) => Promise<number>,
): Promise<Review['checks'][number]> {
  const lines: string[] = [];
  const print = (text: string) => {
    lines.push(...text.split('\n'));
    terminal.print(text);
  };
  try {
    return { title, hasPassed: (await run({ ...terminal, print, printError: print })) === 0, lines };
  } catch (error) {
    print(messageOf(error));
    return { title, hasPassed: false, lines };
  }
}

/** What is wrong with the files or the server is a result of the review; anything else is an error of this program. */
function messageOf(error: unknown): string {
  if (error instanceof BadFiles || error instanceof UsageError) return error.message;
  throw error;
}

async function putComment(host: CodeHost, proposal: number, marker: string, body: string): Promise<void> {
  const existing = (await host.listOwnComments(proposal)).find((one) => one.body.startsWith(marker));
  if (existing === undefined) await host.addComment(proposal, body);
  else if (existing.body !== body) await host.changeComment(proposal, existing.id, body);
}

/** Throws unless the comment of the merged pull request showed exactly these changes, for the same versions. */
export async function refuseUnreviewed(terminal: Terminal, saved: SavedPlan, options: Options): Promise<void> {
  const needed = saved.communities.flatMap(digestsOf);
  if (needed.length === 0) return;
  const host = openCodeHost(terminal.environment);
  if (host === undefined) throw new UsageError('--reviewed works in jobs of GitHub Actions and GitLab CI.');
  const merged = await host.findMerged();
  if (merged.length === 0)
    throw new UsageError(
      `No merged ${host.word} led to this commit, so nobody reviewed these changes. They were not applied.`,
    );
  const marker = markerOf(options.file, options.community);
  const shown = new Set<string>();
  for (const proposal of merged)
    for (const { body } of await host.listOwnComments(proposal))
      if (body.startsWith(marker)) for (const one of readDigests(body)) shown.add(one);
  if (needed.every((one) => shown.has(one))) return;
  throw new UsageError(
    `This is not what was reviewed in ${host.word} ${merged.join(', ')}: the file or the community was changed since. It was not applied. Open another ${host.word}, whose review shows what would change now.`,
  );
}
