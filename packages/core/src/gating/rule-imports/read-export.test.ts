import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRule } from '../rules/index.ts';
import { parseCsv, readExport } from './read-export.ts';

const nft = '0x734aa2dac868218d2a5f9757f16f6f881265441c';

/** The result of each rule: the kind of its condition, or its problem. */
function outcomes(source: Parameters<typeof readExport>[0], value: unknown): string[] {
  const content = typeof value === 'string' ? value : JSON.stringify(value);
  return readExport(source, content, '42').map(({ rule, problem }) =>
    rule === undefined ? `unmapped: ${problem}` : readRule({ ...rule, roleId: 'gold' }).condition.kind,
  );
}

describe('reading the exports of other services', () => {
  it('reads rules as the published API lists them, in a page, a list or a community', () => {
    const rules = [
      { id: 'TPC#1', sk: 'TPC#1', type: 'ERC721', chainId: 1, contractAddress: nft, minToken: '2', roleId: 'gold' },
      {
        type: 'ERC721',
        version: '2.1.0',
        asset: `evm:1/ERC721:${nft}`,
        query: '$ownsTraits($, $_filter)',
        requiresMetadata: true,
        variables: { _filter: { filters: [{ minCount: 1, traits: [{ trait_type: 'Hat', value: 'Red' }] }] } },
        roleId: 'gold',
      },
      { type: 'GUESTPASS', variables: { _filter: {} }, roleId: 'gold' },
      'nothing',
    ];
    for (const form of [rules, { items: rules }, { tpcs: rules }]) {
      const [plain, traits, pass, nothing] = outcomes('original', form);
      assert.deepEqual([plain, traits], ['holding', 'traits']);
      assert.match(pass ?? '', /^unmapped: Guest passes stay/);
      assert.match(nothing ?? '', /^unmapped: This is not a rule/);
    }
  });

  it('maps a role of Guild as a whole or not at all', () => {
    const erc20 = { type: 'ERC20', chain: 'ETHEREUM', address: nft, data: { minAmount: 5 } };
    const erc721 = { type: 'ERC721', chain: 'POLYGON', address: nft, data: { minAmount: 1 } };
    const roles = [
      { id: 1, name: 'One', logic: 'AND', requirements: [erc20] },
      { id: 2, name: 'All', logic: 'AND', requirements: [erc20, erc721] },
      {
        id: 3,
        name: 'Some',
        logic: 'ANY_OF',
        anyOfNum: 2,
        requirements: [erc20, erc721, { ...erc20, isNegated: true }],
      },
      { id: 4, name: 'None', logic: 'NOR', requirements: [erc20] },
      { id: 5, name: 'List', logic: 'OR', requirements: [erc20, { type: 'ALLOWLIST', data: { addresses: [] } }] },
      { id: 6, name: 'Chain', requirements: [{ ...erc20, chain: 'FUEL' }] },
      {
        id: 7,
        name: 'Trait',
        requirements: [{ ...erc721, data: { attributes: [{ trait_type: 'Hat', value: 'Red' }] } }],
      },
      {
        id: 8,
        name: 'Range',
        requirements: [{ ...erc721, data: { attributes: [{ trait_type: 'Age', interval: { min: 1, max: 2 } }] } }],
      },
      { id: 9, name: 'Coin', requirements: [{ type: 'COIN', chain: 'ETHEREUM', data: {} }] },
      { id: 10, name: 'Odd', logic: 'XOR', requirements: [erc20, erc721] },
    ];
    const [one, all, some, none, list, chain, trait, range, coin, odd] = outcomes('guild', { roles });
    assert.deepEqual([one, all, some, none, trait, coin], ['holding', 'and', 'at-least', 'not', 'traits', 'holding']);
    assert.match(list ?? '', /^unmapped: ALLOWLIST: Rules here have no lists of addresses/);
    assert.match(chain ?? '', /^unmapped: ERC20: The chain "FUEL" is unknown/);
    assert.match(range ?? '', /^unmapped: ERC721: It requires a trait range/);
    assert.match(odd ?? '', /^unmapped: Unknown logic "XOR"/);
  });

  it('takes the roles that Guild gives in this community, and names those of another one', () => {
    const requirements = [{ type: 'ERC721', chain: 'ETHEREUM', address: nft }];
    const guild = {
      guildPlatforms: [
        { id: 1, platformId: 1, platformGuildId: '42' },
        { id: 2, platformId: 1, platformGuildId: '43' },
      ],
      roles: [
        { id: 1, name: 'Here', requirements, rolePlatforms: [{ guildPlatformId: 1, platformRoleId: '900' }] },
        { id: 2, name: 'There', requirements, rolePlatforms: [{ guildPlatformId: 2, platformRoleId: '901' }] },
      ],
    };
    const [here, there] = readExport('guild', JSON.stringify(guild), '42');
    assert.equal(here?.role.id, '900');
    assert.equal(there?.problem, 'Guild gives this role in another community.');
  });

  it('reads a table, and maps no row that has an unknown column', () => {
    const table = [
      'Role,Type,Chain,Contract,Min,Trait,Value',
      `"Gold, old",ERC721,Ethereum,${nft},2,,`,
      `Silver,ERC721,polygon,${nft},1,Hat,"A ""red"" one"`,
      `Bronze,ERC721,nowhere,${nft},1,,`,
      `Iron,,1,${nft},1,,`,
    ].join('\r\n');
    const [gold, silver, bronze, iron] = outcomes('vulcan', table);
    assert.deepEqual([gold, silver], ['holding', 'traits']);
    assert.match(bronze ?? '', /The chain "nowhere" is unknown/);
    assert.match(iron ?? '', /The type is missing/);
    assert.equal(readExport('vulcan', table, '42')[0]?.role.name, 'Gold, old');
    const [strange] = outcomes('matrica', [{ role: 'Gold', type: 'SOLANA_NFT', contract: 'abc', listedOnly: true }]);
    assert.match(strange ?? '', /^unmapped: Unknown columns: "listedOnly"/);
  });

  it('refuses what is not an export, and says what to send instead', () => {
    const refusals: [Parameters<typeof readExport>[0], string, RegExp][] = [
      ['original', '{"a":', /not valid JSON/],
      ['original', '{"a":1}', /GET \/communities\/\{id\}\/tpcs/],
      ['guild', '{}', /JSON that Guild’s API returns/],
      ['sheet', '', /No rules were found/],
      ['sheet', 'role,"never closed', /No rules were found/],
    ];
    for (const [source, content, message] of refusals) assert.throws(() => readExport(source, content, '42'), message);
    assert.equal(parseCsv('a,"b'), undefined);
  });
});
