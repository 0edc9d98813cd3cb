import type { Options as BlogOptions } from '@docusaurus/plugin-content-blog';
import type { Options as DocsOptions, PluginOptions } from '@docusaurus/plugin-content-docs';
import type { Options as SitemapOptions } from '@docusaurus/plugin-sitemap';
import type { UserThemeConfig } from '@docusaurus/theme-common';
import type { Config, PluginConfig } from '@docusaurus/types';
import apiReference from '../plugins/api-reference.ts';
import ruleReader from '../plugins/rule-reader.ts';
import searchIndex from '../plugins/search-index.ts';
import shell from '../plugins/shell.ts';
import foldUnconfigured from '../remark/fold-unconfigured.ts';
import highlightCode from '../remark/highlight-code.ts';
import insertFacts, { readFacts } from '../remark/insert-facts.ts';
import linkOperations from '../remark/link-operations.ts';
import sizePictures from '../remark/size-pictures.ts';
import translateSamples from '../remark/translate-samples.ts';
import { footer } from './footer.ts';
import { pageTemplate } from './page-template.ts';
import { governanceContracts, loadDao } from './read-dao.ts';
import { redirects } from './redirects.ts';
import { readSite } from './site.ts';
import { datePages } from './sitemap.ts';

type Generator = PluginOptions['sidebarItemsGenerator'];
type Items = Awaited<ReturnType<Generator>>;

const groupLabel = 'Third-party apps';

/** Groups pages about third-party apps under that heading, after those about built-in features. */
const groupSidebar: Generator = async ({ defaultSidebarItemsGenerator, ...given }) => {
  const thirdParty = new Set(
    given.docs.filter(({ frontMatter }) => Object(frontMatter).third_party === true).map(({ id }) => id),
  );
  return group(await defaultSidebarItemsGenerator(given), thirdParty);
};

function group(items: Items, thirdParty: ReadonlySet<string>): Items {
  const isOfOthers = (item: Items[number]) => item.type === 'doc' && thirdParty.has(item.id);
  const grouped = items.map((item) =>
    item.type === 'category' ? { ...item, items: group(item.items, thirdParty) } : item,
  );
  const ofOthers = grouped.filter(isOfOthers);
  if (ofOthers.length === 0) return grouped;
  return [
    ...grouped.filter((item) => !isOfOthers(item)),
    { type: 'category', label: groupLabel, items: ofOthers, collapsed: true, collapsible: true },
  ];
}

const navbar: UserThemeConfig['navbar'] = {
  title: 'Latchkey',
  hideOnScroll: true,
  logo: { alt: '', src: 'img/mark.svg', width: 32, height: 32 },
  items: [
    { type: 'doc', docId: 'intro', label: 'Developers', position: 'left' },
    { to: '/apis/', label: 'API', position: 'left' },
    { type: 'doc', docsPluginId: 'help-docs', docId: 'intro', label: 'Members & Admins', position: 'left' },
    { type: 'doc', docsPluginId: 'operators', docId: 'intro', label: 'Operators', position: 'left' },
    { type: 'doc', docsPluginId: 'dao', docId: 'governance/gov-overview', label: 'DAO', position: 'left' },
    { to: '/blog', label: 'Blog', position: 'left' },
    { type: 'doc', docsPluginId: 'telefrens', docId: 'intro', label: 'Telefrens', position: 'left' },
    { type: 'custom-ask', position: 'right' },
    { type: 'search', position: 'right' },
  ],
};

const { url, baseUrl, repository } = readSite();

const facts = readFacts();
/** The facts on the home page. */
const shownFacts = Object.fromEntries(
  ['api-version', 'operation-count', 'evm-chain-count', 'other-chains', 'rule-type-count'].map((name) => [
    name,
    facts[name],
  ]),
);

const remarkPlugins = [insertFacts, linkOperations, translateSamples, highlightCode, sizePictures, foldUnconfigured];
const editing = repository === undefined ? {} : { editUrl: `${repository}/edit/main/apps/portal/` };

function docs(id: string, path: string, more: Partial<DocsOptions> = {}): PluginConfig {
  const options: Partial<DocsOptions> = {
    id,
    path,
    routeBasePath: path,
    sidebarPath: './sidebars.ts',
    sidebarItemsGenerator: groupSidebar,
    remarkPlugins,
    ...editing,
    ...more,
  };
  return ['@docusaurus/plugin-content-docs', options];
}

