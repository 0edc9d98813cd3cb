import { readFileSync } from 'node:fs';
import { type Facts, table } from './fact.ts';

const repositoryLink = /\[([^\]]*)\]\((?!https?:)[^)]*\)/g;

/** The entries of a changelog: version, kind and text. Links to files of the repository become their texts. */
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
  return entries.map(([of, how, change]) => [of, how, change.replaceAll(repositoryLink, '$1')]);
}

export default {
  changelog: () =>
    table(
      ['Version', 'Kind', 'What changed'],
      readChangelog(readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8')),
    ),
} satisfies Facts;
