/** A table generated at build time. Cells are inline Markdown. */
export interface FactTable {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Lists generated at build time, each below a heading. Items are inline Markdown. */
export interface FactLists {
  lists: readonly { title: string; items: readonly string[] }[];
}

/** A fact about the software: a table or lists for `<Facts of="…" />`, or a text for `<Fact of="…" />`. */
export type Fact = FactTable | FactLists | string;

/** By the name that pages use. A fact is read from the code's own declarations, never duplicated. */
export type Facts = Readonly<Record<string, () => Fact>>;

/** Creates a table with one row per entry. */
export function table(columns: readonly string[], rows: Iterable<readonly string[]>): FactTable {
  return { columns, rows: [...rows] };
}

export function code(text: string | number): string {
  return `\`${text}\``;
}
