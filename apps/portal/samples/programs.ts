import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { portalFolder } from '../config/folders.ts';
import { type Problem, problemAt, readAllSamples, type Sample } from './read-samples.ts';

/** A program of a page: its blocks of one language that continue each other, joined. */
interface Program {
  file: string;
  parts: string[];
  text: string;
}

export function readPrograms(languages: readonly string[]): { programs: Program[]; problems: Problem[] } {
  const samples = readAllSamples(portalFolder).filter(({ language }) => languages.includes(language));
  const { units, problems } = groupSamples(samples);
  const programs = units.map((unit) => {
    const parts = unit.samples.map(({ text }) => text);
    return { file: unit.samples[0]?.file ?? '', parts, text: parts.join('\n\n\n') };
  });
  return { programs, problems };
}

/** Returns the only program of a page with this text. */
export function programWith(programs: readonly Program[], file: string, words: string): Program {
  const [found, ...others] = programs.filter((program) => program.file === file && program.text.includes(words));
  if (found === undefined || others.length > 0) throw new Error(`Not one program of ${file} has ${words}.`);
  return found;
}

const root = join(import.meta.dirname, '../../..');
/** Inside the repository, so that imports resolve as they do for an application in it. */
const workshop = join(import.meta.dirname, '../.generated');

/** A file that is compiled, and the positions of its lines on pages. */
interface Unit {
  name: string;
  samples: Sample[];
}

/** Joins samples of a page that continue each other. */
export function groupSamples(samples: readonly Sample[]): { units: Unit[]; problems: Problem[] } {
  const units: Unit[] = [];
  const problems: Problem[] = [];
  for (const sample of samples) {
    const last = units.at(-1);
    if (!sample.continues) units.push({ name: '', samples: [sample] });
    else if (last?.samples[0]?.file === sample.file) last.samples.push(sample);
    else problems.push(problemAt(sample, 'continues a block, and none of its language is above it'));
  }
  for (const [index, unit] of units.entries())
    unit.name = `sample-${index}.${unit.samples.some(({ language }) => language === 'tsx') ? 'tsx' : 'ts'}`;
  return { units, problems };
}

/** Compiles all TypeScript samples at once, with the options of the whole project. */
export async function compileSamples(samples: readonly Sample[]): Promise<Problem[]> {
  const { units, problems } = groupSamples(samples);
  await mkdir(workshop, { recursive: true });
  const folder = await mkdtemp(join(workshop, 'samples-'));
  try {
    const tsconfig = {
      extends: relative(folder, join(root, 'tsconfig.json')),
      include: ['*.ts', '*.tsx'],
      exclude: [],
    };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    for (const { name, samples: parts } of units) {
      // Without an import or export it would share its names with all others.
      const text = [...parts.map((part) => part.text), 'export {};', ''].join('\n');
      await writeFile(join(folder, name), text);
    }
    return [...problems, ...readErrors(await runCompiler(folder), units)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runCompiler(folder: string): Promise<string> {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  // Several checkers would each check again what all samples import, which is nearly everything.
  const args = [compiler, '-p', '.', '--pretty', 'false', '--checkers', '1'];
  return new Promise((resolve, reject) => {
    // It is a Go program; this makes it collect garbage less often.
    execFile(process.execPath, args, { cwd: folder, env: { ...process.env, GOGC: '400' } }, (error, out, err) => {
      if (error !== null && out === '') reject(new Error(`The compiler did not run: ${err}`, { cause: error }));
      else resolve(out);
    });
  });
}

/** Maps the compiler's errors to the lines of the pages. Continuation lines of an error are indented. */
export function readErrors(output: string, units: readonly Unit[]): Problem[] {
  const problems: Problem[] = [];
  for (const text of output.split('\n')) {
    const [, name = '', line, message = text] = /^(\S+?)\((\d+),\d+\): error (.*)$/.exec(text) ?? [];
    const unit = units.find((candidate) => candidate.name === name);
    const last = problems.at(-1);
    if (unit !== undefined) problems.push(placeError(unit, Number(line), message));
    else if (text.startsWith(' ') && last !== undefined) last.text += `\n  ${text}`;
    else if (text !== '') problems.push({ file: 'the compiler', line: 0, text });
  }
  return problems;
}

function placeError({ samples }: Unit, line: number, message: string): Problem {
  let below = line - 1;
  for (const sample of samples) {
    const length = sample.text.split('\n').length;
    if (below < length) return problemAt(sample, message, below);
    below -= length;
  }
  throw new Error(`The compiler complained about line ${line}, which no page has.`);
}
