import { readFileSync } from 'node:fs';
import { compile } from '@mdx-js/mdx';
import remarkGfm from 'remark-gfm';
import { tagPath } from '../reference/addresses.ts';
import insertFacts from '../remark/insert-facts.ts';
import linkOperations, { readOperationPaths } from '../remark/link-operations.ts';
import sizePictures from '../remark/size-pictures.ts';
import { elementName, type Node, replaceNodes } from '../remark/tree.ts';
import { readInfo, type SampleInfo } from '../samples/info.ts';
import { type Page, readPage, routeOfFile } from './read-page.ts';

interface Route {
  path: string;
  title: string;
  kind: string;
  sidebarPosition?: number;
  redirectFrom?: string[];
}

export const routes: readonly Route[] = JSON.parse(
  readFileSync(new URL('../config/routes.json', import.meta.url), 'utf8'),
);

const languages = ['bash', 'env', 'http', 'json', 'py', 'solidity', 'sql', 'text', 'ts', 'tsx', 'yaml'];
const components = [
  'Card',
  'Cards',
  'Fact',
  'Facts',
  'LiveContracts',
  'NeedsSetup',
  'Path',
  'Playground',
  'Recording',
  'RuleBuilder',
  'Screenshot',
  'Sequence',
  'TabItem',
  'Tabs',
];
const descriptionLength = { least: 50, most: 160 };

/** What is wrong with a page, as far as it can be seen without building the site. */
export async function checkPage(path: string): Promise<string[]> {
  const page = readPage(path);
  const problems = checkFrontMatter(page);
  const look = () => (tree: Node) => {
    problems.push(...checkTree(tree, page));
  };
  try {
    await compile(page.body, { remarkPlugins: [remarkGfm, look, insertFacts, linkOperations, sizePictures] });
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  return problems;
}

function checkFrontMatter({ file, frontMatter, body }: Page): string[] {
  const { title, description, sidebar_position: position } = frontMatter;
  const problems: string[] = [];
  const path = routeOfFile(file, frontMatter);
  const route = routes.find((candidate) => candidate.path === path);
  if (route === undefined && !file.startsWith('versioned_docs/')) problems.push(`${path} is not a route of the site`);
  if (route !== undefined && title !== route.title)
    problems.push(`its title is "${title}" instead of "${route.title}"`);
  if (route?.sidebarPosition !== undefined && position !== route.sidebarPosition)
    problems.push(`sidebar_position is ${position} instead of ${route.sidebarPosition}`);
  const { least, most } = descriptionLength;
  const length = description?.length ?? 0;
  if (length < least || length > most)
    problems.push(`its description has ${length} characters, not ${least} to ${most}`);
  const firstHeadings = body.replace(/^```[\s\S]*?^```/gm, '').match(/^# .*$/gm) ?? [];
  if (!file.startsWith('src/pages/') && firstHeadings.length > 0)
    problems.push('has a first-level heading: use the title instead');
  // Pages outside every section do not show their title by themselves.
  if (file.startsWith('src/pages/') && firstHeadings.join() !== `# ${title}`)
    problems.push('does not have its title as its only first-level heading');
  return problems;
}

function checkTree(tree: Node, { offset }: Page): string[] {
  const problems: string[] = [];
  const headings = new Set<string>();
  const known = new Set(routes.flatMap(({ path, redirectFrom = [] }) => [path, ...redirectFrom]));
  const operations = [...readOperationPaths().values()].map((path) => path.replace(/#.*/, ''));
  const tags = new Set([...operations, tagPath('webhooks')]);
  const say = (node: Node, problem: string) =>
    problems.push(`line ${(node.position?.start.line ?? 0) + offset}: ${problem}`);
  replaceNodes(tree, (node) => {
    const name = elementName(node);
    if (name !== undefined && /^[A-Z]/.test(name) && !components.includes(name))
      say(node, `<${name}> is not a component for pages`);
    if (node.type === 'heading') {
      const text = textOf(node);
      if (headings.has(text)) say(node, `the heading "${text}" is repeated`);
      headings.add(text);
    }
    const target = node.type === 'link' ? node.url : name === 'Card' ? cardTarget(node) : undefined;
    if (target?.startsWith('/')) {
      const path = target.replace(/#.*/, '');
      if (!known.has(path) && !tags.has(path)) say(node, `${path} is not a route of the site`);
    } else if (target !== undefined && !/^(https:\/\/|#|mailto:)/.test(target))
      say(node, `${target} is not an address to link to`);
    if (node.type === 'code')
      for (const problem of checkSample(node, readInfo(node.lang ?? '', node.meta ?? ''))) say(node, problem);
    return undefined;
  });
  return problems;
}

function checkSample(node: Node, { language, runs, schema }: SampleInfo): string[] {
  const problems: string[] = [];
  if (!languages.includes(language))
    problems.push(`"${language}" is not a language for samples (${languages.join(', ')})`);
  if (runs && language !== 'bash') problems.push('only bash samples run');
  if (schema !== undefined && !readOperationPaths().has(schema.replace(/ (body|answer)$/, '')))
    problems.push(`schema="${schema}" names no operation with "body" or "answer" behind it`);
  if (language === 'json')
    try {
      JSON.parse(node.value ?? '');
    } catch (error) {
      problems.push(`is not JSON: ${error instanceof Error ? error.message : error}`);
    }
  return problems;
}

function cardTarget(node: Node): string | undefined {
  const value = node.attributes?.find(({ name }) => name === 'to')?.value;
  return typeof value === 'string' ? value : undefined;
}

function textOf(node: Node): string {
  return node.value ?? (node.children ?? []).map(textOf).join('');
}
