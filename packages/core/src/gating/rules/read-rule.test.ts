import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { AppError } from '@latchkey/kernel';
import {
  assetLeavesOf,
  chainOfId,
  knownKindNames,
  leavesOf,
  questionsOf,
  readRule,
  readSavedRule,
  walletNamespaceOf,
} from './index.ts';

const token = `0x${'1'.repeat(40)}`;
const now = new Date('2026-01-15T12:00:00Z');

/** The samples in the documentation: the text after `json` on the fence line, and the content. */
function readSamples(): { name: string; definition: Record<string, unknown> }[] {
  const page = readFileSync(new URL('../../../../../docs/rules.md', import.meta.url), 'utf8');
  return [...page.matchAll(/```json (\S+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => ({
    name,
    definition: JSON.parse(text),
  }));
}

function faultsOf(definition: unknown): string[] {
  try {
    readRule(definition);
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'VALIDATION_FAILED');
    assert.ok(Array.isArray(error.details));
    return error.details.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
  }
  return [];
}

describe('reading rules', () => {
  test('every rule kind has a parsable sample in the documentation', () => {
    const samples = readSamples();
    const seen = new Set<string>();
    for (const { name, definition } of samples) {
      const rule = readRule(definition);
      const [leaf] = leavesOf(rule.condition);
      assert.ok(leaf, name);
      assert.ok(name === 'logic' || leaf.label === name, `${name} was read as ${leaf.label}`);
      seen.add(name);
    }
    assert.deepEqual(
      knownKindNames().filter((name) => !seen.has(name)),
      [],
    );
  });

  test('every sample about holdings requires something of a wallet on its chain', () => {
    for (const { name, definition } of readSamples()) {
      const rule = readRule(definition);
      const chains = new Set(assetLeavesOf(rule).map(({ asset }) => asset.chain));
      const wallets = [...chains].map((chain) => ({ namespace: walletNamespaceOf(chain), address: 'alice' }));
      const questions = questionsOf(rule, wallets, { now });
      assert.deepEqual(new Set(questions.map(({ chain }) => chain)), chains, name);
    }
  });

  test('types and schemes are case-insensitive', () => {
    const names = ['erc20', 'Erc20', ' ERC20 '];
    for (const type of names) {
      assert.equal(leavesOf(readRule({ type, chainId: 1, contractAddress: token }).condition)[0]?.label, 'ERC20');
    }
  });

  test('an asset has one canonical form, however it is written', () => {
    const written = [
      { type: 'ERC20', chainId: 1, contractAddress: `0x${'aB'.repeat(20)}` },
      { type: 'ERC20', chainId: '1', contractAddress: `0x${'Ab'.repeat(20)}` },
      { asset: `evm:mainnet/ERC20:0x${'ab'.repeat(20)}` },
      { asset: `eip155:1/erc20:0x${'AB'.repeat(20)}?rpcUrl=https://node.example` },
    ];
    const [first, ...others] = written.map((definition) => assetLeavesOf(readRule(definition))[0]?.asset);
    for (const other of others) assert.deepEqual(other, first);
  });

  test('ids of non-EVM chains name their chains', () => {
    assert.equal(chainOfId(8000000000101), 'solana:mainnet-beta');
    assert.equal(chainOfId('8000000000001'), 'flow:mainnet');
    assert.equal(chainOfId(0), 'nifty:mainnet');
    assert.equal(chainOfId(137), 'evm:137');
    assert.equal(chainOfId(8000000000999), undefined);
    assert.equal(chainOfId(-1), undefined);
  });

  test('a rule without amounts requires one token, and without a role grants 001', () => {
    const rule = readRule({ type: 'ERC721', chainId: 1, contractAddress: token });
    assert.equal(rule.roleId, '001');
    const [leaf] = leavesOf(rule.condition);
    assert.ok(leaf?.kind === 'holding');
    assert.deepEqual(leaf.min, { units: 1n, scale: 0 });
    assert.equal(leaf.max, undefined);
  });

  test('each error names its location', () => {
    const erc20 = { type: 'ERC20', chainId: 1, contractAddress: token };
    const cases: [unknown, string[]][] = [
      ['text', [' type']],
      [{}, ['/type enum']],
      [{ type: 'ERC9000' }, ['/type enum']],
      [{ ...erc20, chainId: undefined }, ['/chainId required']],
      [{ ...erc20, chainId: 8000000000101 }, ['/chainId chainId']],
      [{ ...erc20, contractAddress: '0x12' }, ['/contractAddress address']],
      [{ ...erc20, contractAddress: undefined }, ['/contractAddress required']],
      [{ ...erc20, minToken: '5', maxToken: '4.9' }, ['/maxToken range']],
      [{ ...erc20, minToken: '1e18' }, ['/minToken decimal']],
      [{ ...erc20, minToken: '-1' }, ['/minToken range']],
      [{ ...erc20, minToken: 'lots', maxToken: 'x' }, ['/minToken decimal', '/maxToken decimal']],
      [{ ...erc20, type: 'ERC1155' }, ['/tokenId required']],
      [{ ...erc20, type: 'ERC1155', tokenId: '1-20000' }, ['/tokenId range']],
      [{ ...erc20, type: 'ERC1155', tokenId: String(2n ** 256n) }, ['/tokenId range']],
      [{ ...erc20, type: 'ERC1155', tokenId: `1 ${'9'.repeat(90)}` }, ['/tokenId range']],
      [{ ...erc20, type: 'ERC721', tokenId: `5-${2n ** 256n}` }, ['/tokenId range']],
      [{ ...erc20, type: 'ERC721', tokenId: '7, 9-8' }, ['/tokenId tokenId']],
      [{ ...erc20, version: '3.0.0' }, ['/version enum']],
      [{ ...erc20, roleId: 7 }, ['/roleId type']],
      [{ ...erc20, variables: 'x' }, ['/variables type']],
      [{ ...erc20, query: '$count(' }, ['/query query']],
      [{ ...erc20, query: '$match("a", /(a+)+b/)' }, ['/query query']],
      [{ ...erc20, query: `"${'a'.repeat(5000)}"` }, ['/query query']],
      [{ ...erc20, query: `$toMillis("1", "${'[f]'.repeat(25)}") > 0` }, ['/query query']],
      [{ ...erc20, variables: { _heldForSeconds: 0 } }, ['/variables/_heldForSeconds range']],
      [{ ...erc20, variables: { _atBlock: 'latest' } }, ['/variables/_atBlock pattern']],
      [{ ...erc20, variables: { _atBlock: 1, _heldForSeconds: 60 } }, ['/variables/_atBlock conflict']],
      [{ ...erc20, variables: { _sumWallets: 'yes' } }, ['/variables/_sumWallets type']],
      [
        { type: 'NEP141', contractAddress: 'a.near', variables: { _delegation: true } },
        ['/variables/_delegation chain'],
      ],
      [{ asset: `evm:1/gnosis:${token}`, variables: { _owners: 'all' } }, ['/variables/_owners enum']],
      [{ asset: 'ERC20' }, ['/asset asset']],
      [{ type: 'ERC20', asset: 'solana:mainnet-beta/NFT:mint' }, ['/asset asset']],
      [{ asset: 'evm:1/ERC9000:0x' }, ['/type enum']],
      [{ type: 'XRPL_FT', contractAddress: 'USD' }, ['/contractAddress pattern']],
      [{ type: 'SOLANA_NFT', contractAddress: 'creators' }, ['/tokenId address']],
      [{ ...erc20, type: 'CUSTOM_ABI', functionName: 'x(' }, ['/functionName pattern']],
      [{ type: 'GUESTPASS' }, ['/variables/_filter required']],
      [{ scheme: 'role_composition' }, ['/variables/roleComposition required']],
    ];
    for (const [definition, faults] of cases) {
      assert.deepEqual(faultsOf(definition), faults, JSON.stringify(definition));
    }
  });

  test('the error for an unknown type lists the known ones', () => {
    assert.throws(() => readRule({ type: 'ERC9000' }), /"ERC9000" is unknown\. Supported: ERC20, .*CUSTOM_ABI/);
  });

  test('an error in a token id expression shows its location', () => {
    const rule = { type: 'ERC721', chainId: 1, contractAddress: token, tokenId: '1, 2, [3' };
    assert.throws(() => readRule(rule), /A "\]" is missing \(at character 7\)\./);
  });

  test('a variable cannot take the name of a function', () => {
    for (const name of ['sum', 'ownsTraits', 'eval', 'now']) {
      assert.throws(() => readRule({ type: 'ERC20', chainId: 1, contractAddress: token, variables: { [name]: 1 } }), {
        code: 'INVALID_PARAMETER_VALUE',
      });
    }
  });

  test('a scheme that only names a chain leaves the kind to the type', () => {
    const kindOf = (fields: object) =>
      leavesOf(readRule({ contractAddress: 'A.1654653399040a61.FlowToken.Balance.flow', ...fields }).condition)[0]
        ?.label;
    assert.equal(kindOf({ scheme: 'flow', type: 'FLOW_FT' }), 'FLOW_FT');
    assert.equal(kindOf({ scheme: 'flow' }), 'FLOW_NFT');
    assert.equal(kindOf({ scheme: 'something else', type: 'FLOW_FT' }), 'FLOW_FT');
  });

  test('null fields count as absent', () => {
    const rule = readRule({ type: 'ERC20', chainId: 1, contractAddress: token, maxToken: null, tokenId: null });
    assert.equal(leavesOf(rule.condition).length, 1);
  });
});

