import { readFileSync } from 'node:fs';
import type { FactLists, Facts } from './fact.ts';

const repositoryLink = /\[([^\]]*)\]\((?!https?:)[^)]*\)/g;

/** At the end of an entry: readers of the site do not have these files. */
const lastFile = /(?::| \() ?\[docs\/[^\]]*\]\([^)]*\)\)?(?=\.$)/;

/** The entries of a changelog: version, kind and text. Links to files of the repository become their texts, or are left out at the end. */
export function readChangelog(text: string): [version: string, kind: string, change: string][] {
  const entries: [string, string, string][] = [];
  let version = '';
  let kind = '';
  for (const line of text.split('\n')) {
    const last = entries.at(-1);
    if (line.startsWith('## ')) version = line.slice(3);
    else if (version === '' || line === '') continue;
    else if (line.startsWith('- ')) entries.push([version, kind, line.slice(2)]);
    else if (line.startsWith('  ') && last !== undefined) last[2] += ` ${line.trim()}`;
    else kind = line;
  }
  return entries.map(([of, how, change]) => [of, how, change.replace(lastFile, '').replaceAll(repositoryLink, '$1')]);
}

/** Returns the entries of each version and kind below a heading, such as "0.2.0: fixed". */
export function listChangelog(text: string): FactLists {
  const entries = readChangelog(text);
  const byTitle = Map.groupBy(entries, ([version, kind]) => `${version}: ${kind.toLowerCase()}`);
  return { lists: [...byTitle].map(([title, ofTitle]) => ({ title, items: ofTitle.map(([, , change]) => change) })) };
}

export default {
  changelog: () => listChangelog(readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8')),
} satisfies Facts;
