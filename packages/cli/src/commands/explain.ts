import { assetOf, type Reason, readRule, ruleInWords } from '@latchkey/core/rule-files';
import { isObject } from '@latchkey/kernel';
import type { CommunityInFile } from '../file/load.ts';
import { UsageError } from '../problems.ts';
import type { Terminal } from '../terminal.ts';
import { type Options, openCommunities } from './open.ts';
import { openOffline, testCommunity } from './test.ts';

/** Says what the rules of the files require, or why one of their tests decides as it does. Needs no server. */
export async function runExplain(terminal: Terminal, options: Options, words: readonly string[]): Promise<number> {
  const [name] = words;
  let found = 0;
  for (const community of await openCommunities(terminal, options)) {
    const { compiled } = openOffline(community);
    const rules = (compiled.wanted.rules ?? []).filter(
      ({ rule }) => name === undefined || rule.name === name || rule.roleId === name,
    );
    const names = namesIn(community);
    const sentences = rules.map(({ rule }) => {
      const read = readRule(rule);
      return `  ${rule.name ?? 'A rule without a name'}: ${ruleInWords({ ...read, roleId: rule.roleId ?? read.roleId }, names)}`;
    });
    const tests = name === undefined ? [] : (await testCommunity(community)).filter((test) => test.name === name);
    found += rules.length + tests.length;
    if (sentences.length + tests.length > 0) terminal.print(String(community.value.community));
    for (const sentence of sentences) terminal.print(sentence);
    for (const { verdicts } of tests)
      for (const { roleId, truth, reason } of verdicts) {
        terminal.print(`  ${names.role(roleId)}: ${outcomeOf[truth]}`);
        for (const rule of reason.rules) {
          terminal.print(`    ${rule.id}: ${outcomeOf[rule.truth]}`);
          if (rule.reason !== undefined) for (const line of reasonLines(rule.reason, names, 3)) terminal.print(line);
        }
      }
  }
  if (found === 0 && name !== undefined) throw new UsageError(`No rule, role or test is called “${name}”.`);
  return 0;
}

const outcomeOf = { true: 'yes', false: 'no', unknown: 'cannot be decided' } as const;
const groupOf = { and: 'all of', or: 'any of', not: 'none of', 'at-least': 'at least' } as const;

type Names = ReturnType<typeof namesIn>;

function reasonLines(reason: Reason, names: Names, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (reason.kind !== 'leaf') {
    const count = reason.kind === 'at-least' ? ` ${reason.count} of` : '';
    return [
      `${indent}${outcomeOf[reason.truth]}: ${groupOf[reason.kind]}${count}`,
      ...reason.parts.flatMap((part) => reasonLines(part, names, depth + 1)),
    ];
  }
  const token = reason.asset === undefined ? '' : ` ${names.token(reason.asset)}`;
  const found = reason.readings.flatMap(({ value, note }) => value ?? note ?? []);
  const why = reason.sum ?? (found.length > 0 ? found.join(', ') : (reason.note ?? ''));
  return [`${indent}${outcomeOf[reason.truth]}: ${reason.needed}${token}${why === '' ? '' : `; found: ${why}`}`];
}

/** The names that the file uses. */
function namesIn({ tokens, value }: CommunityInFile) {
  const byAsset = new Map(
    [...tokens].flatMap(([name, fields]): [string, string][] => {
      try {
        const asset = assetOf(fields);
        return asset === undefined ? [] : [[`${asset.chain}/${asset.standard.toUpperCase()}:${asset.reference}`, name]];
      } catch {
        return [];
      }
    }),
  );
  const pins = Object.entries(isObject(value.roles) ? value.roles : {});
  return {
    role: (roleId: string) => pins.find(([, id]) => id === roleId)?.[0] ?? roleId,
    token: (asset: string) => byAsset.get(asset) ?? asset,
  };
}
