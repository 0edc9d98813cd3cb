import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands, invocations, shortWords, variables } from '@latchkey/server/facts';
import { otherPrograms } from './check-programs.ts';
import { type Problem, problemAt, type Sample } from './read-samples.ts';
import { ShellError, splitShell, wordText } from './split-shell.ts';

const root = join(import.meta.dirname, '../../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
/** Scripts that npm runs without `run`. */
const named = ['start', 'test'];
/** The usage of each `latchkey` command, by the first word. */
const usages = new Map(
  [...invocations, ...shortWords, ...Object.values(commands)].map(({ usage }) => [usage.replace(/ .*/s, ''), usage]),
);
/** The settings that a mini-app from the template reads, besides those of the server. */
const templateSettings = new Set(
  [...readFileSync(join(root, 'scripts/miniapp-template/mini-app.ts'), 'utf8').matchAll(/process\.env\.(\w+)/g)].map(
    ([, name]) => name,
  ),
);

/** Checks that the commands of a sample exist and accept their arguments. */
export function checkCommands(sample: Sample): Problem[] {
  try {
    return splitShell(sample.text, { hasPlaceholders: true }).flatMap((line) => {
      if (!('words' in line)) return [];
      return problemsOf(line.words.map(wordText)).map((text) => problemAt(sample, text, line.line));
    });
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    return [problemAt(sample, error.message, error.line)];
  }
}

function problemsOf(words: readonly string[]): string[] {
  const assignments = words.slice(
    0,
    words.findIndex((word) => !/^[A-Z][A-Z0-9_]*=/.test(word)),
  );
  const command = words.slice(assignments.length);
  if (words.every((word) => /^[A-Z][A-Z0-9_]*=/.test(word))) return ['sets variables for no command'];
  return [...assignments.flatMap(settingProblems), ...commandProblems(command)];
}

export function settingProblems(assignment: string): string[] {
  const [name = '', ...rest] = assignment.split('=');
  if (templateSettings.has(name)) return [];
  if (!Object.hasOwn(variables, name)) return [`sets ${name}, which nothing reads`];
  const value = rest.join('=');
  if (isForReaders(value)) return [];
  try {
    variables[name as keyof typeof variables].read(value);
    return [];
  } catch (error) {
    return [`sets ${name} to what it does not take: it ${error instanceof Error ? error.message : error}`];
  }
}

/** Whether a value is for readers to fill in. The server refuses the master key of the examples for the same reason. */
function isForReaders(value: string): boolean {
  return /…|\$\w|:A{43}=/.test(value);
}

function commandProblems([program, ...words]: readonly string[]): string[] {
  if (program === 'git') {
    return words[0] === 'clone' && words.length >= 2 ? [] : ['uses git for something else than clone'];
  }
  const other = Object.hasOwn(otherPrograms, program ?? '') ? otherPrograms[program ?? ''] : undefined;
  if (other !== undefined) return other(words, latchkeyProblems);
  if (program !== 'npm') return [`runs ${program}, which samples that do not run do not show`];
  const [verb = '', ...rest] = words;
  if (verb === 'install') return rest.flatMap(tarballProblems);
  const script = verb === 'run' ? (rest.shift() ?? '') : verb;
  if (!Object.hasOwn(scripts, script) || (verb !== 'run' && !named.includes(verb)))
    return [`runs "npm ${words.join(' ')}", and package.json has no such script`];
  if (rest.length > 0 && rest.shift() !== '--') return [`needs -- before what npm hands on to ${script}`];
  return script === 'latchkey' ? latchkeyProblems(rest) : [];
}

/** Packages are installed from what `npm run pack` writes: nothing of ours is on npm. */
function tarballProblems(path: string): string[] {
  const name = /^\.\/(?:latchkey-)?([a-z-]+)-\d+\.\d+\.\d+\.tgz$/.exec(path)?.[1] ?? '';
  return existsSync(join(root, 'packages', name, 'README.md'))
    ? []
    : [`installs ${path}, which npm run pack does not make`];
}

function latchkeyProblems(words: readonly string[]): string[] {
  const [name = 'help'] = words;
  const usage = usages.get(name);
  if (usage === undefined) return [`names the command ${name}, which is not there`];
  return fitsUsage(usage, words.length === 0 ? [name] : words)
    ? []
    : [`"${words.join(' ')}" is not how it is used: ${usage}`];
}

/** A part of a usage: the allowed words, or undefined for a free word. */
interface Slot {
  choices: (string | undefined)[];
  isOptional: boolean;
}

const parts =
  /\[[^\]]*\]|--\S+(?: (?:<[^>]*>|"[^"]*"|[^\s|[<-]\S*))?|(?:<[^>]*>|[^\s|<[]+)(?:\|(?:<[^>]*>|[^\s|<[]+))*/g;

/**
 * Whether words match the usage of a command, for example `plans <community> | show|undo <plan> [--at <time>]`. The words begin with the
 * name of the command.
 */
export function fitsUsage(usage: string, words: readonly string[]): boolean {
  const [name = ''] = usage.split(' ');
  const [reply, ...rest] = words;
  const { positionals, options } = sortWords(rest);
  if (reply !== name || options.some((option) => !new RegExp(`${option}\\b`).test(usage))) return false;
  // Alternative options are between brackets; their names were checked above.
  const forms = usage
    .replace(/ \(--[^)]*\)/g, '')
    .split(' | ')
    .map((form) => {
      const slots = slotsOf(form);
      // Only the first form, and some others, begin with the name of the command.
      return slots[0]?.choices[0] === name ? slots.slice(1) : slots;
    });
  // A word that begins one form is not a free word in another.
  const begins = forms.filter(([first]) => first?.choices.includes(positionals[0]));
  return (begins.length > 0 ? begins : forms).some((slots) => fits(slots, positionals));
}

function sortWords(words: readonly string[]): { positionals: string[]; options: string[] } {
  const sorted: { positionals: string[]; options: string[] } = { positionals: [], options: [] };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('--')) sorted.positionals.push(word);
    else {
      sorted.options.push(word.replace(/=.*/s, ''));
      // Every option except one has a value.
      if (!word.includes('=') && word !== '--dry-run') index += 1;
    }
  }
  return sorted;
}

function slotsOf(form: string): Slot[] {
  return (form.match(parts) ?? []).flatMap((part) => {
    const isOptional = part.startsWith('[');
    const inside = isOptional ? part.slice(1, -1) : part;
    if (inside.startsWith('--')) return [];
    const choices = inside
      .split('|')
      .map((choice) => (/^[<"]|…/.test(choice) || inside === 'name' ? undefined : choice));
    return [{ choices, isOptional }];
  });
}

function fits([slot, ...others]: readonly Slot[], [word, ...rest]: readonly string[]): boolean {
  if (slot === undefined) return word === undefined;
  if (word !== undefined && slot.choices.some((choice) => choice === undefined || choice === word))
    return fits(others, rest);
  return slot.isOptional && fits(others, word === undefined ? [] : [word, ...rest]);
}
