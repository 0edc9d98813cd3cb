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
import { onRecord } from '../on-record.ts';
import { print, printTable } from '../print.ts';

export const importRules: Command = {
  usage:
    'import <community> --from original|guild|vulcan|matrica|sheet (--file <path> | --url <address> --community <id there> --key-file <path>) | apply <community> <import> [--reason "…"]',
  meaning:
    'preview what rules of another service would be here, then switch them on; --key-file holds an API key of the server at --url',
  words: 3,
  options: {
    from: option.short('The service that rules come from.'),
    file: option.path('The path of a file.'),
    url: option.short('An address.', 2048),
    community: option.short('The id of a community at another server.', 256),
    'key-file': option.path('The path of a file with an API key.'),
    reason: option.reason,
  },
  run: async (ctx, [first, communityId, importId], options) => {
    if (first !== 'apply') return preview(ctx, need(first, 'the id of the community'), options);
    const target = need(importId, 'the id of the import');
    const community = need(communityId, 'the id of the community');
    const applied = await onRecord(
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
  const source = sourceOf(need(options.from, 'where the rules come from, with --from'));
  const found = await startRuleImport(ctx, { communityId, body: { source, ...(await whereFrom(options)) } });
  show(found);
  print('\nNo rule is on yet.');
  if (found.ready > 0)
    print(`To switch on what is ready (${found.ready}): latchkey import apply ${communityId} ${found.id}`);
}

function sourceOf(given: string): ImportSource {
  const source = importSources.find((one) => one === given);
  if (source === undefined) throw new UsageError(`Say one of ${importSources.join(', ')} with --from.`);
  return source;
}

async function whereFrom(options: Readonly<Record<string, string | undefined>>) {
  const { file, url, community } = options;
  if (url === undefined)
    return { content: await readText(need(file, 'the export with --file, or the address of the API with --url')) };
  // A key on the command line would stay in the history of the shell and in the list of processes.
  const apiKey = (await readText(need(options['key-file'], 'the file with the API key, with --key-file'))).trim();
  const communityId = need(community, 'the id of the community there, with --community');
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
