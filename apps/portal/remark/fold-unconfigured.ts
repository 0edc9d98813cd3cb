import { readFileSync } from 'node:fs';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Node } from './tree.ts';

/** Pages about a DAO. The first of them says what applies without one. */
const aboutDao = /(?:^|[\\/])dao[\\/](?:governance|token)[\\/]/;

/** What the reader of such a page has to know first. */
const line =
  'This server has no DAO and no governance token. Its operator can set them up: [Configure these pages](/dao/intro#for-operators-configure-these-pages).';
const summary = 'How it works where there is one';

/** Folds pages about what the operator has not set up behind one line that says so. */
export default function foldUnconfigured({ isConfigured = readConfigured }: { isConfigured?: () => boolean } = {}) {
  return (tree: Node, { path = '' }: { path?: string } = {}) => {
    if (!aboutDao.test(path) || isConfigured()) return;
    const children = tree.children ?? [];
    // What is imported or exported must stay at the top.
    const code = children.filter(({ type }) => type === 'mdxjsEsm');
    const shown = children.filter(({ type }) => type !== 'mdxjsEsm');
    const words: Node = {
      type: 'mdxJsxFlowElement',
      name: 'summary',
      attributes: [],
      children: [{ type: 'text', value: summary }],
    };
    const folded: Node = { type: 'mdxJsxFlowElement', name: 'Details', attributes: [], children: [words, ...shown] };
    tree.children = [...code, ...((fromMarkdown(line) as Node).children ?? []), folded];
  };
}

function readConfigured(): boolean {
  const text = readFileSync(new URL('../config/dao.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { enabled: boolean }).enabled;
}
