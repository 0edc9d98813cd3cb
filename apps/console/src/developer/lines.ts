/** Splits text into lines, without empty ones. */
export function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function fromLines(lines: readonly string[] | undefined): string {
  return (lines ?? []).join('\n');
}
