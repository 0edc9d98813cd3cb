import { portalFolder } from '../config/folders.ts';
import { groupSamples } from './compile-samples.ts';
import { type Problem, readAllSamples } from './read-samples.ts';

/** A program of a page: its blocks of one language that continue each other, one below the other. */
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

/** The one program of a page that has these words. */
export function programWith(programs: readonly Program[], file: string, words: string): Program {
  const [found, ...others] = programs.filter((program) => program.file === file && program.text.includes(words));
  if (found === undefined || others.length > 0) throw new Error(`Not one program of ${file} has ${words}.`);
  return found;
}
