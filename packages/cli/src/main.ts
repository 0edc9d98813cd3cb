#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { BadFiles, restApi, ruleCommands, ruleFlags, ruleOptions, runRules, UsageError } from './index.ts';
import { commandLine, exit, processTerminal as terminal } from './runtime.ts';

function help(): string {
  const commands = Object.values(ruleCommands).map(
    ({ usage, meaning }) => `  latchkey rules ${usage}\n      ${meaning}`,
  );
  const options = Object.entries(ruleOptions).map(([name, meaning]) => `  --${name} …\n      ${meaning}`);
  return [
    'Latchkey’s rules as code.\n',
    ...commands,
    '\nOptions:',
    ...options,
    '\nLATCHKEY_URL is the address of the server, and LATCHKEY_API_KEY the API key of a client application that an admin\ngranted rules:plan, or rules:apply, in the community.',
  ].join('\n');
}

function openApi() {
  const { LATCHKEY_URL: baseUrl, LATCHKEY_API_KEY: apiKey } = terminal.environment;
  if (baseUrl === undefined || baseUrl === '') throw new UsageError('Set LATCHKEY_URL to the address of your server.');
  if (apiKey === undefined || apiKey === '')
    throw new UsageError('Set LATCHKEY_API_KEY to the API key of a client application.');
  return restApi({ baseUrl, apiKey });
}

async function run(): Promise<number> {
  const valued = Object.keys(ruleOptions).map((name) => [name, { type: 'string' as const }]);
  const flags = [...ruleFlags, 'help'].map((name) => [name, { type: 'boolean' as const }]);
  const { positionals, values: parsed } = parseArgs({
    args: [...commandLine],
    options: Object.fromEntries([...valued, ...flags]),
    allowPositionals: true,
  });
  const values = parsed as Readonly<Record<string, string | boolean | undefined>>;
  const [area, ...words] = positionals;
  if (values.help === true || area === undefined || area === 'help') {
    terminal.print(help());
    return 0;
  }
  if (area !== 'rules') throw new UsageError(`Unknown command: ${area.slice(0, 64)}. Try: latchkey rules --help`);
  return runRules(terminal, openApi, words, values);
}

try {
  exit(await run());
} catch (error) {
  const isForPeople =
    error instanceof BadFiles ||
    error instanceof UsageError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  terminal.printError(isForPeople ? (error as Error).message : String((error as Error).stack ?? error));
  exit(1);
}
