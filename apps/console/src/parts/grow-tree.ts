export type Branch<Line> = Line & { key: string; parts: Branch<Line>[] };

/** Lines in the order of a tree, each deeper than the one it belongs to, as that tree. */
export function growTree<Line extends { depth: number }>(lines: readonly Line[]): Branch<Line>[] {
  const roots: Branch<Line>[] = [];
  const open: Branch<Line>[] = [];
  for (const [index, line] of lines.entries()) {
    const branch: Branch<Line> = { ...line, key: String(index), parts: [] };
    while (open.length > 0 && (open.at(-1)?.depth ?? 0) >= line.depth) open.pop();
    (open.at(-1)?.parts ?? roots).push(branch);
    open.push(branch);
  }
  return roots;
}
