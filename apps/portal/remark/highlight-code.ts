import Prism from 'prismjs';
import { isReading } from '../reference/reading-posts.ts';
import { readInfo } from '../samples/info.ts';
import { type Node, replaceNodes } from './tree.ts';
import 'prismjs/components/prism-bash.js';
import 'prismjs/components/prism-http.js';
import 'prismjs/components/prism-json.js';
import 'prismjs/components/prism-typescript.js';
import 'prismjs/components/prism-jsx.js';
import 'prismjs/components/prism-tsx.js';
import 'prismjs/components/prism-python.js';
import 'prismjs/components/prism-solidity.js';
import 'prismjs/components/prism-sql.js';
import 'prismjs/components/prism-yaml.js';
import { describeRun } from '../samples/recorded-run.ts';
import { firstRequestOf } from '../samples/translate-curl.ts';
import { readOperationPaths } from './link-operations.ts';

const grammars: Readonly<Record<string, string>> = {
  env: 'bash',
  sh: 'bash',
  ts: 'typescript',
  py: 'python',
  text: 'none',
  js: 'javascript',
};

/** Colours code while the site is built, so that no highlighter is sent to the reader. Colours are classes. */
export default function highlightCode() {
  return (tree: Node) => {
    replaceNodes(tree, (node) => {
      if (node.type !== 'code') return undefined;
      const { language, title, runs } = readInfo(node.lang ?? '', node.meta ?? '');
      const run = runs && language === 'bash' ? runAddressOf(node.value ?? '') : undefined;
      const ran = runs ? describeRun(node.value ?? '') : undefined;
      const attributes = [
        { type: 'mdxJsxAttribute', name: 'language', value: language },
        { type: 'mdxJsxAttribute', name: 'html', value: highlight(node.value ?? '', language) },
        ...(title === undefined ? [] : [{ type: 'mdxJsxAttribute', name: 'title', value: title }]),
        ...(run === undefined ? [] : [{ type: 'mdxJsxAttribute', name: 'run', value: run }]),
        ...(ran === undefined ? [] : [{ type: 'mdxJsxAttribute', name: 'ran', value: ran }]),
      ];
      return [{ type: 'mdxJsxFlowElement', name: 'CodeSample', attributes, children: [] }];
    });
  };
}

export function highlight(code: string, language: string): string {
  const name = grammars[language] ?? language;
  const grammar = Prism.languages[name];
  return grammar === undefined ? escapeHtml(code) : Prism.highlight(code, grammar, name);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

let known: ReadonlyMap<string, string> | undefined;

/**
 * Where the reference runs the request that a sample begins with, with its console open. Only what reads is run from a guide,
 * and nothing is sent before the reader presses the button there.
 */
export function runAddressOf(sample: string): string | undefined {
  const request = firstRequestOf(sample);
  if (request === undefined) return undefined;
  known ??= readOperationPaths();
  const fitting = [...known.keys()]
    .filter((route) => fits(route, `${request.method} ${request.path}`))
    // A path that is written out goes before a pattern that it fits as well.
    .sort((one, other) => one.split('{').length - other.split('{').length);
  const [route] = fitting;
  if (route === undefined || !isReading(request.method, route.slice(route.indexOf(' ') + 1))) return undefined;
  const page = known.get(route) ?? '';
  return `${page}?try=${page.slice(page.lastIndexOf('/') + 1)}`;
}

function fits(pattern: string, request: string): boolean {
  const [wanted, given] = [pattern.split('/'), request.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part === given[index] || (part.startsWith('{') && given[index] !== ''))
  );
}
