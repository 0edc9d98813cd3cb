const strings = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g;
const attributes = /\[[^\]]*\]/g;
const innermost = /\([^()]*\)/;
const pseudos = /(?<!\\)::?[\w-]+/g;
const simple = /[.#]?(?:\\.|[\w-])+/g;

/**
 * What must be in a page for a selector to match something there: `.class`, `#id` and `tag`. What is only possible,
 * as inside of `:is()`, after scripts have run, or by an attribute, is not asked for.
 */
export function namesOf(selector: string): string[] {
  let plain = selector.replaceAll(strings, '').replaceAll(attributes, '');
  while (innermost.test(plain)) plain = plain.replace(innermost, '');
  const names = plain.replaceAll(pseudos, '').match(simple) ?? [];
  return names.map((name) => name.replaceAll('\\', ''));
}
