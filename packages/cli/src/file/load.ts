import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Fields } from '@latchkey/core/rule-files';
import { isObject } from '@latchkey/kernel';
import { BadFiles, type FileProblem, UsageError } from '../problems.ts';
import { type CommunityInFile, readCommunities, repeatedCommunities } from './read-communities.ts';

export const fileName = 'latchkey.yaml';
const mostFiles = 200;
const mostBytes = 2_000_000;

/** The communities of the file or folder at a path. Throws BadFiles with every problem. */
export async function loadFiles(
  folder: string,
  path: string,
  given: Readonly<Record<string, string>>,
): Promise<CommunityInFile[]> {
  return (await loadAll(folder, path, given)).communities;
}

/**
 * Reads the file or folder at a path, with everything that it includes. Of a folder, latchkey.yaml and every file that ends with
 * .latchkey.yaml. Also returns the paths of all these files, some of which may describe no community.
 */
export async function loadAll(
  folder: string,
  path: string,
  given: Readonly<Record<string, string>>,
): Promise<{ communities: CommunityInFile[]; files: string[] }> {
  const problems: FileProblem[] = [];
  const queue: Opened[] = await Promise.all(
    (await filesAt(resolve(folder, path))).map(async (file) => {
      const root = await realpath(dirname(file));
      return { file, root, variables: {}, tokens: new Map() };
    }),
  );
  const seen = new Set<string>();
  const communities: CommunityInFile[] = [];
  for (const next of queue) {
    if (seen.has(next.file)) continue;
    seen.add(next.file);
    if (seen.size > mostFiles) throw new UsageError(`These are more than ${mostFiles} files.`);
    const loaded = await loadFile(folder, next, given, problems);
    communities.push(...loaded.communities);
    queue.push(...loaded.included);
  }
  problems.push(...repeatedCommunities(communities));
  if (problems.length > 0) throw new BadFiles(problems);
  return { communities, files: [...seen] };
}

async function filesAt(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    throw new UsageError(`There is no file ${path}. “latchkey rules pull <community>” writes one.`);
  if (found.isFile()) return [path];
  const names = (await readdir(path)).filter((name) => name === fileName || name.endsWith(`.${fileName}`)).toSorted();
  if (names.length === 0)
    throw new UsageError(`There is no ${fileName} in ${path}. “latchkey rules pull <community>” writes one.`);
  return names.map((name) => join(path, name));
}

interface Opened {
  file: string;
  /** The folder that contains everything that may be included. */
  root: string;
  variables: Readonly<Record<string, string>>;
  tokens: ReadonlyMap<string, Fields>;
}

async function loadFile(
  folder: string,
  { file, root, variables: inherited, tokens: inheritedTokens }: Opened,
  given: Readonly<Record<string, string>>,
  problems: FileProblem[],
): Promise<{ communities: CommunityInFile[]; included: Opened[] }> {
  const shown = relative(folder, file) || basename(file);
  const found = await stat(file);
  if (!found.isFile() || found.size > mostBytes) {
    const message = found.isFile() ? `A file can have at most ${mostBytes / 1_000_000} MB.` : 'This is not a file.';
    problems.push({ place: { file: shown, line: 1, column: 1 }, message });
    return { communities: [], included: [] };
  }
  const text = await readFile(file, 'utf8');
  const { communities, read, variables, tokens } = readCommunities(
    shown,
    text,
    { given, inherited, inheritedTokens },
    problems,
  );
  if (read === undefined || !isObject(read.value)) return { communities: [], included: [] };
  const included: Opened[] = [];
  for (const [index, pattern] of (Array.isArray(read.value.include) ? read.value.include : []).entries()) {
    const files = await matchFiles(dirname(file), String(pattern));
    if (files.length === 0)
      problems.push({ place: read.placeOf(`/include/${index}`), message: `There is no file ${String(pattern)}.` });
    const real = await Promise.all(files.map((one) => realpath(one)));
    if (!real.every((one) => isWithin(root, one)))
      problems.push({
        place: read.placeOf(`/include/${index}`),
        message: `${String(pattern)} is outside of ${root}. Files can include only what is in the folder of the first one.`,
      });
    else included.push(...files.map((one) => ({ file: one, root, variables, tokens })));
  }
  return { communities, included };
}

async function matchFiles(folder: string, pattern: string): Promise<string[]> {
  const path = resolve(folder, pattern);
  if (!basename(path).includes('*')) return (await stat(path).catch(() => undefined))?.isFile() ? [path] : [];
  const [before = '', ...after] = basename(path).split('*');
  const names = await readdir(dirname(path)).catch(() => []);
  const isMatch = (name: string) =>
    name.startsWith(before) && name.endsWith(after.at(-1) ?? '') && /\.ya?ml$/.test(name);
  return names
    .filter(isMatch)
    .toSorted()
    .map((name) => join(dirname(path), name));
}

function isWithin(folder: string, path: string): boolean {
  const steps = relative(folder, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}
