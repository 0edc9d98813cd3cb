/**
 * One line of CSV (RFC 4180). Names are chosen by strangers: a cell that a spreadsheet would take for a formula is marked
 * as text, so that opening the file runs nothing.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: string): string {
  // A spreadsheet also takes full-width signs, and looks past spaces and control characters before them.
  const plain = /^[\s\p{C}]*[=+\-@＝＋－＠]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) || plain !== value ? `"${plain.replaceAll('"', '""')}"` : plain;
}
