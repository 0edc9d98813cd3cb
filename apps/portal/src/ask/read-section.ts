/** What a section contains: its sentences, and its tables and code as they are. */
export interface SectionContent {
  /** Paragraphs and list items, without markup. */
  prose: string[];
  shown: Shown[];
}

export type Shown =
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'code'; language: string; code: string };

const mostShown = 2;
const mostRows = 12;

/** Reads one section of a Markdown page; without a heading, its beginning. */
export function readSection(markdown: string, heading: string | undefined): SectionContent {
  const lines = linesOf(markdown, heading);
  const prose: string[] = [];
  const shown: Shown[] = [];
  let isInParagraph = false;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const fence = /^\s*(`{3,})\s*([\w-]*)/.exec(line);
    const isTable = isRow(line) && isDelimiter(lines[index + 1] ?? '');
    const text = line.trim();
    if (fence !== null) {
      const end = lines.findIndex((other, place) => place > index && other.trim().startsWith(fence[1] ?? '```'));
      const last = end < 0 ? lines.length : end;
      shown.push({ kind: 'code', language: fence[2] ?? '', code: lines.slice(index + 1, last).join('\n') });
      index = last;
    } else if (isTable) {
      const rest = lines.slice(index + 2);
      const count = rest.findIndex((other) => !isRow(other));
      const rows = rest.slice(0, count < 0 ? rest.length : count);
      shown.push({ kind: 'table', head: cellsOf(line), rows: rows.slice(0, mostRows).map(cellsOf) });
      index += 1 + rows.length;
    } else if (text !== '' && !isPicture(text)) {
      const isItem = /^(?:[-*+]|\d+\.)\s/.test(text);
      if (isInParagraph && !isItem) prose.push(`${prose.pop()} ${plain(text)}`);
      else prose.push(plain(text));
    }
    isInParagraph = fence === null && !isTable && text !== '' && !isPicture(text);
  }
  return { prose, shown: shown.slice(0, mostShown) };
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

function isDelimiter(line: string): boolean {
  return /^\s*\|?[\s:|-]+\|?\s*$/.test(line) && line.includes('-');
}

function isPicture(line: string): boolean {
  return /^!\[[^\]]*\]\([^)]*\)$/.test(line);
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => plain(cell.replaceAll('\\|', '|')));
}

/** Removes the markup from one line of Markdown. */
function plain(text: string): string {
  return text
    .replace(/^[-*+>]\s+/, '')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]|\\(?=[_<>[\]{}#])/g, '')
    .trim();
}
