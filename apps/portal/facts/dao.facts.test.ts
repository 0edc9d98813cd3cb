import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { governanceContracts, readDao } from '../config/read-dao.ts';
import facts, { factsOf, notConfigured } from './dao.facts.ts';

type Json = Record<string, unknown>;

/** The shipped file, with some of its values changed by path. */
function configured(changes: Json): unknown {
  const json: Json = JSON.parse(readFileSync(new URL('../config/dao.json', import.meta.url), 'utf8'));
  for (const [path, value] of Object.entries({ enabled: true, ...changes })) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let place = json;
    for (const name of names) place = place[name] as Json;
    place[last] = value;
  }
  return json;
}

const address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

function factAt(name: string, all = facts) {
  const make = all[name];
  assert.ok(make, `There is no fact ${name}.`);
  return make();
}

function rowsOf(fact: ReturnType<typeof factAt>): readonly (readonly string[])[] {
  assert.ok(typeof fact !== 'string' && 'rows' in fact);
  return fact.rows;
}

describe('the facts of the DAO', () => {
  it('says not configured for every value of the file that ships', () => {
    const values = rowsOf(factAt('dao.settings')).map(([, , now]) => now);
    assert.deepEqual([...new Set(values)], ['false', notConfigured]);
    assert.equal(factAt('dao.token.symbol'), notConfigured);
    assert.equal(rowsOf(factAt('dao.distribution'))[0]?.[1], notConfigured);
    assert.match(String(factAt('dao.state')), /no DAO is configured/);
  });

  it('gives a page the contracts to read live, if there is a chain and an address', () => {
    const contracts = (changes: Json) => governanceContracts(readDao(configured(changes)));
    assert.equal(contracts({}), undefined);
    assert.equal(contracts({ 'contracts.chainId': 10 }), undefined);
    const governed = { 'contracts.chainId': 10, 'contracts.timelock': address };
    assert.deepEqual(contracts(governed), { chainId: 10, timelock: address });
    assert.equal(contracts({ ...governed, enabled: false }), undefined);
  });

  it('shows configured values in readable form', () => {
    const all = factsOf(
      readDao(
        configured({
          name: 'The Example',
          legalForm: 'An association [not *yet* registered]',
          forumUrl: 'https://forum.example',
          'token.symbol': 'EXM',
          'token.chainId': 42161,
          'token.address': address,
          'voting.delayDays': 1,
          'voting.periodDays': 7,
          'voting.quorumPercent': 12.5,
          'claim.opensOn': '2030-01-01',
          'claim.closesOn': '2030-02-01',
        }),
      ),
    );
    assert.equal(factAt('dao.state', all), 'turned on, for The Example');
    assert.equal(factAt('dao.legalForm', all), 'An association \\[not \\*yet\\* registered\\]');
    assert.equal(factAt('dao.forumUrl', all), '[https://forum.example](https://forum.example)');
    assert.equal(factAt('dao.token.chainId', all), 'Arbitrum One (42161)');
    assert.equal(factAt('dao.token.address', all), `\`${address}\``);
    assert.equal(factAt('dao.voting.delayDays', all), '1 day');
    assert.equal(factAt('dao.voting.periodDays', all), '7 days');
    assert.equal(factAt('dao.voting.quorumPercent', all), '12.5 %');
    assert.equal(factAt('dao.claim-state', all), 'open from 2030-01-01 to 2030-02-01');
    assert.deepEqual(
      rowsOf(factAt('dao.token', all)).find(([what]) => what === 'Symbol'),
      ['Symbol', 'EXM', 'The short name that wallets show.'],
    );
  });

  it('draws a distribution in proportion, with its figures beside it', () => {
    const distribution = [
      { group: 'Treasury', percent: 75, vestingMonths: null, cliffMonths: null },
      { group: 'Contributors', percent: 25, vestingMonths: 48, cliffMonths: 12 },
    ];
    assert.deepEqual(rowsOf(factAt('dao.distribution', factsOf(readDao(configured({ distribution }))))), [
      ['Treasury', '75 %', '█'.repeat(15), 'none', 'none'],
      ['Contributors', '25 %', '█'.repeat(5), '48 months', '12 months'],
    ]);
  });

  it('shows nothing of a configuration that is turned off', () => {
    const all = factsOf(readDao(configured({ enabled: false, 'token.symbol': 'EXM' })));
    assert.equal(factAt('dao.token.symbol', all), notConfigured);
  });

  it('rejects misleading values, and names every location', () => {
    const refusals: [Json, RegExp][] = [
      [{ 'token.chainId': 1, 'token.address': address.toLowerCase() }, /token\.address must be .*checksum/],
      [{ 'token.address': address }, /token\.address needs token\.chainId/],
      [{ 'contracts.treasury': address }, /contracts\.treasury needs contracts\.chainId/],
      [{ forumUrl: 'http://forum.example' }, /forumUrl must be .*https/],
      [{ 'charter.adoptedOn': '2030-02-30' }, /charter\.adoptedOn must be a day/],
      [{ 'charter.stewards': 4 }, /charter\.stewards must be odd/],
      [{ 'claim.opensOn': '2030-02-01', 'claim.closesOn': '2030-01-01' }, /is before/],
      [{ 'token.name': 'A <b>bold</b> one' }, /token\.name must be/],
      [{ 'token.name': '# A heading' }, /token\.name must be/],
      [{ distribution: [{ group: 'All', percent: 90 }] }, /add up to 100/],
      [{ 'claim.groups': [] }, /claim\.groups must be null or a list/],
      [{ price: '1' }, /price is not a setting/],
      [{ enabled: 'yes' }, /enabled must be true or false/],
    ];
    for (const [changes, message] of refusals) assert.throws(() => readDao(configured(changes)), message);
    assert.throws(() => readDao(configured({ forumUrl: 1, chatUrl: 2 })), /forumUrl[\s\S]*chatUrl/);
    assert.throws(() => readDao({ enabled: false }), /token\.symbol is missing/);
    assert.throws(() => readDao(null), /is not a setting/);
  });
});
