import { readFile } from 'node:fs/promises';
import {
  applyRuleImport,
  type Context,
  type ImportSource,
  importSources,
  type RuleImport,
  startRuleImport,
} from '@latchkey/core';
import { type Command, need, UsageError } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

export const importRules: Command = {
  usage:
    'import <community> --from original|guild|vulcan|matrica|sheet (--file <path> | --url <address> --community <id there> --key-file <path>) | apply <community> <import> [--reason "…"]',
  meaning:
    'preview rules imported from another service, then turn them on; --key-file is a file with an API key for the server at --url',
  words: 3,
  options: {
    from: option.short('The service to import from.'),
    file: option.path('The path to a file.'),
    url: option.short('An address.', 2048),
    community: option.short('The id of a community on another server.', 256),
    'key-file': option.path('The path to a file that contains an API key.'),
    reason: option.reason,
  },
  run: async (ctx, [first, communityId, importId], options) => {
    if (first !== 'apply') return preview(ctx, need(first, 'community id'), options);
    const target = need(importId, 'import id');
    const community = need(communityId, 'community id');
    const applied = await runAudited(
      ctx,
      { action: 'rules.import', target, communityId: community, reason: options.reason },
      () => applyRuleImport(ctx, { communityId: community, importId: target }),
    );
    show(applied);
    return print(
      `\n${applied.imported === 1 ? '1 rule is' : `${applied.imported} rules are`} on. Members are re-checked shortly; large removals wait for approval.`,
    );
  },
};

async function preview(
  ctx: Context,
  communityId: string,
  options: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const source = sourceOf(need(options.from, '--from: the service to import from'));
  const found = await startRuleImport(ctx, { communityId, body: { source, ...(await whereFrom(options)) } });
  show(found);
  print('\nNo rules are on yet.');
  if (found.ready > 0)
    print(`To turn on the rules that are ready (${found.ready}): latchkey import apply ${communityId} ${found.id}`);
}

function sourceOf(given: string): ImportSource {
  const source = importSources.find((one) => one === given);
  if (source === undefined) throw new UsageError(`--from must be one of ${importSources.join(', ')}.`);
  return source;
}

async function whereFrom(options: Readonly<Record<string, string | undefined>>) {
  const { file, url, community } = options;
  if (url === undefined)
    return { content: await readText(need(file, '--file with an export, or --url with the address of the API')) };
  // A key on the command line would end up in the shell history and the process list.
  const apiKey = (await readText(need(options['key-file'], '--key-file: a file that contains the API key'))).trim();
  const communityId = need(community, '--community: the community id on the other server');
  return { original: { baseUrl: url, apiKey, communityId } };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new Error(`The file ${path} cannot be read.`);
  }
}

function show({ entries }: RuleImport): void {
  printTable([
    ['RULE', 'ROLE', 'STATE', 'WHY'],
    ...entries.map(({ name, roleId, roleName, state, problem, notes }) => [
      name,
      roleName ?? roleId ?? '',
      state,
      [problem, ...notes].filter((words) => words !== undefined).join(' '),
    ]),
  ]);
}
