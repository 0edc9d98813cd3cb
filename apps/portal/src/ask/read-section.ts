/** What a section contains besides its text. */
export type Shown =
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'code'; language: string; code: string };

const mostShown = 2;
const mostRows = 12;

/** Returns the tables and code of one section of a Markdown page; without a heading, of its beginning. */
export function readSection(markdown: string, heading: string | undefined): Shown[] {
  const lines = linesOf(markdown, heading);
  const shown: Shown[] = [];
  for (let index = 0; index < lines.length && shown.length < mostShown; index += 1) {
    const line = lines[index] ?? '';
    const fence = /^\s*(`{3,})\s*([\w-]*)/.exec(line);
    if (fence !== null) {
      const end = lines.findIndex((other, place) => place > index && other.trim().startsWith(fence[1] ?? '```'));
      const last = end < 0 ? lines.length : end;
      shown.push({ kind: 'code', language: fence[2] ?? '', code: lines.slice(index + 1, last).join('\n') });
      index = last;
    } else if (
      isRow(line) &&
      /^\s*\|?[\s:|-]+\|?\s*$/.test(lines[index + 1] ?? '') &&
      (lines[index + 1] ?? '').includes('-')
    ) {
      const rest = lines.slice(index + 2);
      const count = rest.findIndex((other) => !isRow(other));
      const rows = rest.slice(0, count < 0 ? rest.length : count);
      shown.push({ kind: 'table', head: cellsOf(line), rows: rows.slice(0, mostRows).map(cellsOf) });
      index += 1 + rows.length;
    }
  }
  return shown;
}

/** Returns the lines below a heading, up to the next one. Code contains no headings. */
function linesOf(markdown: string, heading: string | undefined): string[] {
  let isInside = heading === undefined;
  let isCode = false;
  const found: string[] = [];
  for (const line of markdown.split('\n')) {
    if (line.trim().startsWith('```')) isCode = !isCode;
    const [, marks = '', title = ''] = isCode ? [] : (/^(#{1,6})\s+(.*?)\s*$/.exec(line) ?? []);
    if (marks.length > 1) {
      if (isInside) break;
      isInside = plain(title) === plain(heading ?? '');
    } else if (isInside && marks === '') found.push(line);
  }
  return found;
}

function isRow(line: string): boolean {
  return line.trim().startsWith('|');
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => plain(cell.replaceAll('\\|', '|')));
}

/** Removes the markup from one line of Markdown. */
function plain(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]|\\(?=[_<>[\]{}#])/g, '')
    .trim();
}
