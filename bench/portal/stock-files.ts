/** What the generator's own template sets, with as many documentations as the portal has. Links may lead nowhere. */
export function stockConfig(instances: readonly string[]): string {
  const [first = 'docs', ...others] = instances;
  const plugins = others.map((id) => ['@docusaurus/plugin-content-docs', { id, path: id, routeBasePath: id }]);
  const items = instances.map((id) => ({ to: `/${id}/${id === 'apis' ? '' : 'intro'}`, label: id, position: 'left' }));
  return `import { themes } from 'prism-react-renderer';
export default {
  title: 'My Site',
  tagline: 'Dinosaurs are cool',
  favicon: 'img/favicon.ico',
  future: { v4: true },
  url: 'http://localhost:3001',
  baseUrl: '/',
  onBrokenLinks: 'ignore',
  onBrokenAnchors: 'ignore',
  markdown: { format: 'md', hooks: { onBrokenMarkdownLinks: 'ignore', onBrokenMarkdownImages: 'ignore' } },
  i18n: { defaultLocale: 'en', locales: ['en'] },
  presets: [['classic', {
    docs: { path: ${JSON.stringify(first)}, routeBasePath: ${JSON.stringify(first)} },
    blog: { showReadingTime: true, feedOptions: { type: ['rss', 'atom'], xslt: true } },
    theme: { customCss: './src/css/custom.css' },
  }]],
  plugins: ${JSON.stringify(plugins)},
  themeConfig: {
    colorMode: { respectPrefersColorScheme: true },
    navbar: { title: 'My Site', items: ${JSON.stringify([...items, { to: '/blog', label: 'Blog', position: 'left' }])} },
    footer: { style: 'dark', links: [{ title: 'Docs', items: [{ label: 'Tutorial', to: '/docs/intro' }] }], copyright: 'Built with Docusaurus.' },
    prism: { theme: themes.github, darkTheme: themes.dracula },
  },
};
`;
}

/** The stock Redoc preset, on the description that the portal renders. */
export const redocConfig = `export default {
  title: 'My Site',
  future: { v4: true },
  url: 'http://localhost:3001',
  baseUrl: '/',
  onBrokenLinks: 'ignore',
  presets: [
    ['classic', { docs: false, blog: false, pages: false }],
    ['redocusaurus', { specs: [{ id: 'api', spec: 'openapi.json', route: '/apis/' }] }],
  ],
};
`;

export const siteStyles = `:root {
  --ifm-color-primary: #2e8555;
  --ifm-code-font-size: 95%;
}
`;
