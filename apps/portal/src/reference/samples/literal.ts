const widest = 72;

const words = {
  js: { null: 'null', true: 'true', false: 'false' },
  python: { null: 'None', true: 'True', false: 'False' },
} as const;

type Dialect = keyof typeof words;

/** The indentation and the spacing within braces that are customary in each language. */
export const layouts = {
  js: { step: '  ', inBraces: ' ' },
  python: { step: '    ', inBraces: '' },
} as const satisfies Record<Dialect, { step: string; inBraces: string }>;

/** Writes a JSON value as a JavaScript or Python literal, on as many lines as it needs. */
export function literal(value: unknown, dialect: Dialect, indent = ''): string {
  if (typeof value === 'string') return textLiteral(value, dialect);
  if (value === null || typeof value === 'boolean') return words[dialect][`${value}`];
  if (typeof value !== 'object') return String(value);
  const inner = indent + layouts[dialect].step;
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, dialect, inner));
    return list(items, '[]', indent, dialect);
  }
  const fields = Object.entries(value).map(
    ([name, field]) => `${nameOf(name, dialect)}: ${literal(field, dialect, inner)}`,
  );
  return list(fields, '{}', indent, dialect);
}

/** JSON escapes mean the same in all of these languages. */
export function textLiteral(text: string, dialect: Dialect | 'go'): string {
  const quoted = JSON.stringify(text).replaceAll(
    /[\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16)}`,
  );
  return dialect === 'js' && !/['\\]/.test(quoted) ? `'${quoted.slice(1, -1)}'` : quoted;
}

function nameOf(name: string, dialect: Dialect): string {
  return dialect === 'js' && /^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name, dialect);
}

/** On one line if it is short. */
export function list(
  parts: readonly string[],
  [open = '', close = '']: string,
  indent: string,
  dialect: Dialect = 'js',
): string {
  if (parts.length === 0) return open + close;
  const { step, inBraces } = layouts[dialect];
  const space = open === '{' ? inBraces : '';
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (line.length + indent.length <= widest && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${indent}${step}${part},\n`).join('')}${indent}${close}`;
}
