import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { CadenceParser } from '@onflow/cadence-parser';
import { flowStandards, parseFlowAsset, writeBalancesScript, writeTokensScript } from './index.ts';

interface Parsed {
  program: { Declarations: { Type: string }[] | null };
  error?: { Errors: { Message: string }[] };
}

let parser: CadenceParser;
before(async () => {
  const program = import.meta.resolve('@onflow/cadence-parser').replace(/esm\/[^/]*$/, 'cadence-parser.wasm');
  parser = await CadenceParser.create(await readFile(new URL(program)));
});

const parse = (code: string): Parsed => parser.parse(code);
const complaintsOf = ({ error }: Parsed) => error?.Errors.map(({ Message }) => Message) ?? [];

const coin = parseFlowAsset('A.1654653399040a61.FlowToken.Balance.flowTokenBalance');
const cards = parseFlowAsset('A.0b2a3299cc857e29.TopShot.MomentCollectionPublic.MomentCollection');

test('every script is a program of Cadence 1.0: one import and one function, in which the parser finds no fault', () => {
  assert.ok(coin && cards);
  for (const standards of Object.values(flowStandards))
    for (const code of [writeBalancesScript(coin, standards), writeTokensScript(cards, standards)]) {
      const parsed = parse(code);
      assert.deepEqual(complaintsOf(parsed), []);
      assert.deepEqual(
        parsed.program.Declarations?.map(({ Type }) => Type),
        ['ImportDeclaration', 'FunctionDeclaration'],
      );
    }
});

test('the parser would notice a script that is broken or of an older Cadence', () => {
  assert.ok(coin);
  const script = writeBalancesScript(coin, { fungibleToken: 'f233dcee88fe0abe', nonFungibleToken: '1d7e57aa55817448' });
  for (const broken of [
    script.replace('return held', 'return'.concat(' ', '}')),
    script.replace('{Address: UFix64} {', '{Address: {'),
    script.replace('access(all) fun', 'pub fun'),
    script.replace('&{FungibleToken.Balance}', '&AnyResource{FungibleToken.Balance}'),
  ])
    assert.notDeepEqual(complaintsOf(parse(broken)), [], broken);
});
