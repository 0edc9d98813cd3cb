import {
  assetOf,
  decideTest,
  type Fields,
  type OpenRules,
  openRules,
  type RoleVerdict,
  type TestMember,
} from '@latchkey/core/rule-files';
import { AppError, isObject } from '@latchkey/kernel';
import { BadFiles, showPlace } from '../problems.ts';
import { suggest } from './check-file.ts';
import { anyRole, type Compiled, compileCommunity, findToken, listIn } from './compile.ts';
import type { CommunityInFile } from './read-communities.ts';

const outcomes = { true: 'role', false: 'none', unknown: 'unknown' } as const;

export interface TestResult {
  community: string;
  name: string;
  place: string;
  /** What was expected and not decided. */
  failures: string[];
  verdicts: RoleVerdict[];
}

/** Compiles a community for tests: roles are what the file calls them. */
export function openOffline(community: CommunityInFile): { compiled: Compiled; rules: OpenRules } {
  const compiled = compileCommunity(community, anyRole);
  const rows = (compiled.wanted.rules ?? []).map(({ rule }, index) => ({
    id: rule.name ?? `rule ${index + 1}`,
    role_id: rule.roleId ?? '',
    definition: rule as Record<string, unknown>,
  }));
  return { compiled, rules: openRules(rows) };
}

export async function testCommunity(community: CommunityInFile): Promise<TestResult[]> {
  const { rules } = openOffline(community);
  const roleOf = roleReader(community);
  const results: TestResult[] = [];
  for (const [index, test] of listIn(community.value.tests).entries()) {
    const path = `/tests/${index}`;
    const verdicts = await decideTest(rules, readMember(community, test, path));
    const expected = Object.entries(isObject(test.expect) ? test.expect : {});
    const failures = expected.flatMap(([name, outcome]) => {
      const verdict = verdicts.find(({ roleId }) => roleId === roleOf(name));
      if (verdict === undefined && !isNamed(community, roleOf(name)))
        throw new BadFiles([
          {
            place: community.placeOf(`${path}/expect/${name}`),
            message: `No rule gives the role "${name}".${suggest(
              name,
              rules.rules.map(({ roleId }) => roleId),
            )}`,
          },
        ]);
      const found = verdict === undefined ? 'none' : outcomes[verdict.truth];
      return found === outcome ? [] : [`expected ${String(outcome)} for ${name}, and it is ${found}`];
    });
    const place = showPlace(community.placeOf(path));
    results.push({ community: String(community.value.community), name: String(test.name), place, failures, verdicts });
  }
  return results;
}

/** Whether a rule, a composition or a guest pass of the file names the role. */
function isNamed(community: CommunityInFile, roleId: string): boolean {
  const { wanted } = compileCommunity(community, anyRole);
  return (
    (wanted.rules ?? []).some(({ rule }) => JSON.stringify(rule).includes(JSON.stringify(roleId))) ||
    (wanted.guestPasses ?? []).some(({ roleIds }) => roleIds.includes(roleId))
  );
}

/** Names in \`roles\` stand for their ids, here too. */
function roleReader({ value }: CommunityInFile): (name: string) => string {
  const pins = isObject(value.roles) ? value.roles : {};
  return (name) => (Object.hasOwn(pins, name) ? String(pins[name]) : name);
}

function readMember(community: CommunityInFile, test: Fields, path: string): TestMember {
  const given = isObject(test.given) ? test.given : {};
  const roleOf = roleReader(community);
  const passes = listIn(community.value.guestPasses);
  const held = Array.isArray(given.passes) ? given.passes.map(String) : [];
  const granted = held.flatMap((name, index) => {
    const pass = passes.find((one) => one.name === name);
    if (pass !== undefined) return (Array.isArray(pass.roles) ? pass.roles : []).map((role) => roleOf(String(role)));
    if (name.includes(':')) return [];
    throw new BadFiles([
      {
        place: community.placeOf(`${path}/given/passes/${index}`),
        message: `There is no guest pass "${name}".${suggest(
          name,
          passes.map((one) => String(one.name)),
        )}`,
      },
    ]);
  });
  const own = given.holds === undefined && given.staked === undefined ? [] : [{ fields: given, path: `${path}/given` }];
  const listed = listIn(given.wallets).map((fields, index) => ({ fields, path: `${path}/given/wallets/${index}` }));
  return {
    wallets: [...own, ...listed].map((wallet) => readWallet(community, wallet.fields, wallet.path)),
    roleIds: (Array.isArray(given.roles) ? given.roles : []).map((role) => roleOf(String(role))),
    passes: held,
    passRoleIds: granted,
  };
}

function readWallet(community: CommunityInFile, wallet: Fields, path: string): TestMember['wallets'][number] {
  return (['holds', 'staked'] as const).flatMap((list) => {
    const holdings = wallet[list];
    if (!isObject(holdings)) return [];
    return Object.entries(holdings).map(([name, holding]) => ({
      asset: readAsset(community, name, `${path}/${list}/${name}`),
      holding,
    }));
  });
}

/** A token by its name in the file, or an asset as evm:1/ERC20:0x…. */
function readAsset(community: CommunityInFile, name: string, path: string) {
  const found = name.includes('/') ? { fields: { asset: name } } : findToken(community, name, {});
  const place = community.placeOf(path);
  if ('problem' in found) throw new BadFiles([{ place, message: found.problem }]);
  try {
    const asset = assetOf(found.fields);
    if (asset !== undefined) return asset;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new BadFiles([{ place, message: error.message }]);
  }
  throw new BadFiles([{ place, message: `"${name}" is not a token.` }]);
}
