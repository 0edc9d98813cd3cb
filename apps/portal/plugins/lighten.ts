import { createRequire } from 'node:module';
import type { Plugin } from '@docusaurus/types';

/** Spares browsers work that the client of Docusaurus would make them do before a page can be used. */
export default function lighten(): Plugin {
  const { resolve } = createRequire(import.meta.url);
  const through = (test: RegExp, loader: string) => ({ test, use: [{ loader: resolve(loader) }] });
  return {
    name: 'lighten',
    configureWebpack: (_, isServer) =>
      isServer
        ? {}
        : {
            resolve: {
              alias: {
                'path-to-regexp': resolve('../src/client/match-path.ts'),
                '@docusaurus/ComponentCreator': resolve('../src/client/lazy-route.tsx'),
              },
            },
            module: {
              rules: [
                through(/[\\/]\.docusaurus[\\/]registry\.js$/, './loaders/shrink-registry.ts'),
                through(/[\\/](docsClientUtils|reactUtils)\.js$/, './loaders/compare-plainly.ts'),
                through(/[\\/]theme-common[\\/]lib[\\/]utils[\\/]IntlUtils\.js$/, './loaders/plain-dates.ts'),
                through(
                  /[\\/]@docusaurus[\\/]core[\\/]lib[\\/]client[\\/]clientEntry\.js$/,
                  './loaders/start-client.ts',
                ),
                through(/[\\/]react-helmet-async[\\/]lib[\\/]index(\.module)?\.js$/, './loaders/settle-head.ts'),
              ],
            },
            // Parts that are compiled one at a time, and kept when another one changes.
            optimization: {
              splitChunks: {
                cacheGroups: {
                  react: part('react', /[\\/]node_modules[\\/](react|react-dom|scheduler)[\\/]/),
                  routes: part('routes', /[\\/]\.docusaurus[\\/](routes|registry|routesChunkNames|globalData)\./),
                },
              },
            },
          },
  };
}

function part(name: string, test: RegExp) {
  return { name, test, chunks: 'initial' as const, enforce: true, priority: 45 };
}
