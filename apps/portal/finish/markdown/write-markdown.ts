import type { Blockquote, Root, Text } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { toMarkdown } from 'mdast-util-to-markdown';
import type { Parent } from '../tree.ts';
import { blocksOf } from './blocks.ts';

export interface MarkdownSource {
  title: string;
  description: string;
  /** The URL of the page itself. */
  url: string;
  /** The content of the page. */
  content: Parent;
}

/** Converts a page to Markdown: its title, description and URL, and all of its content, with absolute links. */
export function writeMarkdown({ title, description, url, content }: MarkdownSource): string {
  const blocks = blocksOf(content, (address) => (URL.canParse(address, url) ? new URL(address, url).href : address));
  const ownTitle = blocks.findIndex((block) => block.type === 'heading' && block.depth === 1);
  const tree: Root = {
    type: 'root',
    children: [
      { type: 'heading', depth: 1, children: [text(title)] },
      ...(description === '' ? [] : [quote(text(description))]),
      { type: 'paragraph', children: [text('Page: '), { type: 'link', url, children: [text(url)] }] },
      ...blocks.filter((_, index) => index !== ownTitle),
    ],
  };
  return toMarkdown(tree, {
    bullet: '-',
    rule: '-',
    fences: true,
    listItemIndent: 'one',
    extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
  });
}

function text(value: string): Text {
  return { type: 'text', value };
}

function quote(line: Text): Blockquote {
  return { type: 'blockquote', children: [{ type: 'paragraph', children: [line] }] };
}
