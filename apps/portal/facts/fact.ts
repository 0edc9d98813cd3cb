/** A table that is made at build time. Cells are inline Markdown. */
export interface FactTable {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** What the software knows of itself: a table for `<Facts of="…" />`, or a text for `<Fact of="…" />`. */
export type Fact = FactTable | string;

/** By the name that pages use. A fact is read from the code's own declarations, never typed a second time. */
export type Facts = Readonly<Record<string, () => Fact>>;

/** A table of one row per entry. */
export function table(columns: readonly string[], rows: Iterable<readonly string[]>): FactTable {
  return { columns, rows: [...rows] };
}

export function code(text: string | number): string {
  return `\`${text}\``;
}
