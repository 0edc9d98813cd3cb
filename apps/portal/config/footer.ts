import type { UserThemeConfig } from '@docusaurus/theme-common';

export const footer: UserThemeConfig['footer'] = {
  style: 'light',
  links: [
    {
      title: 'Docs',
      items: [
        { label: 'Developers', to: '/docs/intro' },
        { label: 'Members and admins', to: '/help-docs/intro' },
        { label: 'Operators', to: '/operators/intro' },
        { label: 'API reference', to: '/apis/' },
        { label: 'Tutorials', to: '/docs/tutorials/' },
      ],
    },
    {
      title: 'Community',
      items: [
        { label: 'Governance', to: '/dao/governance/gov-overview' },
        { label: 'Marketplace', to: '/help-docs/marketplace/' },
        { label: 'Telefrens', to: '/telefrens/intro' },
      ],
    },
    {
      title: 'More',
      items: [
        { label: 'Blog', to: '/blog' },
        { label: 'Blog archive', to: '/blog/archive' },
        { label: 'Changelog', to: '/operators/changelog' },
        { label: 'Support ticket', to: '/help-docs/FAQ/contact-team' },
        { label: 'Report a scam', to: '/help-docs/FAQ/report-scams' },
      ],
    },
  ],
  copyright: 'Copyright © 2023 Latchkey. Apache License 2.0.',
};
