import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** Checks the use of a third-party program, as far as the files of this project decide whether it works. */
type Check = (words: readonly string[], latchkey: (words: readonly string[]) => string[]) => string[];

const isThere = (path: string) => existsSync(join(root, path));
const unitOf = (name: string) => `deploy/systemd/${name}.service`;

/** The services of the compose file: the names indented by two spaces below `services:`. */
function composeServices(): string[] {
  const text = readFileSync(join(root, 'deploy/compose/compose.yaml'), 'utf8');
  const [, services = ''] = /^services:\n([\s\S]*?)^(?=\S)/m.exec(text) ?? [];
  return [...services.matchAll(/^ {2}(\w+):$/gm)].map(([, name = '']) => name);
}

function checkCompose(words: readonly string[], latchkey: (words: readonly string[]) => string[]): string[] {
  const problems: string[] = [];
  let rest = words;
  for (; rest[0] === '-f'; rest = rest.slice(2))
    if (!isThere(rest[1] ?? '')) problems.push(`names ${rest[1]}, which is not there`);
  const [verb, service = '', ...inside] = rest;
  if (words === rest) problems.push('names no compose file with -f');
  if (verb === 'up') return problems;
  if (verb !== 'exec') return [...problems, `runs docker compose ${verb}`];
  if (!composeServices().includes(service)) problems.push(`names the service ${service}, which is not there`);
  return [...problems, ...(inside[0] === 'latchkey' ? latchkey(inside.slice(1)) : [`runs ${inside[0]} in a service`])];
}

/** Users that a unit runs as. */
function usersOfUnits(): string[] {
  return ['latchkey-server', 'latchkey-worker', 'latchkey-signer'].map(
    (unit) => /^User=(.+)$/m.exec(readFileSync(join(root, unitOf(unit)), 'utf8'))?.[1] ?? '',
  );
}

const hasShape = (shape: RegExp): Check => {
  return (words) => (shape.test(words.join(' ')) ? [] : [`is not used like this: ${words.join(' ')}`]);
};

const homeserver =
  /(?:^| )https:\/\/matrix\.example\.org\/(?:_matrix\/client\/v3|_synapse\/admin\/v1)\/[\w/@:.]+(?: |$)/;

/** Programs that pages for operators use. */
export const otherPrograms: Readonly<Record<string, Check>> = {
  docker: ([verb, ...words], latchkey) => {
    if (verb === 'compose') return checkCompose(words, latchkey);
    return verb === 'build' && words[0] === '-t' && words.at(-1) === '.' ? [] : [`runs docker ${verb}`];
  },
  systemctl: ([verb, now, ...units]) => {
    if (verb !== 'enable' || now !== '--now') return [`runs systemctl ${verb}`];
    return units.filter((unit) => !isThere(unitOf(unit))).map((unit) => `names the unit ${unit}, which is not there`);
  },
  useradd: ([option, user = '']) =>
    option === '--system' && usersOfUnits().includes(user) ? [] : [`creates ${user}, which no unit runs as`],
  'systemd-run': (words, latchkey) => {
    const program = words.indexOf('packages/server/src/cli/main.ts');
    if (program < 0) return ['runs something else than Latchkey'];
    const user = /^--uid=(.+)$/.exec(words.find((word) => word.startsWith('--uid=')) ?? '')?.[1] ?? '';
    return [
      ...(usersOfUnits().includes(user) ? [] : [`runs as ${user}, which no unit runs as`]),
      ...latchkey(words.slice(program + 1)),
    ];
  },
  cp: (words) => words.slice(0, -1).flatMap((from) => (isThere(from) ? [] : [`copies ${from}, which is not there`])),
  node: ([program = '']) => (isThere(program) ? [] : [`runs ${program}, which is not there`]),
  // Requests to a Matrix homeserver: their paths are those of its specification, and of Synapse's admin API.
  curl: (words) => (homeserver.test(words.join(' ')) ? [] : ['runs curl, which samples that do not run do not show']),
  register_new_matrix_user: hasShape(/^-c homeserver\.yaml -u \w+ --no-admin$/),
  kubectl: ([option, ...words], latchkey) => {
    if (option === 'apply') return hasShape(/^-k \S+$/)(words, latchkey);
    const [namespace, verb, deployment, separator, name, ...rest] = words;
    return option === '-n' &&
      namespace === 'latchkey' &&
      verb === 'exec' &&
      deployment === 'deploy/server' &&
      separator === '--' &&
      name === 'latchkey'
      ? latchkey(rest)
      : [`runs kubectl ${option} ${words.join(' ')}`];
  },
  openssl: hasShape(/^rand -(?:hex|base64) \d+$/),
  pg_dump: hasShape(/^--schema=signer --format=custom --file=\S+ \$LATCHKEY_SIGNER_DATABASE_URL$/),
  pg_restore: hasShape(/^--dbname=\$LATCHKEY_SIGNER_DATABASE_URL \S+$/),
};
