/** Reads CSV as RFC 4180 has it, with commas or semicolons. Undefined when a quote is never closed. */
export function parseCsv(text: string): string[][] | undefined {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const [firstLine = ''] = source.split(/\r?\n/, 1);
  const separator = firstLine.split(';').length > firstLine.split(',').length ? ';' : ',';
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (source.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator || character === '\n') {
      row.push(cell.endsWith('\r') && character === '\n' ? cell.slice(0, -1) : cell);
      cell = '';
      if (character === '\n') {
        rows.push(row);
        row = [];
      }
    } else cell += character;
  }
  if (isQuoted) return undefined;
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows.filter((cells) => cells.some((value) => value.trim() !== ''));
}
