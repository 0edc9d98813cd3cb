import { createRequire } from 'node:module';
import type { LoadContext, Plugin } from '@docusaurus/types';
import { announcementScript, brokenAssetsScript, plainAddressScript } from '../config/inline-scripts.ts';

/** What every page carries beside the theme, and what it does not carry. */
export default function shell({ siteConfig, baseUrl }: LoadContext): Plugin {
  const { resolve } = createRequire(import.meta.url);
  const { announcementBar } = siteConfig.themeConfig as { announcementBar?: { id: string } };
  return {
    name: 'shell',
    // Code is coloured when the site is built, so no highlighter is sent to readers.
    configureWebpack: () => ({
      resolve: {
        alias: {
          [resolve('@docusaurus/theme-classic/lib/prism-include-languages')]: resolve('../src/client/nothing.ts'),
        },
      },
    }),
    injectHtmlTags: () => ({
      headTags: [
        {
          tagName: 'script',
          innerHTML: `${plainAddressScript(baseUrl)}${announcementScript(announcementBar?.id ?? '')}${brokenAssetsScript(baseUrl)}`,
        },
      ],
    }),
  };
}
