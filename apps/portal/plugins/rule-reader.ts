import type { Plugin } from '@docusaurus/types';

/** Lets the code that the server reads rules by run in a browser, without what only a server needs. */
export default function ruleReader(): Plugin {
  return {
    name: 'rule-reader',
    configureWebpack: () => ({
      // Only queries that run wait for their turn, and none runs here.
      externals: { 'node:timers/promises': 'var { setImmediate: () => Promise.resolve() }' },
      module: { rules: [{ test: /[\\/]packages[\\/](?:core|kernel)[\\/]src[\\/]/, sideEffects: false }] },
    }),
  };
}
