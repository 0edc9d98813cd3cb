import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { screens } from '../../src/app/screens.ts';

const sources = resolve(import.meta.dirname, '../../src');
const routeForm = /^(GET|POST|PUT|PATCH|DELETE) \/[\w./{}-]+$/;

const live: readonly (readonly [RegExp, string])[] = [
  [/useLive\([^)]*'account'/, 'GET /latchkey/account/live'],
  [/useLive\([^)]*'operator'/, 'GET /latchkey/live'],
  [/useLive\(\{ communityId/, 'GET /latchkey/communities/{communityId}/live'],
];

/** Every operation that the code of a screen can call, by the path of the screen; '' is what stands around all of them. */
export const callsOfScreens: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['', callsFrom('app/console-app.tsx')],
  ...screens.map(({ path, load }): [string, ReadonlySet<string>] => [path, callsFrom(entryOf(path, String(load)))]),
]);

/** The file that a screen begins with, as its line in the list imports it. */
function entryOf(path: string, load: string): string {
  const [, view = ''] = /import\('\.\/([^']+)'\)/.exec(load) ?? [];
  const areas = ['member', 'community', 'developer', 'operator'];
  const area = areas.find((one) => readFileSync(join(sources, one, 'screens.ts'), 'utf8').includes(`'${path}'`));
  if (area === undefined || view === '') throw new Error(`The code of the screen ${path} is not found.`);
  return join(area, view);
}

/** The routes in a file and in all that it imports; screens, which are imported when they are shown, are not followed. */
function callsFrom(entry: string): Set<string> {
  const calls = new Set<string>();
  const seen = new Set<string>();
  const read = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const route of routesIn(text)) calls.add(route);
    for (const [, target = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+\.tsx?)'/gm)) {
      const next = join(dirname(file), target);
      if (!existsSync(next)) throw new Error(`${file} imports ${target}, which is not there.`);
      if (!next.endsWith('/app/screens.ts')) read(next);
    }
  };
  read(join(sources, entry));
  return calls;
}

/** The routes that a text names as values: alone, behind a word of the same file, or by the source of live events. */
function routesIn(text: string): string[] {
  const words = new Map([...text.matchAll(/const (\w+) = '([^']+)'/g)].map(([, name, value]) => [name, value]));
  const asValues = text.replaceAll(/<\s*'[^']+'\s*>/g, '');
  const literals = [...asValues.matchAll(/'([^'\n]+)'|`([^`\n]+)`/g)].map(([, plain, template]) =>
    (plain ?? template ?? '').replaceAll(/\$\{(\w+)\}/g, (whole, name) => words.get(name) ?? whole),
  );
  const received = live.filter(([form]) => form.test(text)).map(([, route]) => route);
  return [...literals.filter((literal) => routeForm.test(literal)), ...received];
}