describe('reading logic', () => {
  const leaf = { type: 'ERC20', chainId: 1, contractAddress: token };
  const tree = (rule: unknown) => ({ scheme: 'logic', variables: { rule } });
  const nest = (depth: number): unknown => (depth === 0 ? leaf : { not: nest(depth - 1) });

  test('trees are nested up to 16 deep', () => {
    assert.equal(leavesOf(readRule(tree(nest(15))).condition).length, 1);
    assert.match(faultsOf(tree(nest(16)))[0] ?? '', /depth$/);
    assert.match(faultsOf(tree(nest(5000)))[0] ?? '', /depth$/);
  });

  test('trees hold up to 200 rules, also when they are spread over many groups', () => {
    const group = { or: Array.from({ length: 50 }, () => leaf) };
    assert.equal(leavesOf(readRule(tree({ and: [group, group, group, group] })).condition).length, 200);
    assert.deepEqual(faultsOf(tree({ and: [group, group, group, group, leaf] })), ['/variables/rule/and/4 maxItems']);
  });

  test('the queries of a tree share one size limit, and saved ones were parsed before', () => {
    const asking = (length: number) => ({ ...leaf, query: `1 = 1${' '.repeat(length)}/**/` });
    const and = [asking(4000), asking(4000), asking(4000), leaf];
    assert.deepEqual(faultsOf(tree({ and: and.slice(0, 2) })), []);
    assert.deepEqual(faultsOf(tree({ and })), ['/variables/rule/and/2/query maxLength']);
    assert.equal(leavesOf(readSavedRule(tree({ and })).condition).length, 4);
  });

  test('a tree inside a tree counts towards the same limits', () => {
    const inner = (depth: number): unknown => (depth === 0 ? leaf : tree({ not: inner(depth - 1) }));
    assert.equal(faultsOf(inner(3)).length, 0);
    assert.match(faultsOf(inner(12))[0] ?? '', /depth$/);
  });

  test('empty groups and groups with two operators are refused', () => {
    const cases: [unknown, string[]][] = [
      [undefined, ['/variables/rule required']],
      [{ and: [] }, ['/variables/rule/and minItems']],
      [{ and: [leaf], or: [leaf] }, ['/variables/rule additionalProperties']],
      [{ atLeast: 3, of: [leaf, leaf] }, ['/variables/rule/atLeast range']],
      [{ atLeast: 0, of: [leaf] }, ['/variables/rule/atLeast range']],
      [{ not: [leaf] }, ['/variables/rule/not required']],
      [{ not: { scheme: 'role_composition' } }, ['/variables/rule/not scheme']],
    ];
    for (const [rule, faults] of cases) assert.deepEqual(faultsOf(tree(rule)), faults, JSON.stringify(rule));
  });
});
