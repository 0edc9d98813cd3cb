import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import remarkGfm from 'remark-gfm';
import remarkMdx from 'remark-mdx';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { pageFolders } from '../config/page-folders.ts';
import { type Page, readPage } from '../pages/read-page.ts';
import { attributeOf, elementName, type Node, replaceNodes } from '../remark/tree.ts';
import { readInfo, type SampleInfo } from './info.ts';

/** A code block of a page. */
export interface Sample extends SampleInfo {
  /** The page, relative to the portal's folder. */
  file: string;
  /** The line of the page on which its text begins. */
  line: number;
  text: string;
  /** The labels of the tabs around it, the outermost first. */
  tabs: readonly string[];
}

/** What is wrong with a sample, and on which line of which page. */
export interface Problem {
  file: string;
  line: number;
  text: string;
}

/** Every code block of every page, page by page, in the order of the page. */
export function readAllSamples(root: string): Sample[] {
  return pageFolders
    .flatMap((folder) => listPages(join(root, folder)))
    .flatMap((path) => samplesOf(readPage(path, root)));
}

function listPages(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.mdx?$/.test(name))
    .map((name) => join(folder, name))
    .sort();
}

const parser = unified().use(remarkParse).use(remarkMdx).use(remarkGfm);

export function samplesOf({ file, body, offset }: Pick<Page, 'file' | 'body' | 'offset'>): Sample[] {
  const samples: Sample[] = [];
  // Pages are MDX, where code is always fenced. Parsing is slow, so pages without code are skipped.
  if (!/```|~~~/.test(body)) return samples;
  const tree = asNode(parser.parse(body));
  const tabs = labelTabs(tree);
  replaceNodes(tree, (node) => {
    if (node.type !== 'code') return undefined;
    // The text begins below the fence.
    const line = offset + (node.position?.start.line ?? 0) + 1;
    const info = readInfo(node.lang ?? '', node.meta ?? '');
    samples.push({ ...info, file, line, text: node.value ?? '', tabs: tabs.get(node) ?? [] });
    return undefined;
  });
  return samples;
}

/** Returns the tab labels of everything inside tabs, the outermost first. */
function labelTabs(tree: Node): Map<Node, string[]> {
  const labels = new Map<Node, string[]>();
  replaceNodes(tree, (tab) => {
    if (elementName(tab) !== 'TabItem') return undefined;
    const label = attributeOf(tab, 'label') ?? '';
    replaceNodes(tab, (node) => {
      labels.set(node, [...(labels.get(node) ?? []), label]);
      return undefined;
    });
    return undefined;
  });
  return labels;
}

/** The parser's tree, as far as these plugins use it. */
function asNode(tree: object): Node {
  return tree as Node;
}

export function problemAt({ file, line }: Pick<Sample, 'file' | 'line'>, text: string, linesBelow = 0): Problem {
  return { file, line: line + linesBelow, text };
}

export function showProblems(problems: readonly Problem[]): string {
  return problems.map(({ file, line, text }) => `${file}:${line}: ${text}`).join('\n');
}
