import { LRUCache } from 'lru-cache';
import { type Rule, readRule } from '../rules/index.ts';

// Reading a rule costs more than deciding it, and programs ask with the same few rules again and again.
const known = new LRUCache<string, Rule>({
  max: 5_000,
  maxSize: 20_000_000,
  sizeCalculation: (_rule, text) => text.length,
});

/** Reads a rule, once for each text. `path` says where it stands, for those that cannot be read. */
export function openRule(definition: unknown, path: string): Rule {
  const text = JSON.stringify(definition) ?? '';
  const present = known.get(text);
  if (present !== undefined) return present;
  const rule = readRule(definition, path);
  if (text !== '') known.set(text, rule);
  return rule;
}
