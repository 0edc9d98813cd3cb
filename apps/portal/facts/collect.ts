import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fact, Facts } from './fact.ts';

/** Collects every fact of every `*.facts.ts` here. Throws for duplicate names. */
export async function collectFacts(folder = import.meta.dirname): Promise<Record<string, Fact>> {
  const collected: Record<string, Fact> = {};
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.facts.ts'))
    .sort()) {
    const module: { default: Facts } = await import(join(folder, file));
    for (const [name, read] of Object.entries(module.default)) {
      if (name in collected) throw new Error(`The fact "${name}" of ${file} is defined twice.`);
      collected[name] = read();
    }
  }
  return collected;
}
