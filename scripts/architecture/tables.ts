import { posix } from 'node:path';
import { isTestFile, type SourceFile } from './sources.ts';

/** The tables that each file declares, by merging into `Tables` or in an interface that it extends. */
export function declaredTables(files: readonly SourceFile[]): { table: string; path: string }[] {
  return files
    .filter(({ path }) => isProduct(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\binterface \w*Tables\b[^{]*\{/g)].flatMap((match) =>
        namesIn(text.slice(match.index + match[0].length)).map((table) => ({ table, path })),
      ),
    );
}

/** The keys of an interface, given what follows its opening brace. */
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
 * Which files of the product read or write a table that a file of another feature declares. They should ask a function of
 * its owner, or put a fragment of SQL that it exports into their statement.
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

/** A feature of core or a folder of the server; the database package is one whole. */
function ownerOf(path: string): string {
  if (path.startsWith('packages/db/')) return 'packages/db';
  return /^packages\/core\/src\/[\w-]+\/[\w-]+(?=\/)/.exec(path)?.[0] ?? posix.dirname(path);
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}
