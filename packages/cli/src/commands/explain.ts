import { readRule, requirementInWords, ruleInWords, type WantedRuleSet } from '@latchkey/core/rule-files';
import { namesIn, outcomeOf, reasonLines } from '../file/reason-lines.ts';
import { openOffline, testCommunity } from '../file/run-tests.ts';
import { UsageError } from '../problems.ts';
import type { Terminal } from '../terminal.ts';
import { type Options, openCommunities } from './open.ts';

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
    const promises = (compiled.wanted.assertions ?? [])
      .filter((one) => name === undefined || one.name === name || one.never.role === name)
      .map((one) => `  ${one.name ?? 'Never'}: ${promiseInWords(one, names)}`);
    const tests = name === undefined ? [] : (await testCommunity(community)).filter((test) => test.name === name);
    found += rules.length + promises.length + tests.length;
    if (sentences.length + promises.length + tests.length > 0) terminal.print(String(community.value.community));
    for (const sentence of [...sentences, ...promises]) terminal.print(sentence);
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

type Assertion = NonNullable<WantedRuleSet['assertions']>[number];

function promiseInWords({ never: { role, unless } }: Assertion, names: ReturnType<typeof namesIn>): string {
  const required =
    unless.holds === undefined ? { roleId: unless.role ?? '' } : { condition: readRule(unless.holds).condition };
  return requirementInWords(role, required, names);
}
