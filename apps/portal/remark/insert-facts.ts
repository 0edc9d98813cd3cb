import { readFileSync } from 'node:fs';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Fact, FactLists, FactTable } from '../facts/fact.ts';
import { attributeOf, elementName, type Node, replaceNodes } from './tree.ts';

type KnownFacts = Readonly<Record<string, Fact>>;

export function readFacts(): KnownFacts {
  return JSON.parse(readFileSync(new URL('../.generated/facts.json', import.meta.url), 'utf8'));
}

/** Puts tables and values in the place of `<Facts of="…" />` and `<Fact of="…" />`. An unknown fact fails the build. */
export default function insertFacts() {
  let facts: KnownFacts | undefined;
  return (tree: Node) => {
    replaceNodes(tree, (node) => {
      const name = elementName(node);
      if (name !== 'Facts' && name !== 'Fact') return undefined;
      facts ??= readFacts();
      return insertFact(facts, name, attributeOf(node, 'of') ?? '', node.type === 'mdxJsxFlowElement');
    });
  };
}

function insertFact(facts: KnownFacts, element: 'Facts' | 'Fact', of: string, isBlock: boolean): Node[] {
  const fact = facts[of];
  if (fact === undefined) throw new Error(`There is no fact "${of}". apps/portal/facts declares them.`);
  if (typeof fact === 'string') {
    if (element === 'Facts') throw new Error(`"${of}" is a value: write <Fact of="${of}" />.`);
    return isBlock ? [{ type: 'paragraph', children: inline(fact) }] : inline(fact);
  }
  if (element === 'Fact' || !isBlock)
    throw new Error(`"${of}" is a table or a list: write <Facts of="${of}" /> on its own line.`);
  return 'lists' in fact ? fact.lists.flatMap(listOf) : [tableOf(fact)];
}

function listOf({ title, items }: FactLists['lists'][number]): Node[] {
  const children = items.map(
    (item): Node => ({
      type: 'listItem',
      children: [{ type: 'paragraph', children: inline(item) }],
    }),
  );
  // Headings of the page itself have got their ids before.
  const id = title
    .toLowerCase()
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return [
    { type: 'heading', depth: 2, data: { id, hProperties: { id } }, children: inline(title) },
    { type: 'list', ordered: false, spread: false, children },
  ];
}

function tableOf({ columns, rows }: FactTable): Node {
  const row = (cells: readonly string[]): Node => ({
    type: 'tableRow',
    children: cells.map((cell) => ({ type: 'tableCell', children: inline(cell) })),
  });
  return { type: 'table', children: [row(columns), ...rows.map(row)] };
}

function inline(markdown: string): Node[] {
  const [paragraph] = (fromMarkdown(markdown) as Node).children ?? [];
  return paragraph?.children ?? [];
}
