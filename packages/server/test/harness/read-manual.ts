import { readFileSync } from 'node:fs';

/** Returns the cells of every row that starts with a code span, in the table under a heading of a manual page. */
export function readTable(manual: string, heading: string): string[][] {
  const text = readFileSync(new URL(`../../../../docs/${manual}`, import.meta.url), 'utf8');
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
