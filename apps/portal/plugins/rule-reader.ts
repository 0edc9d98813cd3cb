import type { Plugin } from '@docusaurus/types';

/** Lets the code that the server reads rules and searches by run in a browser. */
export default function ruleReader(): Plugin {
  return {
    name: 'rule-reader',
    configureWebpack: () => ({
      module: { rules: [{ test: /[\\/]packages[\\/](?:core|kernel|server)[\\/]src[\\/]/, sideEffects: false }] },
    }),
  };
}
