/** Replaces the text from `start` to `end` with `text`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Applies all edits to a text at once. Positions refer to the original text; edits must not overlap. */
export function editText(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let position = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start < position) throw new Error(`Two edits overlap at character ${edit.start}.`);
    parts.push(text.slice(position, edit.start), edit.text);
    position = edit.end;
  }
  return parts.concat(text.slice(position)).join('');
}

export function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
