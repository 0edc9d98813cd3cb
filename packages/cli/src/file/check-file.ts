import { nearestName } from '@latchkey/kernel';
import type { FileProblem } from '../problems.ts';
import { escapeStep, type Located } from './read-yaml.ts';
import { validate } from './validate-file.ts';

/** Checks a file against the format. What is misspelled gets a suggestion. */
export function checkFile({ value, placeOf }: Located): FileProblem[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, params, message = 'is invalid', parentSchema }) => {
    if (keyword === 'additionalProperties') {
      const name = String(params.additionalProperty);
      const known = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
      return {
        place: placeOf(`${instancePath}/${escapeStep(name)}`),
        message: `There is no field "${name}" here.${suggest(name, known)}`,
      };
    }
    const field = instancePath.slice(instancePath.lastIndexOf('/') + 1);
    const what = field === '' ? 'The file' : /^\d+$/.test(field) ? 'This' : `"${field}"`;
    if (keyword === 'enum') {
      const allowed = (params.allowedValues as unknown[]).map(String);
      const given = String(valueAt(value, instancePath));
      return {
        place: placeOf(instancePath),
        message: `${what} must be one of ${allowed.join(', ')}.${suggest(given, allowed)}`,
      };
    }
    if (keyword === 'required')
      return { place: placeOf(instancePath), message: `"${String(params.missingProperty)}" is missing here.` };
    return { place: placeOf(instancePath), message: `${what} ${message}.` };
  });
}

/** “ Did you mean …?”, or nothing. */
export function suggest(name: string, known: readonly string[]): string {
  const furthest = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3));
  const best = nearestName(name, known, furthest);
  return best === undefined || best === name ? '' : ` Did you mean "${best}"?`;
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], value);
}
