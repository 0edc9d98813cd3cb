import { posix } from 'node:path';
import { isTestFile, type SourceFile } from './sources.ts';

/** Returns the tables that each file declares, by merging into `Tables` or in an interface that it extends. */
export function declaredTables(files: readonly SourceFile[]): { table: string; path: string }[] {
  return files
    .filter(({ path }) => isProduct(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\binterface \w*Tables\b[^{]*\{/g)].flatMap((match) =>
        namesIn(text.slice(match.index + match[0].length)).map((table) => ({ table, path })),
      ),
    );
}

/** Returns the keys of an interface, given the text after its opening brace. */
function namesIn(body: string): string[] {
  let depth = 1;
  let flat = '';
  for (const letter of body) {
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (depth === 0) break;
    if (depth === 1) flat += letter;
  }
  return [...flat.matchAll(/^\s*(\w+):/gm)].map(([, name = '']) => name);
}

/**
 * Returns which files of the product read or write a table that another feature declares. They should call a function of its owner, or use
 * an SQL fragment that it exports.
 */
export function foreignAccesses(files: readonly SourceFile[]): { table: string; path: string }[] {
  const owners = new Map(declaredTables(files).map(({ table, path }) => [table, ownerOf(path)]));
  const names = [...owners.keys()].join('|');
  const called = new RegExp(
    `(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|using|\\w+Join)\\(\\s*\\[?'(${names})\\b`,
    'g',
  );
  const written = new RegExp(`\\b(?:from|join|into|only|table|truncate|update|using|,)\\s+(${names})\\b`, 'gi');
  const listed = new RegExp(`'(${names})'`, 'g');
  return files
    .filter(({ path }) => isProduct(path))
    .flatMap(({ path, text }) => {
      const code = withoutComments(text);
      const found = [
        ...code.matchAll(called),
        ...[...code.matchAll(/`[^`]*`|'\s*(?:select|delete|insert|update)\b[^']*'/gi)].flatMap(([sql]) => [
          ...sql.matchAll(written),
        ]),
        ...(/\b(sql\.table|deleteExpired)\(/.test(code) ? code.matchAll(listed) : []),
      ].map(([, table = '']) => table);
      return [...new Set(found)]
        .filter((table) => owners.get(table) !== ownerOf(path))
        .map((table) => ({ table, path }));
    });
}

function isProduct(path: string): boolean {
  return /^packages\/(core|db|server)\/src\//.test(path) && !isTestFile(path);
}

/** Returns a feature of core or a folder of the server; the database package counts as one. */
function ownerOf(path: string): string {
  if (path.startsWith('packages/db/')) return 'packages/db';
  return /^packages\/core\/src\/[\w-]+\/[\w-]+(?=\/)/.exec(path)?.[0] ?? posix.dirname(path);
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}
