import type { Recipe } from './recipe.ts';

const folder = 'packages/chains/src/stellar/holdings';
const door = '@latchkey/chains/stellar/holdings';

export const chain: Recipe = {
  title: 'add a chain',
  atMost: 6,
  folder,
  checks: [
    `${folder}/stellar-holdings.test.ts`,
    'packages/server/test/guards/rule-readers.test.ts',
    'packages/core/src/gating/rules/read-rule.test.ts',
    'apps/console/src/community/rule-builder/kinds.test.ts',
    'scripts/architecture.test.ts',
  ],
  apply: (tree) => {
    tree.create(
      `${folder}/index.ts`,
      `import { fieldsOf, listOf } from '@latchkey/adapter-kit';
import type { Answer, HoldingsReader, Question } from '@latchkey/core/ports';
import { createHttpReader, type HttpHoldingsOptions, type Session } from '../../http-holdings/index.ts';

/** Reads accounts of Stellar from Horizon: \`ft\` by \`<code>-<issuer>\`. */
export function createStellarHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const read = (questions: readonly Question[], session: Session) =>
    Promise.all(questions.map((question) => readBalance(question, session)));
  return createHttpReader({ service: 'Horizon', standards: ['ft'], hasHistory: false, read }, options);
}

async function readBalance({ account, reference }: Question, { ask }: Session): Promise<Answer> {
  const { status, body } = await ask(\`/accounts/\${encodeURIComponent(account)}\`, { answers: [404] });
  if (status === 404) return { kind: 'read', amount: '0' };
  const lines = listOf(fieldsOf(body, 'the account').balances, 'the balances').map((line) => fieldsOf(line, 'a balance'));
  const line = lines.find(({ asset_code, asset_issuer }) => \`\${asset_code}-\${asset_issuer}\` === reference);
  if (line === undefined) return { kind: 'read', amount: '0' };
  const { balance } = line;
  if (typeof balance !== 'string' || !/^\\d+\\.\\d{7}$/.test(balance))
    return { kind: 'unknown', reason: 'Horizon returned a malformed balance.' };
  return { kind: 'read', amount: balance };
}
`,
    );
    tree.create(
      `${folder}/stellar-holdings.test.ts`,
      `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStellarHoldings } from './index.ts';

test('balances are read, and a malformed one is unknown', async () => {
  const reader = (balance: unknown) =>
    createStellarHoldings({
      urls: { 'stellar:mainnet': 'https://horizon.test' },
      fetch: async () => Response.json({ balances: [{ asset_code: 'USD', asset_issuer: 'GA', balance }] }),
    });
  const question = { chain: 'stellar:mainnet', standard: 'ft', reference: 'USD-GA', account: 'GB', needs: 'amount' } as const;
  assert.deepEqual(await reader('12.5000000').read([question]), [{ kind: 'read', amount: '12.5000000' }]);
  const [answer] = await reader('1e9').read([question]);
  assert.equal(answer?.kind, 'unknown');
});
`,
    );
    tree.insertBefore(
      'packages/server/src/compose/chains.ts',
      "    'xrpl:': async () =>",
      `    'stellar:': async () => (await import('${door}')).createStellarHoldings(http('stellar:')),\n`,
    );
    tree.insertBefore('docs/chains.md', '| `xrpl:mainnet` |', '| `stellar:mainnet` | Horizon | assets of Stellar |\n');
    tree.insertBefore(
      'packages/core/src/gating/rules/kinds.ts',
      "  { name: 'XRPL_FT',",
      "  { name: 'STELLAR_FT', chain: 'stellar:mainnet', standard: 'ft', from: contract, caip: ['ft'] },\n",
    );
    tree.insertBefore(
      'apps/console/src/community/rule-builder/kinds.ts',
      "  other('XRPL_FT',",
      "  other('STELLAR_FT', ['contractAddress', ...amount]),\n",
    );
    tree.insertBefore(
      'apps/console/src/community/rule-builder/messages/en/kinds.ts',
      "  'kind.XRPL_FT':",
      "  'kind.STELLAR_FT': 'Asset on Stellar',\n",
    );
    tree.insertBefore(
      'docs/rules.md',
      '```json XRPL_FT\n',
      `\`\`\`json STELLAR_FT
{ "type": "STELLAR_FT", "contractAddress": "USDC-GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN", "minToken": "10" }
\`\`\`
`,
    );
  },
};
