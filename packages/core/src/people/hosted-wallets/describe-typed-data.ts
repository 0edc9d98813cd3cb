import { asInteger, isObject, maxDepth, type TypedData } from './typed-data.ts';
import { dangersOf } from './typed-data-dangers.ts';

/** What is to be signed, in lines for people. */
export interface Description {
  summary: string[];
  /** What the signature would allow others to do, as far as it is known. */
  warnings: string[];
}

const maxLines = 100;
const maxLetters = 300;

/** Says what typed data is for and what stands in it, field by field. */
export function describeTypedData(data: TypedData): Description {
  const { domain, primaryType, message } = data;
  const fields = [...linesOf('', message)];
  const shown = fields.slice(0, maxLines);
  const left = fields.length - shown.length;
  return {
    summary: [
      ...Object.entries(domain).map(([name, value]) => `${domainLabels[name] ?? `Domain ${name}`}: ${show(value)}`),
      `Type: ${primaryType}`,
      ...shown,
      ...(left > 0 ? [`… and ${left} more fields, which are signed too`] : []),
    ].map(printable),
    warnings: dangersOf(data).map(printable),
  };
}

const domainLabels: Readonly<Record<string, string>> = {
  name: 'For',
  version: 'Version',
  chainId: 'Chain',
  verifyingContract: 'Contract',
};

function* linesOf(name: string, value: unknown, depth = 0): Generator<string> {
  if (depth > maxDepth) {
    yield `${name}: nested too deep to be shown`;
  } else if (Array.isArray(value)) {
    if (value.length === 0) yield `${name}: none`;
    for (const [index, item] of value.entries()) yield* linesOf(`${name}[${index}]`, item, depth + 1);
  } else if (isObject(value)) {
    for (const [member, item] of Object.entries(value))
      yield* linesOf(name === '' ? member : `${name}.${member}`, item, depth + 1);
  } else {
    yield `${name}: ${show(value)}${timeOf(name, value)}`;
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const timeNames = /deadline|expir|valid|until|time/i;

/** A number of seconds as a date, where the name of the field says that it is one. */
function timeOf(name: string, value: unknown): string {
  const seconds = timeNames.test(name) ? asInteger(value) : undefined;
  // From 2001 to 2286: other numbers are no time, or one that nobody lives to see.
  if (seconds === undefined || seconds < 1_000_000_000n || seconds >= 10_000_000_000n) return '';
  return ` (${new Date(Number(seconds) * 1000).toISOString()})`;
}

/** A text line by line. */
export function describeText(text: string): string[] {
  const lines = text.split('\n');
  const left = lines.length - maxLines;
  return [...lines.slice(0, maxLines), ...(left > 0 ? [`… and ${left} more lines, which are signed too`] : [])].map(
    printable,
  );
}

/** Nothing that could move the rest of a page or turn its letters around. */
function printable(line: string): string {
  const plain = line.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '�');
  return plain.length <= maxLetters
    ? plain
    : `${plain.slice(0, maxLetters).toWellFormed()} … (${plain.length} letters)`;
}
