import { AppError, apiVersion } from '@latchkey/kernel';
import { InvalidConfig, loadEnvironment, readConfig, wrongSettingsCode } from '../config.ts';
import { createLog, createLogBesideOutput } from '../log.ts';
import { processCount } from '../processes/count.ts';
import { startSmall } from '../run/start-up-memory.ts';
import { latchkeyVersion } from '../version.ts';
import { need, type TakesInput, UsageError } from './command.ts';
import { describeInput, type Input, parseInput, usageLine } from './input.ts';
import { findInvocation, invocations, shortWords } from './invocations.ts';
import { print, printError } from './print.ts';

const processes = {
  start: { api: true, worker: true, whole: true },
  server: { api: true, worker: false, whole: false },
  worker: { api: false, worker: true, whole: false },
} as const;

// Modules are loaded only by the commands that need them: loading is most of the run time of a short command.
const loadCommands = async () => (await import('./commands.ts')).commands;

type Taker = TakesInput & { usage: string; meaning: string };

async function findTaker(name: string): Promise<Taker> {
  const way = findInvocation(name);
  if (way !== undefined) return way;
  const commands = await loadCommands();
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new Error(`Unknown command: ${name.slice(0, 64)}. Try: npm run latchkey -- help`);
  return command;
}

async function help(name?: string): Promise<void> {
  if (name !== undefined) return print(describeInput(await findTaker(name)));
  print('Latchkey links wallets to chat communities and grants roles by what those wallets own.\n');
  const entries = [...invocations, ...Object.values(await loadCommands()), ...shortWords];
  // One below the other, since the longest usage and its meaning do not fit side by side in a terminal.
  for (const { usage, meaning } of entries) print(`  ${usage}\n      ${meaning}`);
}

/** Returns the exit code, if it is another than 0. */
async function follow([name = 'help', ...args]: string[]): Promise<number | void> {
  if (name === 'version' || name === '--version') return print(`Latchkey ${latchkeyVersion}, API ${apiVersion}`);
  if (name === '--help') return help();
  const taker = await findTaker(name);
  if (args.includes('--help')) return help(name);
  try {
    return await run(name, parseInput(name, taker, args));
  } catch (error) {
    if (error instanceof UsageError) error.message += `\n${usageLine(taker)}`;
    throw error;
  }
}

async function run(name: string, { words, options, flags }: Input): Promise<number | void> {
  if (name === 'help') return help(words[0]);
  if (name === 'size') {
    const { runSize } = await import('./size/run.ts');
    return runSize({
      communities: options.communities,
      members: options.members,
      changesPerMonth: options['changes-per-month'],
      chains: options.chains,
      blockSeconds: options['block-seconds'],
      servers: options.servers,
      workers: options.workers,
    });
  }
  if (name === 'demo') return (await import('../demo/index.ts')).runDemo();
  const config = readConfig(loadEnvironment());
  const logAt = (logLevel: typeof config.logLevel) => createLog({ logLevel, debugSettings: config.debugParts });
  const count = name === 'server' ? processCount(options.processes) : 1;
  if (count > 1) return (await import('../processes/run.ts')).runProcesses(config, logAt(config.logLevel), count);
  if (Object.hasOwn(processes, name)) {
    const log = logAt(config.logLevel);
    startSmall();
    return (await import('../run/run.ts')).run(config, log, processes[name as keyof typeof processes]);
  }
  if (name === 'signer') return (await import('../signer/run.ts')).runSigner(config, logAt(config.logLevel));
  const log = createLogBesideOutput({ logLevel: 'warn', debugSettings: config.debugParts });
  if (name === 'migrate')
    return (await import('./run-migrate.ts')).runMigrate(config, log, {
      isDry: flags.includes('dry-run'),
      contract: flags.includes('contract'),
    });
  if (name === 'backup' || name === 'restore') {
    const { runBackup, runRestore } = await import('./backup/run.ts');
    return name === 'backup'
      ? runBackup(config, log, { place: words[0], keep: options.keep })
      : runRestore(config, log, words[0], flags.includes('signer'));
  }
  if (name === 'drill') {
    const { runDrill } = await import('./backup/drill.ts');
    return runDrill(config, log, {
      place: words[0],
      database: options.database,
      maxAgeHours: options['max-age-hours'],
      isRecorded: flags.includes('record'),
    });
  }
  if (name === 'support-bundle') {
    const file = need(words[0], 'file. Usage: latchkey support-bundle <file>');
    const { runSupportBundle } = await import('./support-bundle/run.ts');
    return runSupportBundle(config, log, { file, logFile: options.log, environment: loadEnvironment() });
  }
  const command = (await loadCommands())[name];
  const { withOperator } = await import('./operator-context.ts');
  let code: number | void = 0;
  await withOperator(config, log, async (ctx, effective) => {
    code = await command?.run(ctx, words, options, effective, flags);
  });
  return code;
}

/** Runs the command in `argv`, and returns the exit code. An error is printed as one sentence. */
export async function followCommandLine(argv: string[]): Promise<number> {
  try {
    return (await follow(argv)) ?? 0;
  } catch (error) {
    const isSentence = error instanceof AppError || (error instanceof Error && !('code' in error));
    printError(
      isSentence
        ? (error as Error).message
        : `Latchkey stopped: ${error instanceof Error ? error.message : String(error)}`,
    );
    return error instanceof InvalidConfig ? wrongSettingsCode : 1;
  }
}
