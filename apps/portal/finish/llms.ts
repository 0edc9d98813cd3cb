import { markdownPath } from './emulator-path.ts';
import { absolute, type Page, type Site } from './page.ts';
import { inReadingOrder, isOfOlderVersion, sectionOf, sections } from './sections.ts';

/** A page and its Markdown. */
export interface PageWithMarkdown {
  page: Page;
  markdown: string;
}

/** The table of contents for language models: what the site is, and where each page is as Markdown. */
export function writeLlms(pages: readonly Page[], site: Site): string {
  const home = pages.find(({ route }) => route === '/');
  const main = pages.filter((page) => isMain(page));
  const rest = pages.filter((page) => page.route !== '/' && !isMain(page));
  const parts = sections.map(({ title, path }) => ({
    title,
    pages: inReadingOrder(main.filter(({ route }) => sectionOf(route)?.path === path)),
  }));
  return [
    '# Latchkey documentation',
    `> ${home?.description ?? ''}`,
    `Every page of this site is also there as Markdown: its address, without a slash at the end, with \`.md\` added. All guides in one file: ${absolute('/llms-full.txt', site)}. The API as an OpenAPI description: ${absolute('/apis/openapi.json', site)}.`,
    ...[...parts, { title: 'Optional', pages: rest }]
      .filter((part) => part.pages.length > 0)
      .map((part) => `## ${part.title}\n\n${part.pages.map((page) => entry(page, site)).join('\n')}`),
  ]
    .join('\n\n')
    .concat('\n');
}

/** All current guides as one text. */
export function writeLlmsFull(pages: readonly PageWithMarkdown[]): string {
  const markdown = new Map(pages.map(({ page, markdown }) => [page, markdown]));
  const guides = pages.map(({ page }) => page).filter(({ route }) => isMain({ route }));
  return sections
    .filter(({ isDocs }) => isDocs)
    .flatMap(({ path }) => inReadingOrder(guides.filter(({ route }) => sectionOf(route)?.path === path)))
    .map((page) => markdown.get(page))
    .join('\n---\n\n');
}

/** Lists of posts and older versions only repeat what other pages say. */
function isMain({ route }: Pick<Page, 'route'>): boolean {
  const isList = /^\/blog\/(?:tags|archive|authors|page)(?:\/|$)/.test(route);
  return sectionOf(route) !== undefined && !isOfOlderVersion(route) && !isList;
}

function entry({ title, description, route }: Page, site: Site): string {
  const link = `- [${title.replace(/[[\]\\]/g, '\\$&')}](${absolute(markdownPath(route), site)})`;
  return description === '' ? link : `${link}: ${description}`;
}
