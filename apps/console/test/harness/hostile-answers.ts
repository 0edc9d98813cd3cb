import type { Operation } from '@latchkey/kernel';
import { asJsonSchema, type JsonSchema } from '@latchkey/server/testing/json-schema';
import { served } from '@latchkey/server/testing/served';

/** What people may call themselves and their things. None of it may run, load anything or push a page apart. */
const hostileTexts = [
  '<img src=x onerror="ran(1)">',
  `"><script>ran(2)</script>${'w'.repeat(4000)}`,
  '\u202Etxet desrever\u202D',
  '👩‍👩‍👧‍👦'.repeat(200),
  "javascript:ran(3)//' onmouseover='ran(4)",
  '{{constructor.constructor("ran(5)")()}}',
] as const;

const hostileAddresses = [
  'javascript:ran(6)',
  'https://evil.example/picture.png',
  'data:text/html,<script>ran(7)</script>',
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="ran(8)"/>',
] as const;

const foreignTexts = ['猫', '黒猫', '白猫 7'];
const foreignAddresses = ['https://app.example/7'];
const foreignIds = ['7', 'evm:7', `0x${'a1'.repeat(20)}`];

const time = '2026-03-29T21:30:00.000Z';
/** For fields whose form is fixed. */
const plain = [
  'DIS#COMM#1',
  'DIS#USER#1',
  `0x${'a1'.repeat(20)}`,
  '1',
  'a',
  'example',
  'a@example.org',
  'https://app.example/',
  'evm:1',
  'evm:1/ERC20:0x00000000000000000000000000000000000000aa',
  `0x${'a1'.repeat(32)}`,
  '1.0.0',
  'user:read',
  'TPC#1',
  '12.50',
  'usd',
];

/** The operation that a request calls, by its method and path. */
export function operationAt(method: string, pathname: string): Operation | undefined {
  const fitting = served.filter((operation) => operation.method === method && formOf(operation.path).test(pathname));
  // What is written out goes before what a parameter stands for.
  return fitting.toSorted((a, b) => parametersIn(a.path) - parametersIn(b.path))[0];
}

function formOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.]/g, '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
}

function parametersIn(path: string): number {
  return path.split('{').length;
}

interface Words {
  texts: readonly string[];
  addresses: readonly string[];
  ids: readonly string[];
  /** Hears of each text in the answer whose words are free: names, ids, addresses, times. */
  note?(text: string): void;
}

/** An answer as the contract of an operation allows it, with every field there and the worst in each text, from `turn` on. */
export function hostileAnswer(operation: Operation, turn = 0): unknown {
  return makeUpAnswer(operation, turn, { texts: hostileTexts, addresses: hostileAddresses, ids: plain });
}

/** The same with short texts that no catalogue could hold, each of which is told to `note`. */
export function foreignAnswer(operation: Operation, turn: number, note: (text: string) => void): unknown {
  return makeUpAnswer(operation, turn, { texts: foreignTexts, addresses: foreignAddresses, ids: foreignIds, note });
}

function makeUpAnswer({ answer }: Operation, turn: number, { texts, addresses, ids, note }: Words): unknown {
  const next = <T>(list: readonly T[]): T => {
    turn += 1;
    const item = list[turn % list.length];
    if (item === undefined) throw new Error('There is nothing to choose from.');
    return item;
  };

  function value(name: string, schema: JsonSchema): unknown {
    if (schema.enum !== undefined) return next(schema.enum);
    if (schema.anyOf !== undefined) return value(name, next(schema.anyOf));
    switch (schema.type) {
      case 'string':
        return free(name, schema);
      case 'integer':
      case 'number':
        return Math.min(schema.maximum ?? 7, Math.max(schema.minimum ?? 7, 7));
      case 'boolean':
        return next([true, false]);
      case 'array':
        return Array.from({ length: Math.min(3, schema.maxItems ?? 3) }, () => value(name, schema.items ?? {}));
      case 'object':
        return record(schema);
      default:
        return free(name, {});
    }
  }

  function record({ properties = {}, additionalProperties }: JsonSchema): Record<string, unknown> {
    // Every list is shown as its last page.
    const { paginationToken: _, ...fields } = properties;
    const known = Object.entries(fields).map(([name, inner]) => [name, value(name, inner)]);
    const others = typeof additionalProperties === 'object' ? [['a', value('a', additionalProperties)]] : [];
    return Object.fromEntries([...known, ...others]);
  }

  function free(name: string, schema: JsonSchema): string {
    const written = text(name, schema);
    note?.(written);
    return written;
  }

  function text(name: string, { format, pattern, maxLength = 4000, minLength = 0 }: JsonSchema): string {
    if (format === 'date-time' || /(Time|At|Until|Since)$/.test(name)) return time;
    if (/^(day|date)$/.test(name)) return time.slice(0, 10);
    // Amounts in the smallest units of a coin.
    if (/(balance|spent|limit)$/i.test(name)) return '70000000000000000007';
    if (pattern !== undefined || format !== undefined || minLength > 10) {
      const fitting = plain.filter((one) => pattern === undefined || new RegExp(pattern, 'u').test(one));
      return fitting[0] ?? 'x'.repeat(Math.max(1, minLength));
    }
    if (/(url|uri|link|icon|image|picture|avatar|logo)$/i.test(name)) return next(addresses).slice(0, maxLength);
    if (/(^|[a-z])(id|sk|pk|address|key)$/i.test(name)) return `${next(ids)}/${turn}`.slice(0, maxLength);
    return next(texts).slice(0, maxLength);
  }

  return answer.schema === undefined || answer.kind !== 'json' ? undefined : value('', asJsonSchema(answer.schema));
}
