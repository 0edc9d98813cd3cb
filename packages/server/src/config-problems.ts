import { telegramUrl } from './config-platforms.ts';

type Values = Readonly<Record<string, unknown>>;
type Name = `${'LATCHKEY' | 'DATABASE' | 'OTEL'}_${string}`;

/** Settings that have no use without another one. */
const needs: readonly (readonly [name: Name, needed: Name])[] = [
  ['LATCHKEY_DIRECT_DATABASE_URL', 'DATABASE_URL'],
  ['LATCHKEY_TENANT_DATABASE_URL', 'DATABASE_URL'],
  ['LATCHKEY_DISCORD_CLIENT_SECRET', 'LATCHKEY_DISCORD_CLIENT_ID'],
  ['LATCHKEY_STRIPE_WEBHOOK_SECRET', 'LATCHKEY_STRIPE_SECRET_KEY'],
  ['LATCHKEY_REGISTRY_ADDRESS', 'LATCHKEY_REGISTRY_CHAIN_ID'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
];

/** Settings of which one is useless without the other. */
const together: readonly (readonly [Name, Name])[] = [
  ['LATCHKEY_TELEGRAM_API_ID', 'LATCHKEY_TELEGRAM_API_HASH'],
  ['LATCHKEY_REDDIT_CLIENT_ID', 'LATCHKEY_REDDIT_CLIENT_SECRET'],
  ['LATCHKEY_MATRIX_HOMESERVER_URL', 'LATCHKEY_MATRIX_ACCESS_TOKEN'],
  ['LATCHKEY_X_CLIENT_ID', 'LATCHKEY_X_CLIENT_SECRET'],
];

const limits: readonly (readonly [part: Name, whole: Name])[] = [
  ['LATCHKEY_NEAR_SPEND_PER_CALLER', 'LATCHKEY_NEAR_SPEND_PER_DAY'],
  ['LATCHKEY_REGISTRY_SPEND_PER_CALLER', 'LATCHKEY_REGISTRY_SPEND_PER_DAY'],
  ['LATCHKEY_WALLET_SPEND_PER_CALLER', 'LATCHKEY_WALLET_SPEND_PER_DAY'],
];

/** Ports that one process of `npm start` may open, with how many follow each. */
const ports: readonly (readonly [name: Name, count: number])[] = [
  ['LATCHKEY_PORT', 1],
  ['LATCHKEY_PORTAL_PORT', 1],
  ['LATCHKEY_METRICS_PORT', 1],
  ['LATCHKEY_MAIL_CATCHER_PORT', 2],
];

/** Returns what is wrong with the combination of valid settings. `isSet` says which the operator set. */
export function combinationProblems(values: Values, isSet: (name: string) => boolean): string[] {
  const has = (name: Name) => values[name] !== undefined;
  return [
    ...needs.flatMap(([name, needed]) =>
      has(name) && !has(needed) ? [`${name} is set, so ${needed} must be set too.`] : [],
    ),
    ...together.flatMap(([one, other]) =>
      has(one) === has(other) ? [] : [`${one} and ${other} must be set together.`],
    ),
    ...limits.flatMap(([part, whole]) =>
      isAbove(values[part], values[whole]) ? [`${part} must not be greater than ${whole}.`] : [],
    ),
    ...portProblems(values, isSet),
    ...telegramProblems(values),
  ];
}

function isAbove(part: unknown, whole: unknown): boolean {
  return typeof part === 'bigint' && typeof whole === 'bigint' && part > whole;
}

/** Defaults give way: a server that was moved to the default port of the portal may never serve a portal. */
function portProblems(values: Values, isSet: (name: string) => boolean): string[] {
  const taken = ports
    .filter(([name]) => isSet(name) && values[name] !== 0)
    .map(([name, count]) => ({ name, first: Number(values[name]), last: Number(values[name]) + count - 1 }));
  const metrics = values.LATCHKEY_METRICS_PORT;
  const pairs = taken.flatMap((one, at) =>
    taken.slice(at + 1).flatMap((other) => (one.first <= other.last && other.first <= one.last ? [[one, other]] : [])),
  );
  const problems = pairs.map(([one, other]) => `${one?.name} and ${other?.name} must be different ports.`);
  if (metrics !== undefined && metrics !== 0 && metrics === values.LATCHKEY_PORT && !isSet('LATCHKEY_PORT'))
    problems.push(`LATCHKEY_METRICS_PORT must differ from LATCHKEY_PORT, which is ${metrics} by default.`);
  return problems;
}

/** Telegram itself posts over HTTPS only; a self-hosted Bot API server also posts over HTTP. */
function telegramProblems(values: Values): string[] {
  const { LATCHKEY_BASE_URL: baseUrl, LATCHKEY_TELEGRAM_API_URL: apiUrl } = values;
  const isHttps = typeof baseUrl === 'string' && baseUrl.startsWith('https:');
  const canReach = isHttps || (baseUrl !== undefined && apiUrl !== telegramUrl);
  return values.LATCHKEY_TELEGRAM_UPDATES === 'webhook' && !canReach
    ? ['LATCHKEY_TELEGRAM_UPDATES can be webhook only if LATCHKEY_BASE_URL starts with https://.']
    : [];
}
