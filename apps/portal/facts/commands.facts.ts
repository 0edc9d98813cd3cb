import { screens } from '@latchkey/console/screens';
import { commands, invocations, type OnPages, onPages, shortWords } from '@latchkey/server/facts';
import { code, type Fact, type Facts, type FactTable, table } from './fact.ts';

/** Returns each form of a command, beginning with its name: `jobs | dead` is `jobs` and `jobs dead`. */
export function formsOf(usage: string): string[] {
  const [name = ''] = usage.split(' ');
  // Alternatives in parentheses or brackets are part of one form.
  return usage
    .split(/ \| (?![^([]*[)\]])/)
    .map((form) => (form === name || form.startsWith(`${name} `) ? form : `${name} ${form}`));
}

/** Returns where the console does the same as a form of a command. */
function placeOf(name: string, form: string): string {
  const places = onPages[name] ?? {};
  const [verb = ''] = (form.split(' ')[1] ?? '').split('|');
  const place = places[verb] ?? places[''] ?? Object.values(places)[0];
  return place === undefined ? '–' : screenOf(place);
}

function screenOf(place: OnPages): string {
  if (!('screen' in place)) return '–';
  const path = place.screen.replace(/\/\$(?:userId|planId|importId)$/, '');
  const title = screens.find((screen) => screen.path === path)?.title();
  if (title === undefined) throw new Error(`The console has no screen ${path} any more.`);
  return path.startsWith('/communities/') ? `**${title}** of the community` : `**${title}**`;
}

function tableOfCommand(name: string, usage: string): FactTable {
  return table(
    ['Command', 'In the console'],
    formsOf(usage).map((form) => [code(form), placeOf(name, form)]),
  );
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export default {
  'commands/run': () =>
    table(
      ['Command', 'What it does'],
      [...invocations, ...shortWords].map(({ usage, meaning }) => [code(usage), capital(meaning)]),
    ),
  ...Object.fromEntries(
    Object.entries(commands).map(([name, { usage }]): [string, () => Fact] => [
      `commands/${name}`,
      () => tableOfCommand(name, usage),
    ]),
  ),
} satisfies Facts;
