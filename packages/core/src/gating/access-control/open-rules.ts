import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Rule, readRule, readSavedRule } from '../rules/index.ts';

// Reading a rule costs more than deciding it, and programs ask with the same few rules again and again.
const known = new LRUCache<string, Rule>({
  max: 5_000,
  maxSize: 20_000_000,
  sizeCalculation: (_rule, text) => text.length,
});
const longMs = 5;

/** Reads the rules of a request, and lets others have their turn where that takes long. */
export async function openRules(definitions: readonly unknown[], path: string): Promise<Rule[]> {
  const rules: Rule[] = [];
  let begunMs = performance.now();
  for (const [index, definition] of definitions.entries()) {
    rules.push(open('request', definition, () => readRule(definition, `${path}/${index}`)));
    if (performance.now() - begunMs < longMs) continue;
    await setImmediate();
    begunMs = performance.now();
  }
  return rules;
}

/** Reads a rule of a community. */
export function openSavedRule(definition: unknown): Rule {
  return open('saved', definition, () => readSavedRule(definition));
}

/** Reads a rule, once for each text. */
function open(origin: string, definition: unknown, read: () => Rule): Rule {
  const text = JSON.stringify(definition) ?? '';
  const key = `${origin} ${text}`;
  const present = known.get(key);
  if (present !== undefined) return present;
  const rule = read();
  if (text !== '') known.set(key, rule);
  return rule;
}
