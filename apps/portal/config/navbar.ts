import type { UserThemeConfig } from '@docusaurus/theme-common';

export const navbar: UserThemeConfig['navbar'] = {
  title: 'Latchkey',
  hideOnScroll: true,
  logo: { alt: '', src: 'img/mark.svg', width: 32, height: 32 },
  items: [
    { type: 'doc', docId: 'intro', label: 'Developers', position: 'left' },
    { type: 'doc', docsPluginId: 'help-docs', docId: 'intro', label: 'Members & Admins', position: 'left' },
    { type: 'doc', docsPluginId: 'operators', docId: 'intro', label: 'Operators', position: 'left' },
    { type: 'doc', docsPluginId: 'dao', docId: 'governance/gov-overview', label: 'DAO', position: 'left' },
    { to: '/blog', label: 'Blog', position: 'left' },
    { type: 'doc', docsPluginId: 'telefrens', docId: 'intro', label: 'Telefrens', position: 'left' },
    { type: 'search', position: 'right' },
  ],
};
