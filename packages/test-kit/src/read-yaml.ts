import { createRequire } from 'node:module';

interface YamlPackage {
  loadAll(text: string): unknown[];
}

function isYamlPackage(loaded: unknown): loaded is YamlPackage {
  return typeof loaded === 'object' && loaded !== null && 'loadAll' in loaded;
}

/** Parses the documents of a YAML text. */
export function readYaml(text: string): unknown[] {
  // The package has no types.
  const loaded: unknown = createRequire(import.meta.url)('js-yaml');
  if (!isYamlPackage(loaded)) throw new Error('js-yaml has an unexpected interface.');
  return loaded.loadAll(text);
}
