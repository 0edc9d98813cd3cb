import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

export interface FrontMatter {
  title?: string;
  description?: string;
  slug?: string;
  sidebar_position?: number;
  tags?: string[];
  date?: string | Date;
}

export interface Page {
  /** From the portal's folder. */
  file: string;
  frontMatter: FrontMatter;
  /** What follows the front matter. */
  body: string;
  /** How many lines the front matter takes. */
  offset: number;
}

export function readPage(path: string, root = new URL('..', import.meta.url).pathname): Page {
  const text = readFileSync(path, 'utf8');
  const [head = ''] = /^---\n[\s\S]*?\n---\n/.exec(text) ?? [];
  return {
    file: relative(root, path),
    frontMatter: readFrontMatter(head),
    body: text.slice(head.length),
    offset: head.split('\n').length - 1,
  };
}

/** The front matter of our pages is a list of `key: value`: texts, numbers and lists in brackets. */
function readFrontMatter(head: string): FrontMatter {
  const entries = [...head.matchAll(/^(\w+): *(.*)$/gm)].map(([, key = '', value = '']) => [
    key,
    readValue(value.trim()),
  ]);
  return Object.fromEntries(entries);
}

function readValue(text: string): unknown {
  if (/^\[.*\]$/.test(text))
    return text
      .slice(1, -1)
      .split(',')
      .map((part) => readValue(part.trim()));
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const [, quote, inside = ''] = /^(['"])(.*)\1$/.exec(text) ?? [];
  if (quote === undefined) return text;
  return quote === "'" ? inside.replaceAll("''", "'") : inside.replaceAll('\\"', '"');
}

/** The address of a page by its file, before any base path. */
export function routeOfFile(file: string, { slug }: FrontMatter): string | undefined {
  if (file.startsWith('blog/')) return slug === undefined ? undefined : `/blog/${slug}`;
  if (file.startsWith('src/pages/')) return `/${file.slice('src/pages/'.length).replace(/\.mdx?$/, '')}`;
  const versioned = /^versioned_docs\/version-([^/]+)\/(.*)$/.exec(file);
  const path = versioned === null ? file : `docs/${versioned[1]}/${versioned[2]}`;
  return `/${path.replace(/\.mdx?$/, '').replace(/(^|\/)index$/, '$1')}`;
}
