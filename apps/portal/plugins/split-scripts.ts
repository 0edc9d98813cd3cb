import { createRequire } from 'node:module';
import type { Plugin } from '@docusaurus/types';

/** Cuts what every page loads into parts that a browser compiles one at a time, and keeps when another part changes. */
export default function splitScripts(): Plugin {
  const { resolve } = createRequire(import.meta.url);
  return {
    name: 'split-scripts',
    configureWebpack: (_, isServer) =>
      isServer
        ? {}
        : {
            resolve: { alias: { 'path-to-regexp': resolve('../src/client/match-path.ts') } },
            module: {
              rules: [
                { test: /[\\/]\.docusaurus[\\/]registry\.js$/, use: [{ loader: resolve('./shrink-registry.ts') }] },
              ],
            },
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
