import type { Recipe } from './recipe.ts';

export const setting: Recipe = {
  title: 'add a setting',
  atMost: 3,
  checks: ['packages/server/src/config.test.ts'],
  apply: (tree) => {
    tree.insertBefore(
      'packages/server/src/config.ts',
      '  LATCHKEY_SERVICE_NAME: plainText(',
      "  LATCHKEY_SUPPORT_URL: url('Where people find help with this server.', web),\n",
    );
    tree.insertBefore(
      'packages/server/src/config.ts',
      '    serviceName: values.LATCHKEY_SERVICE_NAME',
      '    supportUrl: values.LATCHKEY_SUPPORT_URL,\n',
    );
    tree.insertBefore(
      'docs/configuration.md',
      '| `LATCHKEY_SERVICE_NAME` |',
      '| `LATCHKEY_SUPPORT_URL` | Where people find help with this server. | – |\n',
    );
    tree.insertBefore(
      '.env.example',
      '# The name of this server in emails and authenticator apps.',
      '# Where people find help with this server.\n#LATCHKEY_SUPPORT_URL=\n\n',
    );
  },
};
