import { parseArgs } from 'node:util';
import { AppError, apiVersion } from '@latchkey/kernel';
import { loadEnvironment, readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { processCount } from '../processes/count.ts';
import { startSmall } from '../run/start-up-memory.ts';
import { latchkeyVersion } from '../version.ts';
import { UsageError } from './command.ts';
import { checkInput, optionSchemas, seeHelp } from './input.ts';
import { findInvocation, invocations, shortWords } from './invocations.ts';
import { print, printError } from './print.ts';

const processes = {
  start: { api: true, worker: true, whole: true },
  server: { api: true, worker: false, whole: false },
  worker: { api: false, worker: true, whole: false },
} as const;

// Each way to run is loaded only when it is taken: most of the time a short command takes is the loading of modules.
const loadCommands = async () => (await import('./commands.ts')).commands;

async function help(): Promise<void> {
  print('Latchkey links wallets to chat communities and grants roles by what those wallets own.\n');
  const entries = [...invocations, ...Object.values(await loadCommands()), ...shortWords];
  // Below each other, since no terminal is as wide as the longest two side by side.
  for (const { usage, meaning } of entries) print(`  ${usage}\n      ${meaning}`);
}

/** The one option that is there or not. */
const dryRun = '--dry-run';

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv.filter((word) => word !== dryRun),
      allowPositionals: true,
      options: Object.fromEntries(Object.keys(optionSchemas).map((name) => [name, { type: 'string' as const }])),
    });
  } catch (error) {
    const [complaint] = String(error instanceof Error ? error.message : error).split('. ');
    throw new UsageError(`${complaint}. ${seeHelp}`);
  }
}

async function follow(argv: string[]): Promise<void> {
  if (argv[0] === 'version' || argv[0] === '--version') return print(`Latchkey ${latchkeyVersion}, API ${apiVersion}`);
  const { values, positionals } = parse(argv);
  const [name = 'help', ...args] = positionals;
  const isDry = argv.includes(dryRun);
  if (isDry && name !== 'migrate') throw new UsageError('Only migrate takes --dry-run.');
  const options = values as Record<string, string | undefined>;
  const way = findInvocation(name);
  if (way !== undefined) checkInput(name, way, { words: args, options });
  if (name === 'help') return help();
  if (name === 'demo') return (await import('../demo/index.ts')).runDemo();
  const config = readConfig(loadEnvironment());
  const count = name === 'server' ? processCount(options.processes) : 1;
  if (count > 1) {
    const log = createLog({ logLevel: config.logLevel, debugSettings: config.debugParts });
    return (await import('../processes/run.ts')).runProcesses(config, log, count);
  }
  if (Object.hasOwn(processes, name)) {
    const log = createLog({ logLevel: config.logLevel, debugSettings: config.debugParts });
    startSmall();
    return (await import('../run/run.ts')).run(config, log, processes[name as keyof typeof processes]);
  }
  if (name === 'signer') {
    const log = createLog({ logLevel: config.logLevel, debugSettings: config.debugParts });
    return (await import('../signer/run.ts')).runSigner(config, log);
  }
  if (name === 'migrate') {
    const log = createLog({ logLevel: 'warn', debugSettings: config.debugParts });
    return (await import('./run-migrate.ts')).runMigrate(config, log, { isDry });
  }
  if (name === 'backup' || name === 'restore') {
    const log = createLog({ logLevel: 'warn', debugSettings: config.debugParts });
    const { runBackup, runRestore } = await import('./backup/run.ts');
    return (name === 'backup' ? runBackup : runRestore)(config, log, args[0]);
  }
  const commands = await loadCommands();
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`There is no command ${name.slice(0, 64)}. ${seeHelp}`);
  checkInput(name, command, { words: args, options });
  // What a person asked for is the output; only trouble is worth a log line beside it.
  const log = createLog({ logLevel: 'warn', debugSettings: config.debugParts });
  const { withOperator } = await import('./operator-context.ts');
  await withOperator(config, log, (ctx, effective) => command.run(ctx, args, options, effective));
}

/** Does what the words after `latchkey` ask for, and answers the exit code. What went wrong is said in a sentence. */
export async function followCommandLine(argv: string[]): Promise<number> {
  try {
    await follow(argv);
    return 0;
  } catch (error) {
    const isSentence = error instanceof AppError || (error instanceof Error && !('code' in error));
    printError(
      isSentence
        ? (error as Error).message
        : `Latchkey stopped: ${error instanceof Error ? error.message : String(error)}`,
    );
    return 1;
  }
}
