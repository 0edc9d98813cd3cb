import type { Recipe } from './recipe.ts';

const folder = 'packages/server/src/metrics';

export const metric: Recipe = {
  title: 'add a metric',
  atMost: 4,
  checks: [`${folder}/metrics.test.ts`, `${folder}/deployed.test.ts`],
  apply: (tree) => {
    tree.insertAfter(
      'packages/kernel/src/observations.ts',
      '  signIn: observation<{ method: string }>(),\n',
      `  /** A person signed out. */
  signOut: observation<{ method: string }>(),
`,
    );
    tree.insertBefore(
      `${folder}/declared.ts`,
      '  latchkey_endpoint_reads_total: counter(',
      "  latchkey_sign_outs_total: counter('Sign-outs, by how the person had signed in.', 'method'),\n",
    );
    tree.insertBefore(
      `${folder}/create-metrics.ts`,
      '    observed.refusal.listen(',
      "    observed.signOut.listen(({ method }) => count('latchkey_sign_outs_total', { method })),\n",
    );
    tree.insertBefore(
      'docs/watching.md',
      '| `latchkey_endpoint_reads_total` |',
      '| `latchkey_sign_outs_total` | counter | `method` | Sign-outs, by how the person had signed in. |\n',
    );
  },
};