const blogDescription = 'Releases, integration guides and security notes of Latchkey.';
const blog: Partial<BlogOptions> = {
  blogTitle: 'Blog',
  blogDescription,
  blogSidebarTitle: 'Recent posts',
  showReadingTime: true,
  onInlineTags: 'throw',
  // There is one author, who needs no page.
  onInlineAuthors: 'ignore',
  onUntruncatedBlogPosts: 'throw',
  feedOptions: {
    type: ['rss', 'atom', 'json'],
    title: 'Latchkey blog',
    description: blogDescription,
    copyright: 'Copyright © 2023 Latchkey',
  },
  remarkPlugins,
  ...editing,
};

const sitemap: Partial<SitemapOptions> = {
  lastmod: 'date',
  ignorePatterns: ['**/search', '**/404.html'],
  createSitemapItems: async ({ defaultCreateSitemapItems, ...given }) =>
    datePages(await defaultCreateSitemapItems(given), baseUrl),
};

const themeConfig: UserThemeConfig = {
  colorMode: { defaultMode: 'light', disableSwitch: false, respectPrefersColorScheme: false },
  docs: { versionPersistence: 'localStorage', sidebar: { hideable: false, autoCollapseCategories: false } },
  blog: { sidebar: { groupByYear: true } },
  tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
  announcementBar: {
    id: 'all-operations',
    content: `All ${facts['operation-count']} API operations are supported. <a href="${baseUrl}apis/">See the reference</a>.`,
    isCloseable: true,
  },
  navbar,
  footer,
  image: 'img/social-card.png',
  metadata: [
    { name: 'color-scheme', content: 'light dark' },
    { property: 'og:image:type', content: 'image/png' },
    { property: 'og:image:width', content: '1200' },
    { property: 'og:image:height', content: '630' },
    { property: 'og:image:alt', content: 'Latchkey documentation' },
  ],
};

export default {
  title: 'Latchkey documentation',
  tagline: 'Contribute mini-apps to the marketplace, and build with the API',
  favicon: 'img/mark.svg',
  url,
  baseUrl,
  titleDelimiter: '|',
  i18n: { defaultLocale: 'en', locales: ['en'] },
  onBrokenLinks: 'throw',
  onBrokenAnchors: 'throw',
  onDuplicateRoutes: 'warn',
  // Ours says the same without naming the tool, and complies with the content security policy.
  baseUrlIssueBanner: false,
  // Without the namespacing of storage keys, so that choices survive a move of the site.
  future: {
    v4: {
      removeLegacyPostBuildHeadAttribute: true,
      useCssCascadeLayers: true,
      fasterByDefault: true,
      mdx1CompatDisabledByDefault: true,
    },
    // Each worker thread would load the whole site.
    faster: { gitEagerVcs: false, ssgWorkerThreads: false },
  },
  markdown: { format: 'mdx', hooks: { onBrokenMarkdownLinks: 'warn', onBrokenMarkdownImages: 'throw' } },
  ssrTemplate: pageTemplate,
  customFields: { facts: shownFacts, governance: governanceContracts(loadDao()) },
  clientModules: ['./src/client/page-views.ts', './src/client/prefetch-when-idle.ts', './src/client/route-failure.ts'],
  plugins: [
    docs('default', 'docs', {
      lastVersion: 'current',
      versions: { current: { label: '0.78' }, '0.64': { label: '0.64', banner: 'none' } },
    }),
    docs('help-docs', 'help-docs'),
    docs('operators', 'operators'),
    docs('dao', 'dao'),
    docs('telefrens', 'telefrens'),
    ['@docusaurus/plugin-content-blog', blog],
    ['@docusaurus/plugin-content-pages', { remarkPlugins }],
    shell,
    apiReference,
    ruleReader,
    searchIndex,
    ['@docusaurus/plugin-sitemap', sitemap],
    ['@docusaurus/plugin-client-redirects', { redirects }],
  ],
  themes: [['@docusaurus/theme-classic', { customCss: ['./src/css/font.css', './src/css/site.css'] }]],
  themeConfig,
} satisfies Config;
